/** One simulated process: a consumer with its own clock, its own wire, and the handlers of the workload. */
import { resolveAssignors } from '../../../clients/native/group/assignors/index.ts'
import { InlineHeartbeats } from '../../../clients/native/group/inline-heartbeats.ts'
import { NativeClient } from '../../../clients/native/native-client.ts'
import type { NativeOptions } from '../../../clients/native/options.ts'
import { type Composed, compose } from '../../../compose.ts'
import type { ConsumeOptions } from '../../../consumer/options.ts'
import type { CommitEntry, Notice } from '../../../kernel/events.ts'
import type { TopicPartition } from '../../../kernel/ids.ts'
import type { KernelOptions } from '../../../kernel/options.ts'
import type { Logger } from '../../../ports/logger.ts'
import type { Observation } from '../../../ports/observer.ts'
import { coreOptions } from '../../../producer/options.ts'
import type { ProcessClock } from '../process-clock.ts'
import { SimWire } from '../wire/sim-wire.ts'
import { DoubleEngine } from './double-engine.ts'
import { SimHandlers, type UserHandler } from './handlers.ts'
import type { Ledger, Violation } from './ledger.ts'
import type { Network } from './network.ts'
import type { Faults, Scenario } from './scenario.ts'
import { WatchedClient } from './watched-client.ts'

type Exit = Extract<Observation, { kind: 'exhausted' }>

export const GROUP = 'group'
export const INPUT_TOPIC = 'in'

/** Times of the simulated world, short so that a run has few events. */
const SESSION_MS = 1_000
const REBALANCE_MS = 2_000
const HEARTBEAT_MS = 200
const REQUEST_MS = 300
const TRANSACTION_MS = 1_500
const FINAL_COMMIT_MS = 600
/** A late request arrives at most this long after it was sent. */
const LATE_MS = 600
const PARKED_MS = 70

const silent: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore }

function ignore(): void {
  // The simulator looks at what happens, not at what is said about it.
}

export interface ProcessParts {
  readonly scenario: Scenario
  readonly clock: ProcessClock
  readonly name: string
  readonly network: Network
  readonly ledger: Ledger
  readonly faults: () => Faults
  readonly fail: (violation: Violation) => void
  readonly checkIssued: (process: SimProcess, entries: readonly CommitEntry[]) => void
  readonly onLost: (process: SimProcess, partitions: readonly TopicPartition[]) => void
  readonly onReleased: (process: SimProcess, partitions: readonly TopicPartition[], sinceMs: number) => void
  readonly userOptions: UserOptions
}

export type UserOptions = Partial<Omit<ConsumeOptions<unknown, unknown>, 'handle' | 'handleBatch'>> & {
  readonly handle?: UserHandler<unknown, unknown>
}

export class SimProcess {
  readonly name: string
  readonly clock: ProcessClock
  readonly composed: Composed
  ended = false
  leaving = false

  constructor(parts: ProcessParts) {
    const { scenario, clock, name, network, ledger, faults, fail } = parts
    this.name = name
    this.clock = clock
    const transport = network.transport(clock)
    const wire = new SimWire({ clock, transport, clientId: name, requestTimeoutMs: REQUEST_MS })
    const client = new NativeClient(clientOptions(scenario, name), {
      wire,
      makeHeartbeater: (listener) => new InlineHeartbeats(wire, listener),
    })
    const watched = new WatchedClient({
      client,
      process: clock,
      name,
      ledger,
      fail,
      faults,
      onLost: (partitions) => parts.onLost(this, partitions),
      onReleased: (partitions, sinceMs) => parts.onReleased(this, partitions, sinceMs),
      checkIssued: (entries) => parts.checkIssued(this, entries),
    })
    const handlers = new SimHandlers(scenario, clock, name, ledger)
    this.composed = compose(consumeOptions(scenario, handlers, parts.userOptions), {
      clock,
      client: watched,
      wrapEngine: (engine) => new DoubleEngine(engine, clock, () => faults().doubleCompletions),
      tweak,
      listen: (observation) => {
        if (observation.kind === 'notice' && observation.notice.kind === 'parked')
          this.#release(observation.notice, ledger)
        // Ends that no log shows: skipped records, and dead letters that are outputs of a transaction.
        const isSkip = observation.kind === 'notice' && observation.notice.kind === 'skipped'
        const isUsers = parts.userOptions.handle !== undefined
        const isLetter = observation.kind === 'exhausted' && (scenario.delivery === 'exactly-once' || isUsers)
        if (!isSkip && !isLetter) return
        const { work } = isSkip ? (observation.notice as Extract<Notice, { kind: 'skipped' }>) : (observation as Exit)
        const entry = ledger.entry(work.partition, work.offset)
        if (entry === undefined) return
        entry.givenUp ||= isSkip
        ledger.finished(entry, clock.now())
      },
    })
    this.composed.runtime.closed.then(
      () => {
        this.ended = true
      },
      (error) => fail(error as Violation),
    )
  }

  /** The user looks at it, and lets it go on. */
  #release({ partition, key }: Extract<Notice, { kind: 'parked' }>, ledger: Ledger): void {
    const { topic, partition: number } = partition
    const selection = { topic, partition: number, ...(key === null ? {} : { key }) }
    this.clock.at(this.clock.now() + PARKED_MS, () => {
      ledger.resumed(this.name)
      this.composed.runtime.control({ kind: 'resume', selection })
    })
  }

  start(): void {
    this.composed.start().catch((error) => this.composed.runtime.fail(error))
  }

  close(): void {
    this.composed.close()
  }
}

/** The client that users get, with short times. */
function clientOptions({ rebalance, delivery }: Scenario, name: string): NativeOptions {
  const backoff = { backoffMs: 20, backoffMaxMs: 500 }
  return {
    group: GROUP,
    topics: { names: [INPUT_TOPIC], matches: null },
    partitions: null,
    assignors: resolveAssignors([rebalance === 'eager' ? 'roundrobin' : 'cooperative-sticky']),
    protocol: 'classic',
    serverAssignor: null,
    sessionTimeoutMs: SESSION_MS,
    rebalanceTimeoutMs: REBALANCE_MS,
    heartbeatMs: HEARTBEAT_MS,
    maxPollIntervalMs: 300_000,
    instanceId: null,
    rackId: null,
    // Longer than a run: what is old has to be noticed by whoever meets it.
    metadataMaxAgeMs: 300_000,
    isolation: 'read_committed',
    startFrom: 'earliest',
    fetchMaxWaitMs: 500,
    fetchMinBytes: 1,
    fetchMaxBytes: 1_000_000,
    partitionMaxBytes: 200_000,
    requestTimeoutMs: REQUEST_MS,
    backoff,
    produce: {
      ...coreOptions({}),
      backoff,
      maxBufferBytes: Number.POSITIVE_INFINITY,
      deliveryTimeoutMs: Number.POSITIVE_INFINITY,
    },
    transaction:
      delivery === 'exactly-once'
        ? { transactionalId: `tx-${name}`, isGenerated: true, timeoutMs: TRANSACTION_MS }
        : null,
  }
}

function tweak(kernel: KernelOptions): KernelOptions {
  return { ...kernel, commit: { ...kernel.commit, lateMs: LATE_MS, finalMs: FINAL_COMMIT_MS } }
}

function consumeOptions(
  scenario: Scenario,
  handlers: SimHandlers,
  { handle, ...userOptions }: UserOptions,
): ConsumeOptions<unknown, unknown> {
  const common = { group: GROUP, topics: [INPUT_TOPIC], drainMs: scenario.drainMs, closeMs: 1_500, logger: silent }
  // A user's run has the user's options and nothing of the scenario's but its faults.
  if (handle !== undefined) return { ...common, ...userOptions, handle: handlers.watched(handle) }
  return {
    ...common,
    order: scenario.order,
    nullKeys: scenario.nullKeys,
    delivery: scenario.delivery,
    output: scenario.output,
    concurrency: scenario.concurrency,
    limits: { records: scenario.limitRecords, bytes: scenario.limitBytes },
    scheduling: { blockingBurst: scenario.blockingBurst },
    commit: {
      everyMs: scenario.commitEveryMs,
      everyRecords: scenario.commitEveryRecords,
      mapMaxChars: scenario.mapMaxChars,
    },
    retry: { attempts: scenario.retryAttempts, initialMs: 5, factor: 2, maxMs: 100, jitter: 0.5 },
    onExhausted: scenario.onExhausted,
    ...(scenario.breakerPoisons === undefined ? {} : { breaker: { poisons: scenario.breakerPoisons } }),
    ...(scenario.handlerTimeoutMs === null ? {} : { handlerTimeoutMs: scenario.handlerTimeoutMs }),
    ...(scenario.batch === null
      ? { handle: handlers.handle }
      : { handleBatch: handlers.handleBatch, batch: scenario.batch }),
  }
}
