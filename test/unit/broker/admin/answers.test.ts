/**
 * Administration, answer by answer: the same requests were sent to Apache Kafka 4.1.1 (capture.ts), and this broker has to
 * say the same, field by field, error messages included.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { startBroker } from '../../../../src/broker/index.ts'
import { RawClient } from '../../../support/raw-client.ts'
import { scripts } from './scripts/all.ts'
import { Conversation, type Line } from './transcript.ts'

/** Defaults that are made for several machines, and what is right for one. */
const otherDefaults: Readonly<Record<string, string>> = {
  'group.initial.rebalance.delay.ms': '0',
  'offsets.topic.num.partitions': '1',
  'offsets.topic.replication.factor': '1',
  'transaction.state.log.min.isr': '1',
  'transaction.state.log.num.partitions': '1',
  'transaction.state.log.replication.factor': '1',
}

function expected(name: string): Line[] {
  const lines: Line[] = JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', `${name}.json`), 'utf8'))
  if (name !== 'broker-table') return lines
  return lines.map(({ say, answer }) => ({
    say,
    answer: (answer as { name: string; default: string }[]).map((key) => ({
      ...key,
      default: otherDefaults[key.name] ?? key.default,
    })),
  }))
}

describe('Q8 · administration answers as Apache Kafka does', () => {
  for (const [name, script] of Object.entries(scripts)) {
    test(name, async () => {
      await using broker = await startBroker()
      const client = await RawClient.connect(broker.brokers[0]!)
      const conversation = new Conversation(client)
      await script(conversation)
      await client.close()
      const answers: Line[] = JSON.parse(JSON.stringify(conversation.lines))
      const wanted = expected(name)
      for (const [i, line] of answers.entries()) assert.deepEqual(line, wanted[i])
      assert.equal(answers.length, wanted.length)
    })
  }
})
