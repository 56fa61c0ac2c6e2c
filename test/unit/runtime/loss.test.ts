/**
 * Partitions that are gone already: a session that ran out, a process that was asleep. Nobody waits for us then, but whoever
 * listens for 'revoked' must be able to rely on it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryClient } from '../../../src/clients/memory/memory-client.ts'
import { MemoryLog } from '../../../src/clients/memory/memory-log.ts'
import { compose } from '../../../src/compose.ts'
import type { LogClientListener } from '../../../src/ports/log-client.ts'
import { SystemClock } from '../../../src/system-clock.ts'
import { notebook, turns } from '../../e2e/support.ts'
import { until } from '../../support/wait.ts'

class LosingClient extends MemoryClient {
  listener: LogClientListener | null = null

  override start(listener: LogClientListener): Promise<void> {
    this.listener = listener
    return super.start(listener)
  }
}

test("I11 · no handler starts after 'revoked' was told of a partition that is lost, whatever waits in the mailbox", async () => {
  const clock = new SystemClock()
  const log = new MemoryLog({ t: 1 })
  for (let number = 0; number < 10; number++) log.append('t', { key: `k${number}`, value: `${number}` })
  const client = new LosingClient({ log, group: 'g', topics: ['t'], startFrom: 'earliest', clock })
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const story: string[] = []
  const { consumer, start } = compose(
    {
      group: 'g',
      topics: ['t'],
      concurrency: 1,
      logger: notebook(),
      handle: async () => {
        story.push('start')
        await gate
      },
    },
    { clock, client },
  )
  consumer.on('revoked', () => {
    story.push('revoked')
  })
  await start()
  await until('the first one runs', () => story.length === 1)
  // The end of the first handler and the loss come in the same turn, in this order.
  open()
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
  client.listener?.lost([{ topic: 't', partition: 0 }])
  await until('it is told', () => story.includes('revoked'))
  await turns()
  assert.equal(story.at(-1), 'revoked', story.join())
  assert.equal(story.filter((each) => each === 'start').length, 2, 'the end came first, and made room for one more')
  await consumer.close()
})
