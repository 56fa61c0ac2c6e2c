/** Reading what others write in transactions: committed, aborted, still open, and offsets that are part of one. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Target, unique } from '../support/targets.ts'
import { until, within } from '../support/wait.ts'
import { Ledger } from './support/ledger.ts'
import { RawKafka } from './support/raw-kafka.ts'
import { RawTransactions } from './support/raw-transactions.ts'
import { read } from './support/reader.ts'
import { watchCommits } from './support/watch.ts'

/** The same numbers every time. */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % sides
  }
}

interface Written {
  readonly all: string[]
  readonly committed: string[]
  /** A transaction that has not ended, and the offset of its first record. */
  readonly open: { readonly transaction: RawTransactions; readonly from: number }
}

/** Five producers whose transactions overlap, plain records between them, and one transaction that stays open behind them. */
async function interleave(raw: RawKafka, topic: string, steps: number): Promise<Written> {
  const roll = dice(42)
  const all: string[] = []
  const committed: string[] = []
  const producers = await Promise.all(
    Array.from({ length: 5 }, async () => ({
      transactions: await RawTransactions.init(raw, unique('tx')),
      pending: [] as string[],
    })),
  )
  const make = (count: number, what: string): { key: string; value: string }[] =>
    Array.from({ length: count }, () => {
      const value = `${what}-${all.length}`
      all.push(value)
      return { key: `k${all.length % 5}`, value }
    })
  for (let step = 0; step < steps; step++) {
    const who = roll(6)
    const producer = producers[who]
    if (producer === undefined) {
      const records = make(1 + roll(2), 'plain')
      await raw.produce(topic, 0, records)
      committed.push(...records.map(({ value }) => value))
      continue
    }
    if (producer.pending.length > 0 && roll(3) === 0) {
      const isCommit = roll(2) === 0
      await producer.transactions.end(isCommit)
      if (isCommit) committed.push(...producer.pending)
      producer.pending.length = 0
      continue
    }
    const records = make(1 + roll(3), `tx${who}`)
    await producer.transactions.write(topic, 0, records)
    producer.pending.push(...records.map(({ value }) => value))
  }
  for (const [index, { transactions, pending }] of producers.entries()) {
    if (pending.length === 0) continue
    await transactions.end(index % 2 === 0)
    if (index % 2 === 0) committed.push(...pending)
  }
  const transaction = await RawTransactions.init(raw, unique('open'))
  const from = await transaction.write(topic, 0, make(2, 'open'))
  await raw.produce(topic, 0, make(2, 'behind'))
  return { all, committed, open: { transaction, from } }
}

export function transactions(target: Target): void {
  let raw: RawKafka
  before(async () => {
    raw = await RawKafka.connect(target.brokers)
  })
  after(() => raw[Symbol.asyncDispose]())

  const { brokers } = target
  const values = (ledger: Ledger): readonly string[] => ledger.of('end').map(({ value }) => String(value))

  for (const partitionMaxBytes of [150, 700, 2 ** 20]) {
    test(`X6 I7 · interleaved transactions in answers of ${partitionMaxBytes} bytes: committed ones only, to the last`, async (t) => {
      const topic = unique('ledger')
      const group = unique('group')
      await raw.createTopic(topic, 1)
      const { committed, open } = await interleave(raw, topic, 120)
      const ledger = new Ledger()
      const watch = watchCommits(raw, group, ledger, true)
      const options = { brokers, group, topics: [topic], client: { partitionMaxBytes } }
      const { consumer } = await read(t, ledger, options)
      await within('idle', consumer.idle())
      assert.deepEqual(values(ledger).toSorted(), committed.toSorted())
      ledger.assertKeyOrder()
      const end = await raw.position(group, topic, 0)
      assert.ok(end <= open.from, 'what is open, and what stands behind it, waits')
      await open.transaction.end(false)
      await until('what stood behind it is read', () => values(ledger).length === committed.length + 2)
      assert.ok(values(ledger).every((value) => !value.startsWith('open')))
      // The marker is the last thing in the log: the position passes it.
      await within('idle', consumer.idle())
      assert.equal(await raw.position(group, topic, 0), open.from + 5)
      await watch.stop()
    })
  }

  test('X6 · a restart in the middle: aborted records before and behind the position stay out', async (t) => {
    const topic = unique('ledger')
    const group = unique('group')
    await raw.createTopic(topic, 1)
    const { committed, open } = await interleave(raw, topic, 120)
    await open.transaction.end(true)
    const ledger = new Ledger()
    const options = { brokers, group, topics: [topic], client: { partitionMaxBytes: 200 } }
    for (let round = 0; ; round++) {
      const seen = values(ledger).length
      const { consumer } = await read(t, ledger, { ...options, member: `round ${round}`, limits: { records: 10 } })
      await until('some more', () => values(ledger).length >= Math.min(seen + 20, committed.length + 4))
      await consumer.close()
      if (values(ledger).length >= committed.length + 4) break
    }
    const found = values(ledger)
    assert.equal(found.length, committed.length + 4, 'each once')
    assert.deepEqual(found.filter((value) => !/^open|^behind/.test(value)).toSorted(), committed.toSorted())
  })

  test('X6 · read_uncommitted sees everything, what is aborted and what is open too', async (t) => {
    const topic = unique('ledger')
    await raw.createTopic(topic, 1)
    const { all, open } = await interleave(raw, topic, 60)
    const ledger = new Ledger()
    const { consumer } = await read(t, ledger, {
      brokers,
      group: unique('group'),
      topics: [topic],
      isolation: 'read_uncommitted',
    })
    await within('idle', consumer.idle())
    assert.deepEqual(values(ledger).toSorted(), all.toSorted())
    await open.transaction.end(false)
  })

  for (const isCommit of [true, false]) {
    test(`X8 · offsets in a transaction that is open are waited for, until it is ${isCommit ? 'committed' : 'aborted'}`, async (t) => {
      const topic = unique('orders')
      const group = unique('group')
      await raw.createTopic(topic, 1)
      await raw.fill(topic, 0, 20)
      await raw.store(group, [{ topic, partition: 0, position: 3, metadata: '' }])
      const previous = await RawTransactions.init(raw, unique('previous'))
      await previous.storeOffset(group, { topic, partition: 0, position: 12, metadata: '' })
      const ledger = new Ledger()
      const waiting = await read(t, ledger, { brokers, group, topics: [topic], member: 'waiting' })
      await until('it has the partition', () => waiting.held.size === 1)
      // Somebody who does not have to wait reads all of it meanwhile.
      const free = await read(t, ledger, { brokers, group: unique('group'), topics: [topic], member: 'free' })
      await within('idle', free.consumer.idle())
      assert.deepEqual(ledger.of('start', { member: 'waiting' }), [])
      await previous.end(isCommit)
      await within('idle', waiting.consumer.idle())
      const offsets = ledger.of('end', { member: 'waiting' }).map(({ offset }) => offset)
      const first = isCommit ? 12 : 3
      assert.deepEqual([Math.min(...offsets), offsets.length], [first, 20 - first])
    })
  }
}
