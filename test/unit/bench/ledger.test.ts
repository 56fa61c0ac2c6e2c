/** The ledger of the benchmarks: what a run was worth is judged from what handlers wrote, and every way of being wrong is seen. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Ledger } from '../../../bench/contenders/node/ledger.ts'
import { type Events, endBit, mergeTimed, readEvents } from '../../../bench/core/events.ts'
import { judge } from '../../../bench/core/judge.ts'
import { makePlan } from '../../../bench/core/plan.ts'
import { doneTwice } from '../../../bench/workloads/w5-straggler.ts'
import { latenciesMs } from '../../../bench/workloads/w8-latency.ts'
import { longestSilenceMs } from '../../../bench/workloads/w10-rebalance.ts'

/** `s3 e3`: record 3 starts, and ends. */
function run(text: string): Events {
  const words = text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => (word.startsWith('e') ? (Number(word.slice(1)) | endBit) >>> 0 : Number(word.slice(1))))
  return { kind: 'started and ended', words: Uint32Array.from(words), timesNs: new Float64Array() }
}

const seen = (...ids: number[]): Events => ({ kind: 'seen', words: Uint32Array.from(ids), timesNs: new Float64Array() })

/** Keys of the records 0 to 5 of one partition: 0 1 0 1 0 1, since the step of even keys is odd. */
const plan = makePlan({ records: 6, partitions: 1, keys: 2, distribution: 'even', valueBytes: 12 })

describe('the judge of the benchmarks', () => {
  test('a run in order is without fault', () => {
    assert.deepEqual([...plan.keyOfId], [0, 1, 0, 1, 0, 1])
    const verdict = judge(plan, 'key', [run('s0 s1 e1 e0 s2 s3 e3 e2 s5 s4 e5 e4')])
    assert.deepEqual(verdict, { lost: 0, reordered: 0, duplicated: 0 })
    assert.deepEqual(judge(plan, 'key', [seen(0, 1, 2, 3, 4, 5)]), { lost: 0, reordered: 0, duplicated: 0 })
  })

  test('a record that started and never ended is lost', () => {
    assert.equal(judge(plan, 'key', [run('s0 e0 s1 e1 s2 e2 s3 e3 s4 e4 s5')]).lost, 1)
  })

  test('a start before the one before it of the same key has ended is out of order; of another key it is not', () => {
    assert.equal(judge(plan, 'key', [run('s0 s2 e0 e2 s1 e1 s3 e3 s4 e4 s5 e5')]).reordered, 1)
    assert.equal(judge(plan, 'key', [seen(1, 3, 5, 0, 2, 4)]).reordered, 0)
    assert.equal(judge(plan, 'key', [seen(2, 0, 4, 1, 3, 5)]).reordered, 1)
  })

  test('with partition order, any other order of a partition is out of order; with none, nothing is', () => {
    assert.equal(judge(plan, 'partition', [seen(1, 0, 2, 3, 4, 5)]).reordered, 1)
    assert.equal(judge(plan, 'none', [seen(5, 4, 3, 2, 1, 0)]).reordered, 0)
  })

  test('a second start is a duplicate, also after a restart, and no disorder', () => {
    const restarted = [run('s0 e0 s1 e1 s2 e2'), run('s2 e2 s3 e3 s4 e4 s5 e5')]
    assert.deepEqual(judge(plan, 'key', restarted), { lost: 0, reordered: 0, duplicated: 1 })
    assert.deepEqual(doneTwice(restarted), [3, 1])
  })

  test('an event of a record that does not exist is no result', () => {
    assert.throws(() => judge(plan, 'key', [seen(6)]), /do not exist/)
  })

  test('lanes of partitions: every partition has its own order', () => {
    const wide = makePlan({ records: 40, partitions: 4, keys: 20, distribution: 'even', valueBytes: 12 })
    const ids = Array.from({ length: 40 }, (_, id) => id)
    assert.deepEqual(judge(wide, 'partition', [seen(...ids)]), { lost: 0, reordered: 0, duplicated: 0 })
    const last = wide.bases.findLast((_, at) => (wide.ends[at] ?? 0) > 1) as number
    const swapped = ids.map((id) => (id === last ? last + 1 : id === last + 1 ? last : id))
    assert.equal(judge(wide, 'partition', [seen(...swapped)]).reordered, 1)
  })
})

describe('the file of events', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fanlane-ledger-'))
  const file = join(folder, 'events')
  const ends = [3]
  test('what a ledger wrote is read back, with and without times, at the end or at once', () => {
    for (const kind of ['started and ended', 'timed'] as const) {
      for (const durable of [false, true]) {
        rmSync(file, { force: true })
        const ledger = new Ledger({ ends, events: { file, kind, durable } })
        ledger.start(2)
        ledger.end(2)
        ledger.seen(0)
        ledger.flush()
        const events = readEvents(file, kind)
        assert.deepEqual([...events.words], [2, (2 | endBit) >>> 0, 0, endBit], `${kind} ${durable}`)
        assert.equal(events.timesNs.length, kind === 'timed' ? 4 : 0)
        assert.equal(ledger.left, 1)
      }
    }
  })

  test('it grows when more comes than was expected', () => {
    rmSync(file, { force: true })
    const ledger = new Ledger({ ends, events: { file, kind: 'seen', durable: false } })
    for (let n = 0; n < 5_000; n++) ledger.seen(n % 3)
    ledger.flush()
    assert.equal(readEvents(file, 'seen').words.length, 5_000)
  })

  test('half an event, as a kill may leave it, did not happen', () => {
    writeFileSync(file, Buffer.from([1, 0, 0, 0, 2, 0]))
    assert.deepEqual([...readEvents(file, 'seen').words], [1])
    rmSync(folder, { recursive: true })
  })
})

const timed = (...events: readonly (readonly [word: number, ms: number])[]): Events => ({
  kind: 'timed',
  words: Uint32Array.from(events, ([word]) => word),
  timesNs: Float64Array.from(events, ([, ms]) => ms * 1e6),
})
const end = (id: number): number => (id | endBit) >>> 0

test('events of several processes are put in the order of their times', () => {
  const merged = mergeTimed([timed([0, 1], [end(0), 5]), timed([1, 2], [end(1), 3])])
  assert.deepEqual([...merged.words], [0, 1, end(1), end(0)])
})

test('latency is from the send to the first start, and rises', () => {
  const sent = timed([7, 10], [8, 11], [9, 12])
  const handled = timed([9, 13], [end(9), 14], [7, 30], [8, 12], [8, 50])
  assert.deepEqual([...latenciesMs(sent, handled)], [1, 1, 20])
})

test('the longest silence is that of one partition with work left, also if it is still silent at the end', () => {
  const wide = makePlan({ records: 40, partitions: 2, keys: 20, distribution: 'even', valueBytes: 12 })
  const [a, b] = wide.bases as [number, number]
  const events = timed([end(a), 10], [end(b), 11], [end(a + 1), 20], [end(b + 1), 45], [end(a + 2), 46])
  assert.equal(longestSilenceMs(wide, events, 0, 46e6), 34)
  assert.equal(longestSilenceMs(wide, events, 0, 146e6), 101)
})
