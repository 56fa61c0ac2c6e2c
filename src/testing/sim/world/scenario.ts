/**
 * A scenario is everything about one simulated run but its chance: what is consumed, how, and what goes wrong.
 *
 * Swarm testing: each fault class is on with p = 0.5, at its own intensity. A run with every fault on explores little,
 * because the faults hide each other.
 */
import { randomStream } from '../random.ts'

export interface Faults {
  /** Kills of a process within the safety phase. It starts again after a while. */
  readonly crashes: number
  /** Freezes of a process, long enough to lose its session: it wakes up as a zombie. */
  readonly zombies: number
  /** Processes that join or leave on purpose. */
  readonly churn: number
  /** Share of requests that never arrive. */
  readonly lostRequests: number
  /** Share of answers that never arrive: the request was applied. */
  readonly lostResponses: number
  /** Share of requests that arrive after their sender gave up. */
  readonly lateRequests: number
  readonly coordinatorMoves: number
  readonly expiredSessions: number
  /** Share of handler results that are given twice. */
  readonly doubleCompletions: number
  /** Share of dead letters that cannot be written at the first try. */
  readonly deadLetterFailures: number
  /** Share of outputs that cannot be written. */
  readonly publishFailures: number
  /** Compactions while things run: records vanish under the readers. */
  readonly compactions: number
  /** Unclean elections while nobody reads: the log loses its end, and other records take the same offsets. */
  readonly truncations: number
  /** Share of records that compaction took away before they are read. */
  readonly holes: number
  /** Share of records that come in transactions; half of those are aborted, and each leaves a marker in the log. */
  readonly transactionalInput: number
  /** The group has metadata of somebody else, or bits of ours are flipped. */
  readonly strangeMetadata: boolean
  /** Unclean elections under the readers: what they have read and run may be gone. */
  readonly liveTruncations?: number
  /** Clean elections while things run: the partition's leader moves to another broker. */
  readonly elections?: number
  /** Wishes of the user: pause, resume, skip, seek, setConcurrency, commit(). */
  readonly controls?: number
}

export interface HandlerShape {
  readonly minMs: number
  readonly maxMs: number
  /** Shares of records whose handler … */
  readonly inline: number
  readonly deferred: number
  readonly failing: number
  readonly poison: number
  readonly slow: number
  readonly slowMs: number
  /** … goes on although it was told to stop. */
  readonly stubborn: number
  readonly sending: number
}

export interface Scenario {
  readonly seed: number
  readonly delivery: 'at-most-once' | 'at-least-once' | 'exactly-once'
  readonly order: 'key' | 'partition' | 'none'
  readonly output: 'finished' | 'input'
  readonly nullKeys: 'unordered' | 'ordered'
  readonly partitions: number
  readonly records: number
  /** Share of the records that arrive while things go wrong. */
  readonly laterShare: number
  readonly keys: number
  readonly nullKeyShare: number
  readonly instances: number
  readonly rebalance: 'eager' | 'cooperative'
  readonly concurrency: number | { readonly min: number; readonly max: number }
  readonly limitRecords: number
  readonly limitBytes: number
  readonly blockingBurst: number
  readonly commitEveryMs: number
  readonly commitEveryRecords: number
  readonly mapMaxChars: number
  readonly metadataMaxChars: number
  readonly logStartsAt: number
  readonly retryAttempts: number
  readonly onExhausted: 'dead-letter' | 'skip'
  /** Keys are parked after so many records that failed for good; the user lets them go on after a while. */
  readonly breakerPoisons?: number
  readonly batch: {
    readonly max: number
    readonly min: number
    readonly lingerMs: number
    readonly by: 'key' | 'any'
  } | null
  readonly handlerTimeoutMs: number | null
  readonly drainMs: number
  readonly handler: HandlerShape
  readonly faults: Faults
  /** False: a broker older than RequireStable. Only for a process that is alone: others could not be told apart. */
  readonly stableReads: boolean
  /** Members come and go, and that is all: nobody may lose a partition without being asked for it. */
  readonly isCalm?: boolean
  /** Faults happen within this time; afterwards everything must come to its end. */
  readonly safetyMs: number
}

export const NO_FAULTS: Faults = {
  crashes: 0,
  zombies: 0,
  churn: 0,
  lostRequests: 0,
  lostResponses: 0,
  lateRequests: 0,
  coordinatorMoves: 0,
  expiredSessions: 0,
  doubleCompletions: 0,
  deadLetterFailures: 0,
  publishFailures: 0,
  compactions: 0,
  truncations: 0,
  holes: 0,
  transactionalInput: 0,
  strangeMetadata: false,
  liveTruncations: 0,
  elections: 0,
  controls: 0,
}

/** Small draws from one stream, in a fixed order: the same seed is the same scenario. */
class Draw {
  readonly #random: () => number

  constructor(seed: number, name = 'scenario') {
    this.#random = randomStream(seed, name)
  }

  chance(share: number): boolean {
    return this.#random() < share
  }

  int(min: number, max: number): number {
    return min + Math.floor(this.#random() * (max - min + 1))
  }

  real(min: number, max: number): number {
    return min + this.#random() * (max - min)
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.int(0, items.length - 1)] ?? items[0]
  }
}

export function scenarioOf(seed: number): Scenario {
  const drawn = withBreaker(withManyPartitions(specialScenario(seed, new Draw(seed))))
  const elections = new Draw(seed, 'elections')
  const faults = {
    ...drawn.faults,
    controls: controlsOf(seed),
    elections: elections.chance(0.5) ? elections.int(1, 12) : 0,
  }
  if (faults.truncations === 0 || elections.chance(0.4)) return { ...drawn, faults }
  // A commit of before the election that lands late is not fenced by a new generation, in Kafka neither: it is read as what
  // it is by whoever comes next, but nobody heals it before.
  return { ...drawn, faults: { ...faults, truncations: 0, liveTruncations: 1, lateRequests: 0 } }
}

/**
 * More partitions than anybody looks at in one go, a few records in each, and little room: most of them wait for their turn, for
 * a share of the pool, or to be read on.
 */
function withManyPartitions(scenario: Scenario): Scenario {
  const draw = new Draw(scenario.seed, 'many')
  if (!draw.chance(0.03)) return scenario
  const partitions = draw.pick([40, 40, 80, 200])
  return {
    ...scenario,
    partitions,
    records: partitions * 2,
    instances: draw.int(1, 2),
    // Squared when drawn: some partitions have many records, most have a few.
    keys: partitions * 2,
    nullKeyShare: draw.pick([0.1, 0.5]),
    concurrency: draw.pick([4, 32]),
    limitRecords: draw.pick([12, 50, 100, 400]),
    limitBytes: draw.pick([2_000, 1_000_000]),
    // With the fewest events for each record: there are many of them.
    handler: { ...scenario.handler, maxMs: Math.min(20, scenario.handler.maxMs) },
    faults: {
      ...scenario.faults,
      crashes: Math.min(1, scenario.faults.crashes),
      zombies: 0,
      churn: Math.min(1, scenario.faults.churn),
      expiredSessions: 0,
      truncations: 0,
    },
  }
}

/** Only where there are keys to park, and records that can wait. */
function withBreaker(scenario: Scenario): Scenario {
  const draw = new Draw(scenario.seed, 'breaker')
  if (!draw.chance(0.4) || scenario.delivery === 'at-most-once' || scenario.order === 'none') return scenario
  return { ...scenario, breakerPoisons: draw.int(1, 3) }
}

/** A stream of its own, as elections have: the rest of a seed is what it was before there were any. */
function controlsOf(seed: number): number {
  const draw = new Draw(seed, 'controls')
  return draw.chance(0.5) ? draw.int(3, 40) : 0
}

function specialScenario(seed: number, draw: Draw): Scenario {
  const scenario = usualScenario(seed, draw)
  if (draw.chance(0.06)) return farAhead(scenario, draw)
  if (draw.chance(0.04)) return oldBroker(scenario)
  if (draw.chance(0.04)) return vanishingStraggler(scenario, draw)
  return draw.chance(0.03) ? longDrain(scenario) : scenario
}

/** Handlers run longer than a session lasts, and whoever gives up a partition waits for them. */
function longDrain(scenario: Scenario): Scenario {
  return {
    ...scenario,
    isCalm: true,
    // Few: one after the other, they have to end in time.
    records: Math.min(30, scenario.records),
    instances: 2,
    batch: null,
    handlerTimeoutMs: null,
    drainMs: 1_300,
    handler: { ...scenario.handler, inline: 0, deferred: 0, stubborn: 0, failing: 0, slow: 0.3, slowMs: 1_250 },
    faults: { ...NO_FAULTS, churn: 3 },
  }
}

/** One record holds hundreds back: the map grows long, and meets its limits. */
function farAhead(scenario: Scenario, draw: Draw): Scenario {
  return {
    ...scenario,
    delivery: draw.pick(['at-least-once', 'exactly-once']),
    order: draw.pick(['key', 'none']),
    output: 'finished',
    partitions: 1,
    records: draw.int(400, 900),
    keys: 300,
    nullKeyShare: 0,
    limitRecords: 700,
    limitBytes: 1_000_000,
    concurrency: 200,
    batch: null,
    handlerTimeoutMs: null,
    metadataMaxChars: draw.pick([40, 64, 200]),
    mapMaxChars: draw.pick([80, 4_000]),
    handler: { ...scenario.handler, inline: 0, maxMs: 400, failing: 0, slow: 0.01, slowMs: 900 },
  }
}

/** The records that hold the position back vanish while nobody is there: nothing is left to run, and yet it must move. */
function vanishingStraggler(scenario: Scenario, draw: Draw): Scenario {
  return {
    ...scenario,
    delivery: draw.pick(['at-least-once', 'exactly-once']),
    order: 'none',
    partitions: draw.int(1, 2),
    records: draw.int(8, 30),
    laterShare: 0,
    concurrency: 32,
    limitRecords: 100,
    limitBytes: 1_000_000,
    batch: null,
    commitEveryMs: 20,
    handler: { ...scenario.handler, maxMs: 3, inline: 0, failing: 0, slow: 0.15, slowMs: 900 },
    faults: { ...NO_FAULTS, crashes: 1, compactions: 3, lostResponses: scenario.faults.lostResponses },
  }
}

/** Alone on a broker that cannot wait for pending offsets: fencing the producer before reading is all that protects. */
function oldBroker(scenario: Scenario): Scenario {
  const quiet = { crashes: 0, zombies: 0, churn: 0, expiredSessions: 0, truncations: 0, compactions: 0 }
  return {
    ...scenario,
    delivery: 'exactly-once',
    instances: 1,
    stableReads: false,
    handler: { ...scenario.handler, sending: 1 },
    faults: { ...scenario.faults, ...quiet, lateRequests: Math.max(0.06, scenario.faults.lateRequests) },
  }
}

function usualScenario(seed: number, draw: Draw): Scenario {
  const delivery = draw.pick(['at-least-once', 'at-least-once', 'exactly-once', 'at-most-once'] as const)
  const partitions = draw.int(1, 4)
  const keys = draw.pick([1, 3, 10, 40])
  const max = draw.int(2, 6)
  const batched = draw.chance(0.2)
  return {
    seed,
    delivery,
    order: draw.pick(['key', 'key', 'key', 'partition', 'none']),
    output: draw.pick(['finished', 'finished', 'input']),
    nullKeys: draw.pick(['unordered', 'ordered']),
    partitions,
    records: draw.int(10, 120),
    laterShare: draw.pick([0, 0.4, 0.4]),
    keys,
    nullKeyShare: draw.pick([0, 0, 0.1, 0.5]),
    instances: draw.int(1, 3),
    rebalance: draw.pick(['eager', 'cooperative']),
    concurrency: draw.chance(0.15) ? { min: 1, max: 16 } : draw.pick([1, 2, 4, 8, 32]),
    limitRecords: draw.pick([1, 4, 12, 30, 100]),
    limitBytes: draw.pick([150, 1_000, 1_000_000]),
    blockingBurst: draw.pick([1, 3, 8]),
    commitEveryMs: draw.pick([20, 100, 400]),
    commitEveryRecords: draw.pick([1, 10, 1_000]),
    mapMaxChars: draw.pick([12, 30, 80, 4_000, 4_000]),
    metadataMaxChars: draw.pick([40, 64, 200, 4_096, 4_096]),
    logStartsAt: draw.pick([0, 0, 7, 5_000_000_000]),
    retryAttempts: draw.int(1, 4),
    onExhausted: draw.pick(['dead-letter', 'dead-letter', 'skip']),
    batch: batched ? { max, min: draw.int(1, max), lingerMs: draw.int(0, 30), by: draw.pick(['key', 'any']) } : null,
    handlerTimeoutMs: draw.chance(0.2) ? draw.int(20, 100) : null,
    drainMs: draw.pick([0, 50, 300]),
    handler: handlerOf(draw),
    faults: faultsOf(draw),
    stableReads: true,
    safetyMs: 2_500,
  }
}

function handlerOf(draw: Draw): HandlerShape {
  return {
    minMs: 1,
    maxMs: draw.pick([3, 20, 60]),
    inline: draw.pick([0, 0, 0.3, 1]),
    deferred: draw.pick([0, 0, 0.3]),
    failing: draw.pick([0, 0, 0.1, 0.4]),
    poison: draw.pick([0, 0, 0.1]),
    slow: draw.pick([0, 0, 0.05]),
    slowMs: draw.pick([200, 900]),
    stubborn: draw.pick([0, 0, 0.5]),
    sending: draw.pick([0, 0.5, 1]),
  }
}

function faultsOf(draw: Draw): Faults {
  const faults = swarm(draw)
  if (faults.truncations === 0) return faults
  // A truncated transaction marker leaves its transaction open for ever, in Kafka too: nobody could read on. And where
  // compaction has emptied the place of the cut, the simulated log ends before it, which Kafka's does not.
  return { ...faults, transactionalInput: 0, compactions: 0, holes: 0 }
}

function swarm(draw: Draw): Faults {
  const on = <Value>(value: Value, off: Value): Value => (draw.chance(0.5) ? value : off)
  return {
    crashes: on(draw.int(1, 3), 0),
    zombies: on(draw.int(1, 2), 0),
    churn: on(draw.int(1, 4), 0),
    lostRequests: on(draw.real(0.01, 0.1), 0),
    lostResponses: on(draw.real(0.01, 0.1), 0),
    lateRequests: on(draw.real(0.01, 0.1), 0),
    coordinatorMoves: on(draw.int(1, 2), 0),
    expiredSessions: on(draw.int(1, 2), 0),
    doubleCompletions: on(draw.real(0.05, 0.5), 0),
    deadLetterFailures: on(draw.real(0.1, 0.7), 0),
    publishFailures: on(draw.real(0.05, 0.3), 0),
    compactions: on(draw.int(1, 3), 0),
    truncations: draw.chance(0.15) ? 1 : 0,
    holes: on(draw.real(0.05, 0.6), 0),
    transactionalInput: on(draw.real(0.05, 0.4), 0),
    strangeMetadata: on(true, false),
  }
}
