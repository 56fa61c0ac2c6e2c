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
 * Failures speak louder: a third of one generation of records failed = half the limit, at once. A rare failure says
 * nothing about load. Why not Vegas or Gradient2: docs/adr/0005-adaptive-concurrency.md.
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
/** The smallest step, as a logarithm, that is more than noise. */
const STEP_TELLING = 0.07
/** A round ends when the mean log latency is known to this part of the step (standard error): large steps need little … */
const ERROR_WANTED = 0.2
/** … but not before it has seen so many records and so much time, and not long after so many. */
const SAMPLES_MIN = 20
const SAMPLES_MAX = 500
const ROUND_MS_MIN = 20
/** Below this the clock's own grain would be measured. */
const LATENCY_MS_MIN = 0.05
/** At an end of the range only every so many rounds are spent on looking whether the inside is better … */
const ROUNDS_AT_END = 8
/** … or at once when latency jumped by so much more than the step (natural logarithms). */
const JUMP = 0.15
/** Failures are judged over one generation of records, or so many: fewer could be bad luck. */
const JUDGED_MIN = 60
const FAILED_SHARE = 1 / 3
const CUT = 0.5

export class AdaptiveLimit {
  readonly #min: number
  readonly #max: number
  #limit: number
  #direction: 1 | -1 = 1
  #step = STEP_MAX
  /** Steps in this direction since it last turned. */
  #streak = 0
  #roundsAtEnd = 0
  /** The round before: its limit and its mean log latency. Limit 0: there is nothing to compare with. */
  #lastLimit = 0
  #lastLatency = 0

  /** This round. `toSkip` records started under an earlier limit and would blur it. */
  #toSkip = 0
  #settled = 0
  #running = 0
  #peak = 0
  #samples = 0
  #sum = 0
  #sumOfSquares = 0
  #startedMs: number = Number.NaN

  /** Failures, apart from rounds, which are too slow for a storm. */
  #toForgive = 0
  #judged = 0
  #failed = 0

  constructor({ min, max, initial = INITIAL }: AdaptiveOptions) {
    if (!(Number.isInteger(min) && Number.isInteger(max) && min >= 1 && min <= max && Number.isFinite(initial))) {
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
    if (this.#isStorm(failed)) {
      this.#cut(running)
    } else if (this.#toSkip > 0) {
      this.#toSkip--
    } else {
      if (this.#settled++ === 0) this.#startedMs = nowMs
      this.#running += running
      if (running > this.#peak) this.#peak = running
      // Failures are often quick, or exactly as long as a timeout: neither is the downstream's latency.
      if (!failed && latencyMs < Number.POSITIVE_INFINITY) this.#sample(latencyMs)
      if (this.#isKnown() && nowMs - this.#startedMs >= ROUND_MS_MIN) this.#endRound()
    }
  }

  #sample(latencyMs: number): void {
    // Logarithms, because latencies are skewed: one slow record must not outweigh a hundred ordinary ones.
    const log = Math.log(Math.max(latencyMs, LATENCY_MS_MIN))
    this.#samples++
    this.#sum += log
    this.#sumOfSquares += log * log
  }

  /** At least one generation of records, and until chance has averaged out. */
  #isKnown(): boolean {
    if (this.#samples < SAMPLES_MIN || this.#samples < this.#limit) return false
    if (this.#samples >= SAMPLES_MAX) return true
    const mean = this.#sum / this.#samples
    const variance = Math.max(0, this.#sumOfSquares / this.#samples - mean * mean)
    const step = Math.log(Math.max(this.#step, 1 + 1 / this.#limit))
    return variance <= this.#samples * (ERROR_WANTED * step) ** 2
  }

  #endRound(): void {
    const { limit } = this
    const latency = this.#sum / this.#samples
    // Latency says nothing about a limit that was not used. The mean may be as low as half: a batch of completions that
    // arrives at once counts running down before the free places are filled.
    const used = this.#peak >= 0.9 * limit && this.#running >= 0.5 * limit * this.#settled
    if (used) this.#compare(latency)
    this.#lastLimit = used ? limit : 0
    this.#lastLatency = latency
    this.#startRound(limit === this.#limit ? 0 : limit)
  }

  #compare(latency: number): void {
    const known = this.#lastLimit !== 0
    const taken = known ? Math.log(this.#limit / this.#lastLimit) : 0
    const rise = known ? latency - this.#lastLatency : 0
    // More than the step can explain: the world has changed.
    const shaken = Math.abs(rise) > Math.abs(taken) + JUMP
    // Which part of the step came back as latency? All of it beyond the knee, nothing below. A step that an end of the
    // range has cut short tells nothing.
    if (Math.abs(taken) >= STEP_TELLING) this.#head(rise / taken < 0.5 ? 1 : -1)
    const end = this.#direction > 0 ? this.#max : this.#min
    if (this.#limit === end) {
      if (++this.#roundsAtEnd < ROUNDS_AT_END && !shaken) return
      this.#head(this.#direction > 0 ? -1 : 1)
    }
    // Small steps would take long to catch up.
    if (shaken) this.#step = Math.max(this.#step, Math.SQRT2)
    this.#roundsAtEnd = 0
    this.#limit = this.#next()
  }

  #head(direction: 1 | -1): void {
    if (direction === this.#direction) {
      if (++this.#streak >= 4) this.#step = Math.min(STEP_MAX, this.#step ** 1.5)
    } else {
      this.#direction = direction
      this.#streak = 0
      this.#step = Math.max(STEP_MIN, Math.sqrt(this.#step))
    }
  }

  #next(): number {
    const { limit } = this
    if (this.#direction > 0) return this.#clamped(Math.max(limit + 1, limit * this.#step))
    return this.#clamped(Math.min(limit - 1, limit / this.#step))
  }

  #clamped(limit: number): number {
    return Math.min(this.#max, Math.max(this.#min, Math.round(limit)))
  }

  #startRound(toSkip: number): void {
    this.#toSkip = toSkip
    this.#settled = 0
    this.#running = 0
    this.#peak = 0
    this.#samples = 0
    this.#sum = 0
    this.#sumOfSquares = 0
  }

  /** A third of one generation of records failed. What was in flight at the last cut has been judged with it. */
  #isStorm(failed: boolean): boolean {
    if (this.#toForgive > 0) {
      this.#toForgive--
      return false
    }
    const generation = Math.max(JUDGED_MIN, this.#limit)
    this.#judged++
    if (failed) this.#failed++
    const storm = this.#failed >= FAILED_SHARE * generation
    if (storm || this.#judged >= generation) {
      this.#judged = 0
      this.#failed = 0
    }
    return storm
  }

  #cut(running: number): void {
    this.#limit = this.#clamped(this.#limit * CUT)
    this.#toForgive = running
    // What was learned before the storm is void. The way back is up, in large steps.
    this.#lastLimit = 0
    this.#direction = 1
    this.#streak = 0
    this.#step = STEP_MAX
    this.#roundsAtEnd = 0
    this.#startRound(running)
  }
}
