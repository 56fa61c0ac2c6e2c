/**
 * What happens, on `node:diagnostics_channel`: for tools that look at a process without the program's help. Messages are what
 * the control plane has at hand, a batch at a time; nobody there, nothing is made: one look at a flag for each batch.
 */
import { type Channel, channel } from 'node:diagnostics_channel'
import type { Completion, Work } from '../ports/engine.ts'
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
  submitted(works: readonly Work[]): void
  settled(completions: readonly Completion[]): void
  observed(observation: Observation): void
}

export function channelsOf(group: string): ChannelHooks {
  const { submitted, settled, commit, rebalance, notice } = CHANNELS
  return {
    submitted: (works) => {
      if (submitted.hasSubscribers) submitted.publish({ group, works })
    },
    settled: (completions) => {
      if (settled.hasSubscribers) settled.publish({ group, completions })
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
