/** The pure parts of the benchmarks that make numbers: statistics, chance, plans of topics, the model of scaling. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { markdownTable, replaceBetween } from '../../../bench/core/marks.ts'
import { basesOf, idealMs, longestLane, makePlan, type Shape, writeValue } from '../../../bench/core/plan.ts'
import { randomOf, zipfOf } from '../../../bench/core/random.ts'
import { percentile, ratioOf, shown, shownSpread, spreadOf } from '../../../bench/core/stats.ts'
import { classicRebalance } from '../../../bench/scaling/groups.ts'
import { type Costs, needOf } from '../../../bench/scaling/model.ts'
import { commitRows } from '../../../bench/scaling/traffic.ts'

describe('statistics', () => {
  test('median, smallest and largest; nothing of nothing', () => {
    assert.deepEqual(spreadOf([3, 1, 2]), { median: 2, min: 1, max: 3, rounds: 3 })
    assert.deepEqual(spreadOf([4, 1, 2, 3]), { median: 2.5, min: 1, max: 4, rounds: 4 })
    assert.equal(spreadOf([]), null)
    assert.equal(spreadOf([Number.NaN]), null)
  })

  test('percentiles are values that were measured', () => {
    const values = Array.from({ length: 1_000 }, (_, n) => n + 1)
    assert.equal(percentile(values, 0.5), 500)
    assert.equal(percentile(values, 0.99), 990)
    assert.equal(percentile(values, 0.999), 999)
    assert.equal(percentile(values, 1), 1_000)
    assert.ok(Number.isNaN(percentile([], 0.5)))
  })

  test('ratios are taken round by round, without the rounds in which one failed', () => {
    assert.deepEqual(ratioOf([10, null, 30], [5, 5, 10]), { median: 2.5, min: 2, max: 3, rounds: 2 })
    assert.equal(ratioOf([1], []), null)
    assert.equal(ratioOf([1], [0]), null)
  })

  test('numbers are shown with the digits that matter', () => {
    assert.deepEqual([1_234_567.8, 45.67, 1.234, 0.5, 7].map(shown), ['1,234,568', '45.7', '1.23', '0.5', '7'])
    assert.equal(shownSpread(spreadOf([1, 2, 3])), '2 (1–3)')
    assert.equal(shownSpread(spreadOf([2])), '2')
    assert.equal(shownSpread(null), '–')
  })
})

describe('chance', () => {
  test('the same seed gives the same numbers, from 0 up to 1', () => {
    const [a, b] = [randomOf(7), randomOf(7)]
    for (let n = 0; n < 1_000; n++) {
      const value = a()
      assert.equal(value, b())
      assert.ok(value >= 0 && value < 1)
    }
  })

  test('Zipf: the first key has 1 ÷ H of all, the second half of that, and every key may come', () => {
    const draw = zipfOf(100, 1, randomOf(1))
    const counts = new Array<number>(100).fill(0)
    const draws = 200_000
    for (let n = 0; n < draws; n++) {
      const key = draw()
      counts[key] = counts[key]! + 1
    }
    const harmonic = counts.reduce((sum, _, key) => sum + 1 / (key + 1), 0)
    for (const key of [0, 1, 9]) {
      const wanted = draws / harmonic / (key + 1)
      assert.ok(Math.abs(counts[key]! - wanted) < wanted * 0.1, `key ${key}: ${counts[key]}, not near ${wanted}`)
    }
    assert.ok(counts.every((count) => count > 0))
  })
})

describe('the plan of a topic', () => {
  const shape: Shape = { records: 1_000, partitions: 4, keys: 50, distribution: 'zipf', valueBytes: 100 }

  test('an id is the first of its partition plus the offset, and every id comes once', () => {
    const plan = makePlan(shape)
    const offsets = [0, 0, 0, 0]
    for (let n = 0; n < shape.records; n++) {
      const partition = plan.partitionOfKey[plan.keyOf[n]!]!
      assert.equal(plan.idOf[n], plan.bases[partition]! + offsets[partition]!)
      offsets[partition] = offsets[partition]! + 1
      assert.equal(plan.keyOfId[plan.idOf[n]!], plan.keyOf[n])
    }
    assert.deepEqual(offsets, plan.ends)
    assert.deepEqual(plan.bases, basesOf(plan.ends))
    assert.equal(new Set(plan.idOf).size, shape.records)
  })

  test('records of a key are numbered in the order of their offsets', () => {
    const plan = makePlan(shape)
    const next = new Map<number, number>()
    for (let id = 0; id < shape.records; id++) {
      const key = plan.keyOfId[id]!
      assert.equal(plan.seqOfId[id], next.get(key) ?? 0)
      next.set(key, (next.get(key) ?? 0) + 1)
    }
  })

  test('even keys come equally often, distinct ones once; a value bears id, key and sequence', () => {
    const even = makePlan({ ...shape, distribution: 'even' })
    assert.equal(longestLane(even, 'key'), 20)
    assert.equal(longestLane(makePlan({ ...shape, distribution: 'distinct' }), 'key'), 1)
    assert.equal(longestLane(even, 'none'), 1)
    assert.equal(longestLane(even, 'partition'), Math.max(...even.ends))
    const value = Buffer.alloc(100)
    writeValue(value, even, 77)
    assert.deepEqual(
      [0, 4, 8].map((at) => value.readUInt32LE(at)),
      [77, even.keyOfId[77], even.seqOfId[77]],
    )
  })

  test('the ideal is bound by concurrency, or by the longest lane', () => {
    const even = makePlan({ ...shape, distribution: 'even' })
    assert.equal(idealMs(even, 'key', 10, 5), 500)
    assert.equal(idealMs(even, 'key', 1_000, 5), 100)
    assert.equal(idealMs(even, 'none', 1_000, 5), 5)
  })
})

describe('the model of scaling', () => {
  const costs: Costs = {
    ownUs: 3,
    handlerUs: 4,
    handlerMs: 0,
    concurrency: 1_000,
    recordBytes: 1_000,
    commitBytes: 20,
    commitMs: 1_000,
    busyShare: 0.7,
    partitionBytesPerSecond: 10e6,
  }

  test('bound by CPU: 0.7 s of a second, 7 µs each; partitions for the bytes', () => {
    const need = needOf(1e6, costs)
    assert.equal(Math.round(need.perInstance), 100_000)
    assert.deepEqual([need.bound, need.instances, need.partitions, need.partitionsFor], ['CPU', 10, 100, 'bytes'])
    assert.equal(need.commitBytesPerSecond, 2_000)
    assert.equal(need.inFlight, 0)
  })

  test('bound by concurrency: handlers that wait long; partitions for the instances', () => {
    const need = needOf(1e6, { ...costs, handlerMs: 1_000 })
    assert.deepEqual([need.bound, need.instances, need.partitions], ['concurrency', 1_000, 1_000])
    assert.equal(need.partitionsFor, 'instances')
    assert.equal(need.inFlight, 1e6)
  })

  test('ten times the stream needs ten times of everything', () => {
    const [small, large] = [needOf(1e6, costs), needOf(1e7, costs)]
    assert.equal(large.instances, small.instances * 10)
    assert.equal(large.inBytesPerSecond, small.inBytesPerSecond * 10)
  })

  test('a group of fifty members forms in the simulated coordinator, and everybody is assigned', async () => {
    const row = await classicRebalance({ members: 50, partitions: 500 })
    assert.equal(row.failed, null)
    assert.ok(row.leaderInBytes > 50 * 40 && row.leaderOutBytes > 50 * 40)
  })

  test('a larger map weighs more, up to its limit', () => {
    const rows = commitRows()
    assert.equal(rows[0]!.chars, 0)
    assert.equal(rows.at(-1)!.chars, 4_000)
    for (const [at, row] of rows.entries()) {
      if (at > 0) assert.ok(row.bytesPerPartition > rows[at - 1]!.bytesPerPartition, row.map)
    }
  })
})

test('tables go between their marks, again and again, and nowhere else', () => {
  const page = 'before\n<!-- a -->\nold\n<!-- /a -->\nafter\n'
  const table = markdownTable(['x'], [['1']])
  const once = replaceBetween(page, 'a', table)
  assert.equal(once, 'before\n<!-- a -->\n| x |\n|---|\n| 1 |\n<!-- /a -->\nafter\n')
  assert.equal(replaceBetween(once, 'a', table), once)
  assert.throws(() => replaceBetween(page, 'b', ''), /no place for b/)
})
