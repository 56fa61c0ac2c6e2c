/** Options of a broker that are refused before anything starts, each with its name. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BrokerOptions, startBroker } from '../../../src/broker/index.ts'

/** As a program without types would write them. */
const refused: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  port: { port: 65_536 },
  host: { host: 0 },
  'sasl.users': { sasl: {} },
  'config.num.partitions': { config: { 'num.partitions': 3 } },
  'topics.a/b': { topics: { 'a/b': 1 } },
  tls: { tls: {} },
  logger: { logger: { error: () => undefined } },
  clock: { clock: { now: () => 0 } },
  'limits.nothing': { limits: { nothing: 1 } },
  nothing: { nothing: 1 },
}

for (const [option, options] of Object.entries(refused)) {
  test(`${option} is refused by its name`, () => assert.rejects(startBroker(options as BrokerOptions), { option }))
}

test('a name or a password that is empty does not open a broker to other machines', async () => {
  for (const users of [{ '': 'secret' }, { anna: '' }]) {
    await assert.rejects(startBroker({ host: '0.0.0.0', sasl: { users } }), { option: 'sasl.users' })
  }
})

test('whatever is not a loopback address needs users', async () => {
  for (const host of ['0.0.0.0', '::', '', '0', '127.1', '::ffff:0.0.0.0', '127.0.0.1.example', '127.0.0.1\n']) {
    await assert.rejects(startBroker({ host }), { code: 'BROKER_NEEDS_AUTHENTICATION' }, host)
  }
})

test('a certificate that is none is told as such', () =>
  assert.rejects(startBroker({ tls: { cert: 'no', key: 'no' } }), { code: 'BROKER_TLS_INVALID' }))
