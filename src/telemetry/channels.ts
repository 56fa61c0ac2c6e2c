/**
 * What happens, on `node:diagnostics_channel`: for tools that look at a process without the program's help. Messages are what
 * the control plane has at hand, a batch at a time; nobody there, nothing is made: one look at a flag for each batch.
 */
import { type Channel, channel } from 'node:diagnostics_channel'
import type { Completion, Engine, Work } from '../ports/engine.ts'
import type { Observation } from '../ports/observer.ts'

export interface SubmittedMessage {
  readonly group: string
  readonly works: readonly Work[]
}

export interface SettledMessage {
  readonly group: string
  readonly completions: readonly Completion[]
}

export interface ObservedMessage {
  readonly group: string
  readonly observation: Observation
}

/** Name → what it carries. */
export const CHANNELS = {
  /** Records that go to the engine. */
  submitted: channel('fanlane:submitted') as Channel<unknown, SubmittedMessage>,
  /** Handlers that ended. */
  settled: channel('fanlane:settled') as Channel<unknown, SettledMessage>,
  commit: channel('fanlane:commit') as Channel<unknown, ObservedMessage>,
  rebalance: channel('fanlane:rebalance') as Channel<unknown, ObservedMessage>,
  /** Everything else: dead letters, notices, errors. */
  notice: channel('fanlane:notice') as Channel<unknown, ObservedMessage>,
} as const

export interface ChannelHooks {
  observed(observation: Observation): void
  /** The same engine, whose work is told. */
  watched(engine: Engine): Engine
}

export function channelsOf(group: string): ChannelHooks {
  const { submitted, settled, commit, rebalance, notice } = CHANNELS
  return {
    watched: (engine) => {
      const begin = (works: readonly Work[]): void => {
        if (submitted.hasSubscribers) submitted.publish({ group, works })
      }
      const end = (completions: readonly Completion[]): void => {
        if (settled.hasSubscribers) settled.publish({ group, completions })
      }
      return watchedEngine(engine, begin, end)
    },
    observed: (observation) => {
      const to = channelFor(observation, { commit, rebalance, notice })
      if (to.hasSubscribers) to.publish({ group, observation })
    },
  }
}

type Observed = Record<'commit' | 'rebalance' | 'notice', Channel<unknown, ObservedMessage>>

function channelFor({ kind }: Observation, { commit, rebalance, notice }: Observed): Channel<unknown, ObservedMessage> {
  if (kind === 'commit' || kind === 'transaction') return commit
  return kind === 'assigned' || kind === 'revoked' || kind === 'lost' ? rebalance : notice
}

/** Its methods are called on itself: an engine may be a class with private fields. */
function watchedEngine(
  engine: Engine,
  begin: (works: readonly Work[]) => void,
  end: (completions: readonly Completion[]) => void,
): Engine {
  const { submitBatches, abort, start, failures, gauges } = engine
  return {
    submit: (batch) => {
      begin(batch)
      engine.submit(batch)
    },
    completions: (listener) =>
      engine.completions((completions) => {
        end(completions)
        listener(completions)
      }),
    inFlight: () => engine.inFlight(),
    capacity: () => engine.capacity(),
    shutdown: (deadlineMs) => engine.shutdown(deadlineMs),
    ...(submitBatches === undefined
      ? {}
      : {
          submitBatches: (batches) => {
            for (const batch of batches) begin(batch)
            engine.submitBatches?.(batches)
          },
        }),
    ...(abort === undefined ? {} : { abort: (works, reason) => engine.abort?.(works, reason) }),
    ...(start === undefined ? {} : { start: () => engine.start?.() ?? Promise.resolve() }),
    ...(failures === undefined ? {} : { failures: (listener) => engine.failures?.(listener) }),
    ...(gauges === undefined ? {} : { gauges: () => engine.gauges?.() ?? {} }),
  }
}
