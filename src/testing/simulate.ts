/**
 * Users' handlers under crashes, rebalances and a bad network, in simulated time: the real control plane and runtime on a
 * simulated cluster. What fanlane promises is checked; what the handler did is for the user to look at afterwards.
 */
import { type ConsumeOptions, checkOptions } from '../consumer/options.ts'
import { FanlaneError } from '../errors.ts'
import type { UserHandler } from './sim/world/handlers.ts'
import type { UserOptions } from './sim/world/process.ts'
import { type Faults, NO_FAULTS, type Scenario, scenarioOf } from './sim/world/scenario.ts'
import { runScenario } from './sim/world/world.ts'

export interface SimulateOptions<Key = Buffer, Value = Buffer> {
  /** The same seed is the same run. */
  readonly seed: number
  readonly records?: number
  readonly keys?: number
  readonly partitions?: number
  readonly instances?: number
  /** All of them (default), none, or shares and counts of your choice. */
  readonly faults?: 'all' | 'none' | Partial<Faults>
  /** Key and value of the n-th record; without it, keys are drawn and values mean nothing. */
  readonly input?: (index: number) => { readonly key: string | null; readonly value: string }
  /** As for `consume()`. The handler has a third argument: simulated time to wait in. */
  readonly consume: Omit<ConsumeOptions<Key, Value>, NotSimulated> & { readonly handle: UserHandler<Key, Value> }
}

/** What a simulated run brings itself, or cannot have. */
type NotSimulated =
  | 'brokers'
  | 'client'
  | 'partitions'
  | 'tune'
  | 'isolation'
  | 'transactionalId'
  | 'group'
  | 'topics'
  | 'log'
  | 'handle'
  | 'handleBatch'
  | 'handler'
  | 'batch'
  | 'keyOf'
  | 'engine'
  | 'signal'

export interface SimulateReport {
  readonly seed: number
  readonly events: number
  readonly simulatedMs: number
  readonly hash: string
}

const ALL_FAULTS: Faults = {
  crashes: 2,
  zombies: 1,
  churn: 3,
  lostRequests: 0.03,
  lostResponses: 0.03,
  lateRequests: 0.03,
  coordinatorMoves: 1,
  expiredSessions: 1,
  doubleCompletions: 0.1,
  deadLetterFailures: 0.3,
  publishFailures: 0.1,
  compactions: 1,
  truncations: 0,
  elections: 1,
  holes: 0.1,
  transactionalInput: 0.1,
  strangeMetadata: true,
}

export async function simulate<Key = Buffer, Value = Buffer>(
  options: SimulateOptions<Key, Value>,
): Promise<SimulateReport> {
  check(options)
  const scenario = toScenario(options)
  const result = await runScenario(scenario, {
    traceLines: 40,
    consume: options.consume as unknown as UserOptions,
    ...(options.input === undefined ? {} : { input: options.input }),
  })
  if (result.violation !== null) {
    throw new FanlaneError(
      'SIMULATION_FAILED',
      `seed ${options.seed}: ${result.violation.message}\nRun it again with the same seed. What happened last:\n  ${result.trace.join('\n  ')}`,
      { cause: result.violation },
    )
  }
  return { seed: options.seed, events: result.events, simulatedMs: result.simulatedMs, hash: result.hash }
}

const KNOWN = ['seed', 'records', 'keys', 'partitions', 'instances', 'faults', 'input', 'consume']

function check(options: object): void {
  const refuse = (message: string): never => {
    throw new FanlaneError('OPTION_INVALID', `simulate(): ${message}`)
  }
  for (const name of Object.keys(options))
    if (!KNOWN.includes(name)) refuse(`unknown option '${name}'; there are ${KNOWN.join(', ')}.`)
  const values = options as Readonly<Record<string, unknown>>
  for (const name of ['seed', 'records', 'keys', 'partitions', 'instances']) {
    const value = values[name]
    if (value === undefined && name !== 'seed') continue
    if (!Number.isSafeInteger(value) || (value as number) < (name === 'seed' ? 0 : 1)) {
      refuse(`'${name}' must be a whole number${name === 'seed' ? '' : ' from 1'}; it is ${String(value)}.`)
    }
  }
  const consume = values.consume as Readonly<Record<string, unknown>> | undefined
  if (typeof consume?.handle !== 'function')
    refuse("'consume' needs a handler: consume: { handle: async (record, ctx, time) => { … } }.")
  checkOptions({ group: 'simulated', topics: ['simulated'], ...consume })
}

function toScenario<Key, Value>(options: SimulateOptions<Key, Value>): Scenario {
  const { consume, faults = 'all' } = options
  const base = scenarioOf(options.seed)
  return {
    ...base,
    delivery: consume.delivery ?? 'at-least-once',
    order: consume.order ?? 'key',
    output: consume.output ?? 'finished',
    nullKeys: consume.nullKeys ?? 'unordered',
    records: options.records ?? 200,
    keys: options.keys ?? 20,
    partitions: options.partitions ?? 4,
    instances: options.instances ?? 2,
    nullKeyShare: 0,
    batch: null,
    drainMs: 300,
    // What the seed would have drawn for a run of ours.
    isCalm: false,
    handler: { ...base.handler, sending: 0 },
    onExhausted: 'dead-letter',
    mapMaxChars: 4_000,
    metadataMaxChars: 4_096,
    faults: faults === 'all' ? ALL_FAULTS : faults === 'none' ? NO_FAULTS : { ...NO_FAULTS, ...faults },
  }
}
