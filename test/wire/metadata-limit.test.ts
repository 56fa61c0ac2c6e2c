/** A broker that takes little metadata: maps shrink until they fit, and what does not fit is run again, never lost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBroker } from '../../src/broker/index.ts'
import { until, within } from '../support/wait.ts'
import { Ledger, mapOf } from './support/ledger.ts'
import { RawKafka } from './support/raw-kafka.ts'
import { read } from './support/reader.ts'

for (const limit of [0, 40, 90]) {
  test(`P6 I10 · offset.metadata.max.bytes=${limit}: the position is committed, with as much of the map as fits`, async (t) => {
    await using broker = await startBroker({
      topics: { orders: 1 },
      config: { 'offset.metadata.max.bytes': String(limit), 'group.initial.rebalance.delay.ms': '0' },
    })
    await using raw = await RawKafka.connect(broker.brokers)
    const count = 1_500
    await raw.fill('orders', 0, count, count)
    const ledger = new Ledger()
    const isHeld = (offset: number): boolean => offset === 0 || scattered(offset)
    const held = Promise.withResolvers<void>()
    const options = { brokers: broker.brokers, group: 'g', topics: ['orders'], concurrency: 2_000 }
    const first = await read(t, ledger, {
      ...options,
      closeMs: 500,
      work: ({ offset }) => (isHeld(offset) ? held.promise : undefined),
    })
    const open = Array.from({ length: count }, (_, offset) => offset).filter(isHeld)
    await until('all others are done', () => ledger.ended('orders', 0).size === count - open.length)
    const stored = await until('a commit', async () => (await raw.stored('g'))[0])
    assert.equal(stored.position, 0)
    assert.ok((stored.metadata?.length ?? 0) <= limit)
    await first.consumer.close()
    const refused = first.notes.lines.filter(({ message }) => message === 'map-refused')
    assert.ok(refused.length > 0, 'and it was said')
    const kept = (await raw.stored('g'))[0]
    const claimed = new Set(mapOf(0, kept?.metadata ?? null))
    if (limit === 0) assert.equal(kept?.metadata, '')
    else assert.ok(claimed.size > 0, 'something of the map is kept')
    ledger.assertHonest(kept === undefined ? [] : [kept])
    const second = await read(t, ledger, { ...options, member: 'second' })
    await within('idle', second.consumer.idle())
    const again = ledger.of('start', { member: 'second' }).map(({ offset }) => offset)
    assert.equal(again.length, count - claimed.size)
    assert.ok(again.every((offset) => !claimed.has(offset)))
  })
}

/** Half of all offsets, without a pattern that an encoding could use: the map of all is over 100 characters. */
function scattered(offset: number): boolean {
  const mixed = Math.imul(offset ^ (offset >>> 7), 0x2c1b_3c6d)
  return (Math.imul(mixed ^ (mixed >>> 12), 0x297a_2d39) & 0x10000) === 0
}
