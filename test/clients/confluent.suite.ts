/** confluent-kafka for Python: the newest librdkafka, with both group protocols (test/clients/python/confluent.py). */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { mustRun } from '../support/command.ts'
import { saslUser } from '../support/kafka.ts'
import { findPython } from '../support/python.ts'
import { loudly, type Target, unique } from '../support/targets.ts'

const python = await findPython()
const program = join(import.meta.dirname, 'python', 'confluent.py')

export function confluentClient({ brokers, saslBrokers, name }: Target): void {
  if ('missing' in python) return loudly(`confluent-kafka NOT RUN ON ${name}: ${python.missing}`)
  const runOn = async (addresses: readonly string[], scenario: string, ...more: string[]): Promise<void> => {
    const args = ['-B', program, scenario, addresses.join(','), unique(scenario.replaceAll('_', '-')), ...more]
    const env = { SASL_USERNAME: saslUser.username, SASL_PASSWORD: saslUser.password }
    assert.match((await mustRun(python.program, args, { env })).stdout, /ok\n$/)
  }
  const run = (scenario: string, ...more: string[]): Promise<void> => runOn(brokers, scenario, ...more)

  describe('confluent-kafka for Python', () => {
    test('Q4 Q9 · every codec, every acknowledgement level, byte for byte', () => run('produce_consume'))
    test('X1 · idempotent producing', () => run('idempotence'))
    test('G2 G3 · classic group', () => run('groups', 'classic'))
    test('G2 G3 · consumer group (KIP-848)', () => run('groups', 'consumer'))
    test('X2 X3 X6 · transactions, offsets in them, fencing', () => run('transactions'))
    test('Q8 · admin client', () => run('admin'))
    for (const mechanism of saslBrokers.length === 0 ? [] : ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512']) {
      test(`SASL ${mechanism}: the right password gets in, a wrong one does not`, () =>
        runOn(saslBrokers, 'sasl', mechanism))
    }
  })
}
