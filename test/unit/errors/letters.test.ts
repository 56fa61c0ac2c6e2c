/** Errors around dead letters that were half redriven, and of leases that end in a bad way, on the embedded broker. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBroker } from '../../../src/broker/index.ts'
import { openDeadLetterBox } from '../../../src/dead-letters/box.ts'
import { RedriveState, redriveGroup } from '../../../src/dead-letters/redrive-state.ts'
import { consume, createAdmin, createProducer } from '../../../src/index.ts'
import { notebook } from '../../e2e/support.ts'
import { until } from '../../support/wait.ts'

const dlq = 'orders.dlq'
const letter = {
  topic: dlq,
  partition: 0,
  key: 'a',
  value: 'order',
  headers: {
    'fanlane-source-topic': 'orders',
    'fanlane-source-partition': '0',
    'fanlane-source-offset': '0',
    'fanlane-source-timestamp': '1',
  },
}

/** Gaps and stretches of one or two, by a fixed rule that no encoding finds short. */
function scattered(count: number): { readonly from: number; readonly to: number }[] {
  let seed = 42
  const next = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return 1 + ((seed >>> 16) & 1)
  }
  let at = 0
  return Array.from({ length: count }, () => {
    const from = at + next()
    at = from + next()
    return { from, to: at }
  })
}

test('redriving: REDRIVE_STATE_UNREADABLE, REDRIVE_STATE_AHEAD, REDRIVE_MAP_FULL', async () => {
  await using broker = await startBroker({ topics: { orders: 1, [dlq]: 1 } })
  const { brokers } = broker
  const admin = await createAdmin({ brokers })
  const producer = await createProducer({ brokers, tune: 'throughput' })
  const box = await openDeadLetterBox({ brokers })
  const group = redriveGroup(dlq)
  const remember = (offset: number, metadata: string): Promise<unknown> =>
    admin.alterOffsets(group, [{ topic: dlq, partition: 0, offset, metadata }])
  await producer.send(letter)

  await remember(0, 'written by another tool')
  await assert.rejects(box.redrive({ topic: dlq }), { code: 'REDRIVE_STATE_UNREADABLE' })
  await remember(5, '')
  await assert.rejects(box.redrive({ topic: dlq }), { code: 'REDRIVE_STATE_AHEAD' })

  // As many letters went alone as fit into a commit; then one more, far from the others.
  const empty = RedriveState.read({ offset: 0, metadata: '' }, 0)
  let [fits, full] = [1, 100_000]
  const stretches = scattered(full)
  while (full - fits > 1) {
    const middle = (fits + full) >>> 1
    if (empty.with(stretches.slice(0, middle)).metadata === null) full = middle
    else fits = middle
  }
  const state = empty.with(stretches.slice(0, fits))
  const place = stretches[full]?.from ?? 0
  const filler = { topic: dlq, partition: 0, value: '' }
  await producer.send(Array.from({ length: place - 1 }, () => filler))
  const [there] = await producer.send(letter)
  assert.equal(there?.offset, place)
  await remember(state.position, state.metadata ?? '')
  await assert.rejects(box.redrive({ topic: dlq, at: { partition: 0, offset: place } }), { code: 'REDRIVE_MAP_FULL' })

  await box.close()
  await producer.close()
  await admin.close()
})

/** What the signal of the first handler says. */
async function abortedWith(
  delivery: 'at-least-once' | 'exactly-once',
  strike: (broker: Awaited<ReturnType<typeof startBroker>>) => void,
): Promise<string> {
  await using broker = await startBroker({ topics: { orders: 1, invoices: 1 } })
  const { brokers } = broker
  await using producer = await createProducer({ brokers })
  await producer.send([0, 1].map((n) => ({ topic: 'orders', key: `customer-${n}`, value: 'order' })))
  const said: string[] = []
  let begun = 0
  const consumer = await consume({
    brokers,
    group: 'billing',
    topics: ['orders'],
    delivery,
    logger: notebook(),
    handle: async (record, ctx) => {
      begun++
      if (record.offset !== 0 || said.length > 0) return ctx.send({ topic: 'invoices', value: 'invoice' })
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }))
      said.push((ctx.signal.reason as { code: string }).code)
      throw ctx.signal.reason
    },
  })
  await until('a handler runs', () => begun > 0)
  strike(broker)
  await until('it is told to stop', () => said.length > 0)
  await consumer.idle()
  await consumer.close()
  return said[0] ?? ''
}

test('ABORTED_LOST: the session expired while a handler ran', async () => {
  assert.equal(await abortedWith('at-least-once', ({ faults }) => faults.expireSession('billing')), 'ABORTED_LOST')
})

test('ABORTED_RENEWED: the end of a transaction got lost while another handler ran', async () => {
  const code = await abortedWith('exactly-once', ({ faults }) => {
    faults.inject({ api: 'EndTxn', drop: 'after', times: 50 })
    setTimeout(() => faults.clear(), 3_000).unref()
  })
  assert.equal(code, 'ABORTED_RENEWED')
})
