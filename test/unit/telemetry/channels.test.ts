/** What tools see that subscribe to a process from outside the program. */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { test } from 'node:test'
import { consume } from '../../../src/index.ts'
import type { ObservedMessage, SettledMessage, SubmittedMessage } from '../../../src/telemetry/channels.ts'
import { MemoryLog } from '../../../src/testing/index.ts'
import { notebook } from '../../e2e/support.ts'

test('P9 · every record is seen going to the engine and coming back, and what is committed', async () => {
  const submitted: number[] = []
  const settled: string[] = []
  const seen: string[] = []
  const listeners: Record<string, (message: unknown) => void> = {
    'fanlane:submitted': (message) =>
      submitted.push(...(message as SubmittedMessage).works.map(({ offset }) => offset)),
    'fanlane:settled': (message) =>
      settled.push(...(message as SettledMessage).completions.map(({ offset, status }) => `${offset} ${status}`)),
    'fanlane:commit': (message) => seen.push(`commit of ${(message as ObservedMessage).group}`),
    'fanlane:rebalance': (message) => seen.push((message as ObservedMessage).observation.kind),
  }
  for (const [name, listener] of Object.entries(listeners)) subscribe(name, listener)
  const log = new MemoryLog({ t: 1 })
  for (let n = 0; n < 3; n++) log.append('t', { key: `${n}`, value: `${n}` })
  const consumer = await consume({
    log,
    group: 'g',
    topics: ['t'],
    logger: notebook(),
    retry: { initialMs: 0 },
    handle: ({ offset }, { attempt }) => {
      if (offset === 1 && attempt === 1) throw new Error('once')
    },
  })
  await consumer.idle()
  await consumer.close()
  for (const [name, listener] of Object.entries(listeners)) unsubscribe(name, listener)
  assert.deepEqual(submitted.sort(), [0, 1, 1, 2])
  assert.deepEqual(settled.sort(), ['0 done', '1 done', '1 failed', '2 done'])
  assert.equal(seen[0], 'assigned')
  assert.ok(seen.includes('commit of g'))
})
