/**
 * Crash consistency of the log: `npm run sim -- --target log`. Each seed lives through a few lives of some partitions; for
 * every operation of the disk, and for every prefix of every write, the disk is left as a crash could leave it, opened and
 * compared with what was promised. A seed gives the same states every time.
 */
import { ManualClock } from '../../../src/broker/clock.ts'
import { randomStream } from '../../../src/testing/sim/random.ts'
import type { Capture } from '../../support/sim-disk.ts'
import { checkCrash, Violation } from './check.ts'
import { directoryOf, Life, type Moment } from './life.ts'
import { PartitionModel, type Promises } from './model.ts'
import { type Scenario, scenarioOf } from './scenario.ts'

export interface LogCrashOptions {
  /** The first seed. */
  readonly seed: number
  /** Crash states to look at, over as many seeds as it takes; 0: all of this one seed. */
  readonly states: number
  /** Called now and then with what was done so far. */
  readonly report?: (progress: LogCrashReport) => void
}

export interface LogCrashFailure {
  readonly seed: number
  readonly invariant: string
  readonly message: string
}

export interface LogCrashReport {
  readonly states: number
  readonly seeds: number
  readonly failure: LogCrashFailure | undefined
}

export async function runLogCrashes({ seed, states, report }: LogCrashOptions): Promise<LogCrashReport> {
  let done = 0
  let seeds = 0
  let failure: LogCrashFailure | undefined
  const result = (): LogCrashReport => ({ states: done, seeds, failure })
  do {
    const run = new SeedRun(scenarioOf(seed + seeds), states === 0 ? Number.POSITIVE_INFINITY : states - done)
    try {
      await run.run()
    } catch (error) {
      const invariant = error instanceof Violation ? error.invariant : 'crash'
      const message = error instanceof Violation ? error.message : String((error as Error).stack)
      failure = { seed: seed + seeds, invariant, message: `${run.where}: ${message}` }
    }
    done += run.states
    seeds++
    report?.(result())
  } while (done < states && failure === undefined)
  return result()
}

/** A busy life has hundreds of moments, most of them alike: seeds are worth more. */
const momentsMax = 100

class SeedRun {
  states = 0
  where = ''
  readonly #scenario: Scenario
  readonly #statesMax: number
  readonly #random: () => number
  readonly #models: readonly PartitionModel[]
  readonly #clock = new ManualClock(1_700_000_000_000)

  constructor(scenario: Scenario, statesMax: number) {
    this.#scenario = scenario
    this.#statesMax = statesMax
    this.#random = randomStream(scenario.seed, 'crash')
    this.#models = Array.from({ length: scenario.partitions }, () => new PartitionModel())
  }

  async run(): Promise<void> {
    let capture: Capture | undefined
    for (let number = 0; number < this.#scenario.lives; number++) {
      const random = randomStream(this.#scenario.seed, `life ${number}`)
      this.where = `life ${number}`
      const life = new Life(capture, this.#scenario, this.#models, number * 3, random, this.#clock)
      await life.run()
      for (const [index, moment] of life.moments.entries()) {
        if (this.states >= this.#statesMax) return
        if (!this.#scenario.everyPrefix && this.#random() > momentsMax / life.moments.length) continue
        const { operation } = moment
        this.where = `life ${number}, moment ${index} (${operation?.kind ?? 'end'} ${operation?.path ?? ''})`
        await this.#explore(moment, number * 3 + 1)
      }
      capture = this.#crash(life)
    }
  }

  async #explore(moment: Moment, leaderEpoch: number): Promise<void> {
    const { capture, operation } = moment
    const place = this.where
    const torn = operation?.kind === 'append' ? this.#prefixes(operation.bytes.length) : [0]
    const touched = this.#models.findIndex((_, index) => operation?.path.startsWith(`${directoryOf(index)}/`))
    for (const [count, bytes] of torn.entries()) {
      this.where = `${place}, the process dies after ${bytes} bytes`
      const only = count === 0 ? -1 : touched
      await this.#check(
        capture.processCrash(operation, bytes),
        moment.promises,
        leaderEpoch,
        only,
        this.#random() < 0.1,
      )
    }
    const chances = [0, 1, 0.5, this.#random()]
    // Names are few: more of their combinations.
    if (operation?.kind === 'syncDirectory' || operation?.kind === 'rename') chances.push(0.3, 0.5, 0.5, 0.7)
    for (const chance of chances) {
      const bytes = torn[Math.floor(this.#random() * torn.length)] as number
      this.where = `${place}, the machine dies after ${bytes} bytes and keeps ${chance.toFixed(2)}`
      const crashed = capture.processCrash(operation, bytes).machineCrash(() => this.#random() < chance)
      await this.#check(crashed, moment.promises, leaderEpoch, -1, this.#random() < 0.3)
    }
    this.where = place
  }

  /** All of them, or those where something begins or ends and a few more. */
  #prefixes(length: number): readonly number[] {
    if (this.#scenario.everyPrefix) return Array.from({ length: length + 1 }, (_, bytes) => bytes)
    const some = [
      0,
      1,
      11,
      12,
      61,
      length - 1,
      length,
      ...Array.from({ length: 5 }, () => Math.floor(this.#random() * length)),
    ]
    return [...new Set(some.filter((bytes) => bytes >= 0 && bytes <= length))]
  }

  async #check(
    capture: Capture,
    promises: readonly Promises[],
    leaderEpoch: number,
    only: number,
    thorough: boolean,
  ): Promise<void> {
    this.states++
    for (const [index, model] of this.#models.entries()) {
      if (only >= 0 && index !== only) continue
      const made = promises[index] as Promises
      const crash = { capture, directory: directoryOf(index), model, promises: made, leaderEpoch, thorough }
      await checkCrash(crash, this.#scenario, this.#clock, this.#random)
    }
  }

  /** One of the crashes, to go on from: mostly the end, sometimes any moment. */
  #crash({ moments, hasFailed }: Life): Capture {
    const last = moments.length - 1
    const index = this.#random() < (hasFailed ? 0.8 : 0.5) ? last : Math.floor(this.#random() * moments.length)
    const { capture, operation, promises } = moments[index] as Moment
    for (const [partition, model] of this.#models.entries()) {
      const { appended } = promises[partition] as Promises
      model.batches = model.batches.slice(0, appended)
    }
    const bytes = operation?.kind === 'append' ? Math.floor(this.#random() * operation.bytes.length) : 0
    const crashed = capture.processCrash(operation, bytes)
    const chance = this.#random()
    return this.#random() < (hasFailed ? 0.8 : 0.4) ? crashed : crashed.machineCrash(() => this.#random() < chance)
  }
}
