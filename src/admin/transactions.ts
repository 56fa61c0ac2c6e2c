/** Who writes with a producer id, and which transactions are under way: what holds back readers of committed records. */
import { errorCodes } from '../protocol/errors.ts'
import { describeProducersApi } from '../protocol/generated/61-describe-producers.ts'
import { describeTransactionsApi } from '../protocol/generated/65-describe-transactions.ts'
import { listTransactionsApi } from '../protocol/generated/66-list-transactions.ts'
import { names as checkedNames, exact, exactOrNull, listed, orNull } from './checks.ts'
import { type AdminContext, type CallOptions, deadlineOf } from './context.ts'
import { run } from './errand.ts'
import { sorted, type TopicPartitions } from './member-data.ts'
import { answersFor, indexesByTopic, type PartitionName, partitionName } from './partitions.ts'
import { everyBroker, toCoordinators, toLeaders } from './routes.ts'

export interface ActiveProducer {
  readonly producerId: number
  readonly epoch: number
  /** null: nothing written yet. */
  readonly lastSequence: number | null
  readonly lastTimestamp: number | null
  readonly coordinatorEpoch: number | null
  /** Where its open transaction begins in this partition; null: it has none here. */
  readonly transactionStart: number | null
}

export interface PartitionProducers extends PartitionName {
  readonly producers: readonly ActiveProducer[]
}

export type TransactionStateName =
  | 'Empty'
  | 'Ongoing'
  | 'PrepareCommit'
  | 'PrepareAbort'
  | 'CompleteCommit'
  | 'CompleteAbort'
  | 'PrepareEpochFence'
  | 'Dead'

export interface TransactionListing {
  readonly transactionalId: string
  readonly producerId: number
  readonly state: TransactionStateName
  readonly coordinator: number
}

export interface TransactionDescription extends TransactionListing {
  readonly producerEpoch: number
  readonly timeoutMs: number
  /** null: there is no transaction now. */
  readonly startedMs: number | null
  /** What the transaction has written to. */
  readonly partitions: readonly TopicPartitions[]
}

export interface ListTransactionsOptions extends CallOptions {
  readonly states?: readonly TransactionStateName[]
  readonly producerIds?: readonly number[]
  /** Only transactions that are open for longer. */
  readonly olderThanMs?: number
}

export function describeProducers(
  context: AdminContext,
  partitions: readonly PartitionName[],
  options: CallOptions,
): Promise<readonly PartitionProducers[]> {
  return run<PartitionName, PartitionProducers>(context, {
    request: describeProducersApi.name,
    items: listed(partitions, 'partitions', partitionName),
    nameOf: partitionName,
    deadline: deadlineOf(context, options),
    isTopicNewsLate: true,
    attempt: (open, errand) =>
      toLeaders(errand, open, async (node, theirs) => {
        const topics = indexesByTopic(theirs).map(({ name, indexes }) => ({ name, partitionIndexes: indexes }))
        const answer = await errand.ask(theirs, node, describeProducersApi, { topics })
        for (const [item, told] of answersFor(theirs, answer?.body.topics ?? [])) {
          if (told.errorCode !== errorCodes.NONE) {
            errand.refused(item, told.errorCode, node, describeProducersApi, told.errorMessage)
            continue
          }
          const producers = told.activeProducers.map((each) => ({
            producerId: exact(each.producerId),
            epoch: each.producerEpoch,
            lastSequence: orNull(each.lastSequence),
            lastTimestamp: exactOrNull(each.lastTimestamp),
            coordinatorEpoch: orNull(each.coordinatorEpoch),
            transactionStart: exactOrNull(each.currentTxnStartOffset),
          }))
          errand.done(item, { topic: item.topic, partition: item.partition, producers })
        }
      }),
  })
}

/** Every broker tells of the transactional ids that it coordinates. Sorted by id. */
export async function listTransactions(
  context: AdminContext,
  { states = [], producerIds = [], olderThanMs, ...options }: ListTransactionsOptions,
): Promise<readonly TransactionListing[]> {
  const deadline = deadlineOf(context, options)
  const request = {
    stateFilters: states,
    producerIdFilters: producerIds.map(BigInt),
    ...(olderThanMs === undefined ? {} : { durationFilter: BigInt(olderThanMs) }),
  }
  const name = listTransactionsApi.name
  const found = await everyBroker<TransactionListing>(context, deadline, name, async (broker, errand) => {
    const answer = await errand.ask([broker], broker.nodeId, listTransactionsApi, request)
    if (answer === null) return
    const { errorCode, transactionStates } = answer.body
    if (errorCode !== errorCodes.NONE) return errand.refused(broker, errorCode, broker.nodeId, listTransactionsApi)
    errand.done(
      broker,
      transactionStates.map(({ transactionalId, producerId, transactionState }) => ({
        transactionalId,
        producerId: exact(producerId),
        state: transactionState as TransactionStateName,
        coordinator: broker.nodeId,
      })),
    )
  })
  return [...found].sort((a, b) => (a.transactionalId < b.transactionalId ? -1 : 1))
}

export function describeTransactions(
  context: AdminContext,
  ids: readonly string[],
  options: CallOptions,
): Promise<readonly TransactionDescription[]> {
  return run<string, TransactionDescription>(context, {
    request: describeTransactionsApi.name,
    items: checkedNames(ids, 'ids'),
    nameOf: (id) => id,
    deadline: deadlineOf(context, options),
    attempt: (open, errand) =>
      toCoordinators(errand, 'transaction', open, String, async (coordinator, theirs) => {
        const request = { transactionalIds: theirs }
        const answer = await errand.ask(theirs, coordinator, describeTransactionsApi, request)
        for (const told of answer?.body.transactionStates ?? []) {
          const { transactionalId, errorCode } = told
          if (!theirs.includes(transactionalId)) continue
          if (errorCode !== errorCodes.NONE) {
            errand.refused(transactionalId, errorCode, coordinator, describeTransactionsApi)
            continue
          }
          errand.done(transactionalId, {
            transactionalId,
            producerId: exact(told.producerId),
            state: told.transactionState as TransactionStateName,
            coordinator,
            producerEpoch: told.producerEpoch,
            timeoutMs: told.transactionTimeoutMs,
            startedMs: exactOrNull(told.transactionStartTimeMs),
            partitions: sorted(told.topics),
          })
        }
      }),
  })
}
