/** What a trial can say, and the failures that are tried. */
import type { Stage } from './stage.ts'

/** Not possible: the client is not installed, does not load, or the trial itself failed. */
export type Verdict = 'seen' | 'not seen' | 'not possible' | 'not tried'

export interface Outcome {
  readonly verdict: Verdict
  /** One line: what was measured. */
  readonly evidence: string
}

export type FailureName =
  | 'eviction'
  | 'aborted-one'
  | 'aborted-two'
  | 'aborted-split'
  | 'aborted-mixed'
  | 'aborted-inside'
  | 'metadata'
  | 'revoke'
  | 'revoked-records'
  | 'early-success'
  | 'transaction-metadata'
  | 'transaction-lost-offsets'
  | 'transaction-fencing'
  | 'zombie'
  | 'large-send'
  | 'fresh-topic'
  | 'outage'

/** In the order of the table. fanlane's own tests of them are test/wire/failures*.suite.ts. */
export const failures: Readonly<Record<FailureName, string>> = {
  eviction: 'a commit after eviction takes the position back',
  'aborted-one': 'read_committed: one aborted transaction is delivered',
  'aborted-two': 'read_committed: of two aborted ones of a producer, one is delivered',
  'aborted-split': 'read_committed: aborted records are delivered, marker in a later answer',
  'aborted-mixed': 'read_committed: aborted, committed, aborted: something wrong is delivered',
  'aborted-inside': 'read_committed: delivered where reading begins inside an aborted one',
  metadata: 'commit metadata is dropped or changed',
  revoke: 'a new owner begins while a handler of the last one runs',
  'revoked-records': 'records of revoked partitions are delivered after the rebalance',
  'early-success': 'a commit is called done before the broker has answered',
  'transaction-metadata': 'offsets of a transaction lose their metadata',
  'transaction-lost-offsets': 'offsets that are added at the same time: one is lost',
  'transaction-fencing': 'the group takes offsets of an evicted member in a transaction',
  zombie: 'the older of two producers with one transactional id goes on',
  'large-send': '10,000 records in one send are refused as too large',
  'fresh-topic': 'sending to a topic that is being created writes records twice',
  outage: 'a broker that is away for 30 s ends the consumer',
}

/** How often `fresh-topic` tries its luck: it is a race. */
export const freshRounds = 40

export type Trial = (stage: Stage) => Promise<Outcome>

/** A text instead of a trial: why it is not tried on this client. */
export type Trials = Readonly<Record<FailureName, Trial | string>>

export const seenIf = (isSeen: boolean, evidence: string): Outcome => ({
  verdict: isSeen ? 'seen' : 'not seen',
  evidence,
})

/** How a promise ended, in words. */
export async function settle(promise: Promise<unknown>, withinMs = 20_000): Promise<string> {
  const { promise: late, resolve } = Promise.withResolvers<string>()
  const timer = setTimeout(() => resolve(`did not settle within ${withinMs / 1_000} s`), withinMs)
  const ended = promise.then(
    () => 'reported success',
    (error: unknown) => `was refused: ${reasonOf(error)}`,
  )
  const said = await Promise.race([ended, late])
  clearTimeout(timer)
  return said
}

/** The innermost protocol error, where a client wraps it. */
export function reasonOf(error: unknown): string {
  const { apiId, type, errors, cause, message } = error as {
    apiId?: string
    type?: string
    errors?: readonly unknown[]
    cause?: unknown
    message?: string
  }
  const inner = [...(errors ?? []), ...(cause === undefined ? [] : [cause])].map(reasonOf).find((text) => text !== '')
  return apiId ?? type ?? inner ?? message ?? String(error)
}

/** What a read_committed reader was given, against what it should have been. */
export function delivered(values: readonly string[], committed: readonly string[], isAll: boolean): Outcome {
  const wrong = values.filter((value) => value.startsWith('aborted'))
  const missing = committed.filter((value) => !values.includes(value))
  const names = wrong.map((value) => value.replace(/\.+$/, '')).join(', ')
  const loss = missing.length === 0 && isAll ? '' : `; missing: ${missing.join(', ') || 'the end'}`
  return seenIf(
    wrong.length > 0 || loss !== '',
    wrong.length > 0
      ? `delivered ${wrong.length} aborted (${names}) with ${committed.length} committed${loss}`
      : `delivered ${values.length} committed, nothing else${loss}`,
  )
}
