/** ListTransactions and DescribeTransactions. */
import { errorCodes } from '../../protocol/errors.ts'
import { compileTopicPattern } from '../groups/consumer/pattern/topic-pattern.ts'
import type { Transaction, TransactionState } from './transaction.ts'

export interface TransactionFilters {
  /** Empty: all. */
  readonly states: readonly string[]
  readonly producerIds: readonly number[]
  /** Only those that began longer ago; negative: all. */
  readonly durationMs: number
  /** Of the whole transactional id; null or empty: all. */
  readonly pattern: string | null
}

export interface TransactionList {
  readonly error: number
  /** Filters that are no state. */
  readonly unknownStates: readonly string[]
  readonly transactions: readonly {
    readonly transactionalId: string
    readonly producerId: number
    readonly state: TransactionState
  }[]
}

export interface TransactionDescription {
  readonly error: 0
  readonly state: TransactionState
  readonly timeoutMs: number
  /** −1: not begun. */
  readonly startMs: number
  readonly producerId: number
  readonly producerEpoch: number
  readonly topics: ReadonlyMap<string, readonly number[]>
}

/** The last two are names that Kafka knows and that no transaction here is ever seen in. */
const stateNames: ReadonlySet<string> = new Set<TransactionState | 'Dead' | 'PrepareEpochFence'>([
  'Empty',
  'Ongoing',
  'PrepareCommit',
  'PrepareAbort',
  'CompleteCommit',
  'CompleteAbort',
  'Dead',
  'PrepareEpochFence',
])

export function listTransactions(
  all: Iterable<Transaction>,
  filters: TransactionFilters,
  nowMs: number,
): TransactionList {
  const pattern = filters.pattern ? compileTopicPattern(filters.pattern) : null
  if (pattern !== null && 'problem' in pattern) {
    return { error: errorCodes.INVALID_REGULAR_EXPRESSION, unknownStates: [], transactions: [] }
  }
  const found: TransactionList['transactions'][number][] = []
  for (const { transactionalId, producerId, state, startMs } of all) {
    if (filters.producerIds.length > 0 && !filters.producerIds.includes(producerId)) continue
    if (filters.states.length > 0 && !filters.states.includes(state)) continue
    if (filters.durationMs >= 0 && nowMs - startMs <= filters.durationMs) continue
    if (pattern !== null && !pattern.matches(transactionalId)) continue
    found.push({ transactionalId, producerId, state })
  }
  const unknownStates = filters.states.filter((name) => !stateNames.has(name))
  return { error: errorCodes.NONE, unknownStates, transactions: found }
}

export function describeTransaction(
  transaction: Transaction | undefined,
): TransactionDescription | { readonly error: number } {
  if (transaction === undefined) return { error: errorCodes.TRANSACTIONAL_ID_NOT_FOUND }
  const topics = new Map<string, number[]>()
  for (const { topic, partition } of transaction.partitions.values()) {
    const known = topics.get(topic)
    if (known === undefined) topics.set(topic, [partition])
    else known.push(partition)
  }
  const { state, timeoutMs, startMs, producerId, producerEpoch } = transaction
  return { error: 0, state, timeoutMs, startMs, producerId, producerEpoch, topics }
}
