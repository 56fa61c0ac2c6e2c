/**
 * Adaptive concurrency: a limit that finds the knee of whatever the handlers call, by trying.
 *
 * A limit is held for a round: first every record that started under the old limit must end, then latencies are averaged.
 * The round is compared with the one before. If the limit went up by a step and latency rose by most of that step, the
 * added records only waited in a queue (Little's law: throughput = running / latency): so down. If latency hardly moved,
 * they did useful work: so up. The same question answers a step down. Thus only two neighbouring rounds are compared, and
 * there is no remembered "unloaded latency" that goes stale when the downstream or the records change. Steps grow while
 * the direction holds and shrink to their square root when it turns, so the limit closes in and then keeps
 * breathing around the knee, which is how it notices when the knee moves.
 *
 * Failures speak louder: a quarter of one round's records failed = cut at once, again for every such quarter. A rare
 * failure says nothing about load. Why not Vegas or Gradient2: docs/adr/0005-adaptive-concurrency.md.
 */
export interface AdaptiveOptions {
  readonly min: number
  readonly max: number
  readonly initial?: number
}

/** Where to begin when nothing is known. */
const INITIAL = 10
const STEP_MIN = 1.15
const STEP_MAX = 2
/** A round ends when the mean is known this well (standard error of the logarithm) … */
const ERROR_WANTED = 0.03
/** … but not before it has this many samples and this much time, and not long after this many. */
const SAMPLES_MIN = 20
const SAMPLES_MAX = 500
const ROUND_MS_MIN = 20
/** Below this the clock's own grain would be measured. */
const LATENCY_MS_MIN = 0.05
const FAILURES_MIN = 4
const FAILED_SHARE = 0.25
const CUT = 0.6
/** At an end of the range only every so many rounds are spent on looking whether the other side is better. */
const ROUNDS_AT_END = 8

export class AdaptiveLimit {
  readonly #min: number
  readonly #max: number
  #limit: number
  #direction: 1 | -1 = 1
  #step = STEP_MAX
  /** Steps in this direction so far. */
  #streak = 0
  #restRounds = 0
  /** The round before: its limit and mean log latency; 0 = none to compare with. */
  #lastLimit = 0
  #lastLatency = 0
  /** This round. */
  #toSkip = 0
  #samples = 0
  #sum = 0
  #sumOfSquares = 0
  #running = 0
  #peak = 0
  #startedMs: number = Number.NaN
  /** Failures among the last records, counted apart from rounds, which are too slow for a storm. */
  #settled = 0
  #failed = 0

  constructor({ min, max, initial = INITIAL }: AdaptiveOptions) {
    if (!(Number.isInteger(min) && Number.isInteger(max) && 1 <= min && min <= max)) {
      throw new RangeError(`adaptive concurrency: need integers 1 <= min <= max, got { min: ${min}, max: ${max} }`)
    }
    this.#min = min
    this.#max = max
    this.#limit = this.#clamped(initial)
  }

  get limit(): number {
    return this.#limit
  }

  /** One finished handler. `running` counts it too. */
  settled(latencyMs: number, failed: boolean, running: number, nowMs: number): void {
    if (this.#stormy(failed)) {
      this.#cut(nowMs)
      return
    }
    if (this.#toSkip > 0) {
      this.#toSkip--
      return
    }
    if (Number.isNaN(this.#startedMs)) this.#startedMs = nowMs
    this.#running += running
    if (running > this.#peak) this.#peak = running
    // Failures are often quick, or exactly as long as the timeout: neither is the downstream's latency.
    if (!failed) {
      const log = Math.log(Math.max(latencyMs, LATENCY_MS_MIN))
      this.#samples++
      this.#sum += log
      this.#sumOfSquares += log * log
    }
    if (this.#roundIsOver(nowMs)) this.#decide()
  }
}
