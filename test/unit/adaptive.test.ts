import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { seeded } from '../../bench/offset-map-shapes.ts'
import { AdaptiveLimit, type AdaptiveOptions } from '../../src/kernel/adaptive.ts'

/**
 * A downstream that serves up to `knee` records at full speed and shares that speed among more. Closed loop: as many
 * records run as the limit (and the demand) allows. All chance is seeded.
 */
interface Downstream extends Partial<AdaptiveOptions> {
  readonly knee: (nowMs: number) => number
  readonly serviceMs?: (nowMs: number) => number
  /** Spread of the lognormal noise on each record. */
  readonly sigma?: number
  readonly demand?: (nowMs: number) => number
  readonly failure?: (nowMs: number, running: number) => number
  /** Completions are seen only at multiples of this, all at once, as a busy event loop sees them. */
  readonly tickMs?: number
  readonly seconds?: number
  readonly seed?: number
}

interface Run {
  readonly samples: readonly { readonly ms: number; readonly limit: number }[]
  readonly done: number
}

function run(downstream: Downstream): Run {
  const { knee, serviceMs = () => 10, sigma = 0.5, demand = () => 1e9, failure = () => 0, tickMs = 0 } = downstream
  const { seconds = 60, seed = 1, min = 1, max = 500, initial } = downstream
  const random = seeded(seed)
  const noise = () =>
    Math.exp(sigma * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()) - sigma ** 2 / 2)
  const adaptive = new AdaptiveLimit({ min, max, ...(initial === undefined ? {} : { initial }) })
  const samples: { ms: number; limit: number }[] = []
  // Records in service, by the amount of service after which they are done; `served` is how much each has had.
  const jobs: { until: number; since: number }[] = []
  let nowMs = 0
  let served = 0
  let done = 0
  while (nowMs < seconds * 1_000) {
    while (jobs.length < Math.min(adaptive.limit, demand(nowMs))) {
      const job = { until: served + serviceMs(nowMs) * noise(), since: nowMs }
      jobs.splice(lowerBound(jobs, job.until), 0, job)
    }
    if (jobs.length === 0) nowMs += 10
    const tickEnd = tickMs > 0 ? (Math.floor(nowMs / tickMs) + 1) * tickMs : 0
    const ended: { since: number }[] = []
    while (jobs.length > 0) {
      const rate = Math.min(1, knee(nowMs) / jobs.length)
      const endMs = nowMs + (jobs[0]!.until - served) / rate
      if (tickMs > 0 && endMs > tickEnd) break
      served = jobs[0]!.until
      nowMs = endMs
      ended.push(jobs.shift()!)
      if (tickMs === 0) break
    }
    if (tickMs > 0) {
      if (jobs.length > 0) served += (tickEnd - nowMs) * Math.min(1, knee(nowMs) / jobs.length)
      nowMs = tickEnd
    }
    let running = jobs.length + ended.length
    for (const { since } of ended) {
      adaptive.settled(nowMs - since, random() < failure(nowMs, running), running--, nowMs)
      if (!(Number.isInteger(adaptive.limit) && adaptive.limit >= min && adaptive.limit <= max))
        assert.fail('out of range')
      samples.push({ ms: nowMs, limit: adaptive.limit })
      done++
    }
  }
  return { samples, done }
}

function lowerBound(jobs: readonly { until: number }[], until: number): number {
  let low = 0
  let high = jobs.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (jobs[middle]!.until < until) low = middle + 1
    else high = middle
  }
  return low
}

/** Limits between two moments: their mean over time, and the lowest and highest. */
function between({ samples }: Run, fromS: number, toS: number): { mean: number; low: number; high: number } {
  const part = samples.filter(({ ms }) => ms >= fromS * 1_000 && ms < toS * 1_000)
  let area = 0
  for (let i = 1; i < part.length; i++) area += part[i - 1]!.limit * (part[i]!.ms - part[i - 1]!.ms)
  const limits = part.map(({ limit }) => limit)
  return {
    mean: area / (part.at(-1)!.ms - part[0]!.ms),
    low: limits.reduce((a, b) => Math.min(a, b)),
    high: limits.reduce((a, b) => Math.max(a, b)),
  }
}

function near(actual: number, wanted: number, share: number, what: string): void {
  assert.ok(
    Math.abs(actual - wanted) <= share * wanted,
    `${what}: ${actual.toFixed(1)}, wanted ${wanted} ± ${share * 100} %`,
  )
}

describe('adaptive concurrency', () => {
  test('finds the knee, from quiet to wildly noisy latency', () => {
    for (const knee of [4, 20, 80, 200]) {
      for (const sigma of [0, 0.3, 0.6, 1]) {
        const seconds = knee < 50 ? 120 : 20
        const result = run({ knee: () => knee, sigma, seconds })
        near(between(result, seconds / 3, seconds).mean, knee, 0.2, `knee ${knee}, noise ${sigma}`)
        assert.ok(result.done > 0.85 * knee * 100 * seconds, `knee ${knee}, noise ${sigma}: ${result.done} records`)
      }
    }
  })

  test('finds it from either side, and when completions come in batches', () => {
    for (const initial of [1, 500])
      near(between(run({ knee: () => 60, initial }), 20, 60).mean, 60, 0.2, `from ${initial}`)
    // A place that falls free waits for the tick, so it takes more of them to keep the downstream busy: 60 × 25 ms / 20 ms,
    // or 60 × (10 + 2.5) ms / 10 ms.
    near(between(run({ knee: () => 60, tickMs: 5 }), 20, 60).mean, 75, 0.2, 'in ticks of 5 ms')
    const allAtOnce = run({ knee: () => 60, tickMs: 25, serviceMs: () => 20, sigma: 0.1 })
    near(between(allAtOnce, 20, 60).mean, 75, 0.25, 'all at once')
  })

  test('slow handlers: 2 s each, settled within a minute', () => {
    near(between(run({ knee: () => 60, serviceMs: () => 2_000, seconds: 300 }), 60, 300).mean, 60, 0.25, 'mean')
  })

  test('follows a knee that moves', () => {
    const result = run({ knee: (ms) => (ms < 20_000 ? 40 : ms < 40_000 ? 120 : 20) })
    near(between(result, 5, 20).mean, 40, 0.2, 'at first')
    near(between(result, 23, 40).mean, 120, 0.2, 'after it rose')
    near(between(result, 43, 60).mean, 20, 0.2, 'after it fell')
  })

  test('slower records are not congestion: with no queue behind it, the limit stays', () => {
    const result = run({ knee: () => 60, serviceMs: (ms) => (ms < 20_000 ? 10 : ms < 40_000 ? 40 : 10) })
    near(between(result, 25, 40).mean, 60, 0.2, 'four times slower')
    near(between(result, 45, 60).mean, 60, 0.2, 'quick again')
  })

  test('noise alone never drives it to the minimum', () => {
    for (let seed = 1; seed <= 4; seed++) {
      const { low, mean } = between(run({ knee: () => 1e9, max: 100, sigma: 1.5, seed, seconds: 20 }), 5, 20)
      assert.ok(low > 30 && mean > 80, `seed ${seed}: mean ${mean}, low ${low}`)
    }
  })

  test('below the knee it rests at the maximum, and still notices when the downstream weakens', () => {
    const result = run({ knee: (ms) => (ms < 30_000 ? 1_000 : 15), max: 50 })
    assert.ok(between(result, 2, 30).mean > 48.4)
    near(between(result, 33, 60).mean, 15, 0.25, 'weakened')
    const slowly = run({ knee: (ms) => Math.max(15, 200 * 0.9 ** (ms / 1_000)), max: 50 })
    near(between(slowly, 40, 60).mean, 15, 0.25, 'weakened slowly')
    // Rounds of seconds: a jump of latency does not wait for the next routine look, and is answered with a large step.
    for (let seed = 1; seed <= 4; seed++) {
      const jump = { knee: (ms: number) => (ms < 103_000 ? 1_000 : 15), max: 50, serviceMs: () => 500, seconds: 300 }
      const jumped = run({ ...jump, seed })
      assert.ok(between(jumped, 20, 103).mean > 46)
      assert.ok(between(jumped, 103, 120).low <= 36, `seed ${seed}`)
      near(between(jumped, 250, 300).mean, 15, 0.3, 'weakened at once')
    }
  })

  test('a limit that is not used does not grow, nor forget what it knew', () => {
    assert.equal(between(run({ knee: () => 60, demand: () => 3 }), 0, 60).high, 10)
    const result = run({ knee: () => 60, demand: (ms) => (ms < 20_000 || ms > 40_000 ? 1e9 : 5) })
    const { low, high } = between(result, 20.5, 40)
    assert.ok(low === high && low > 40 && high < 90)
    near(between(result, 40, 60).mean, 60, 0.2, 'after the quiet time')
    const pulses = run({ knee: () => 60, demand: (ms) => (ms % 2_000 < 700 ? 1e9 : 0) })
    near(between(pulses, 20, 60).mean, 60, 0.25, 'work in pulses')
  })

  test('an error storm cuts it within a moment, and it comes back when the storm is over', () => {
    for (const rate of [0.5, 1]) {
      const result = run({ knee: () => 60, failure: (ms) => (ms > 20_000 && ms < 30_000 ? rate : 0) })
      assert.ok(between(result, 20.2, 20.4).high <= 15, `${rate}: ${between(result, 20.2, 20.4).high}`)
      assert.ok(between(result, 21, 30).high <= 3)
      near(between(result, 32, 60).mean, 60, 0.2, `after failures of ${rate}`)
    }
  })

  test('a rare failure, or one record in ten, is not a storm', () => {
    for (const rate of [0.001, 0.01, 0.1]) {
      near(between(run({ knee: () => 60, failure: () => rate }), 10, 60).mean, 60, 0.2, `failures ${rate}`)
    }
  })

  test('all records in flight lost at once: one cut, not a collapse', () => {
    const limit = new AdaptiveLimit({ min: 1, max: 100, initial: 100 })
    for (let running = 100; running > 0; running--) limit.settled(10, true, running, 1_000)
    assert.equal(limit.limit, 50)
  })

  test('a downstream that answers overload with errors is kept just below them', () => {
    const { mean } = between(run({ knee: () => 60, failure: (_ms, running) => (running > 70 ? 0.6 : 0) }), 10, 60)
    assert.ok(mean > 40 && mean < 70, `${mean}`)
  })

  test('the same inputs give the same limits', () => {
    const once = run({ knee: () => 33, seed: 7, seconds: 10 })
    assert.deepEqual(run({ knee: () => 33, seed: 7, seconds: 10 }), once)
  })

  test('min = max never moves, and nonsense is refused', () => {
    const { low, high } = between(run({ knee: () => 5, min: 8, max: 8, seconds: 5 }), 0, 5)
    assert.deepEqual([low, high], [8, 8])
    for (const [min, max] of [
      [0, 5],
      [6, 5],
      [1.5, 5],
      [1, Number.NaN],
      [1, Number.POSITIVE_INFINITY],
    ] as const) {
      assert.throws(() => new AdaptiveLimit({ min, max }), RangeError)
    }
  })

  test('latencies of zero, huge, or not a number do no harm', () => {
    const limit = new AdaptiveLimit({ min: 1, max: 50 })
    for (let i = 0; i < 20_000; i++) {
      const odd = [0, -5, 1e15, Number.NaN, Number.POSITIVE_INFINITY, 10][i % 6]!
      limit.settled(odd, i % 50 === 0, limit.limit, i)
      assert.ok(Number.isInteger(limit.limit) && limit.limit >= 1 && limit.limit <= 50)
    }
  })
})
