/**
 * Produce: appends record batches.
 * v3 the first with record batches of format 2 · v5 log start offset · v8 errors of single records · v10 the current leader ·
 * v12 a transaction's partition is added by the write itself · v13 topic ids. Versions 0–2 are advertised although they are
 * not served: librdkafka stops compressing where they are not listed.
 *
 * The append happens in the same step in which the request is read, so pipelined requests of one connection keep their
 * order. Only the answer waits: with acks=1 until the bytes are written, with acks=all until they are durable.
 */
import { errorCodes } from '../../protocol/errors.ts'
import {
  type PartitionProduceData,
  type PartitionProduceResponse,
  type ProduceRequest,
  type ProduceResponse,
  produceApi,
  type TopicProduceData,
} from '../../protocol/generated/00-produce.ts'
import { batchOverhead, isTransactional, producerEpoch, producerId } from '../../protocol/record-batch/header.ts'
import type { Input } from '../../protocol/types.ts'
import { type Broker, cut } from '../broker.ts'
import { acceptBatch } from '../produce/accept-batch.ts'
import { noAnswer, type Route, route } from '../server/route.ts'
import type { Partition, Topic } from '../topics/topic.ts'

/** From this version on a write adds its partition to the transaction. */
const implicitAddVersion = 12

interface Outcome {
  readonly answer: Input<PartitionProduceResponse>
  /** What the answer has to wait for. */
  readonly wait?: Promise<void> | undefined
}

export function produce(broker: Broker): Route {
  return route(produceApi, {
    advertisedMinVersion: 0,
    handle: (request, { version }) => {
      const waits: Promise<void>[] = []
      const responses = request.topicData.map((data) => {
        const topic = version >= 13 ? broker.topics.byId(data.topicId) : broker.topics.get(data.name)
        const partitionResponses: Input<PartitionProduceResponse>[] = []
        for (const partition of data.partitionData) {
          const { answer, wait } = append(broker, request, version, topic, partition)
          const place = partitionResponses.push(answer) - 1
          // One partition that fails while it waits does not take back what the others were told.
          const lost = (): void => {
            partitionResponses[place] = refusal(partition.index, lossOf(broker, version, topic))
          }
          if (wait !== undefined) waits.push(wait.catch(lost))
        }
        return { name: data.name, topicId: data.topicId, partitionResponses }
      })
      if (request.acks === 0) {
        // Nobody waits, but a refusal must be noticed: without an answer the only way to tell is to cut the connection.
        const refused = responses.some((t) => t.partitionResponses.some((p) => p.errorCode !== errorCodes.NONE))
        if (refused) cut(`a produce request with acks=0 was refused`)
        return noAnswer
      }
      const answer: Input<ProduceResponse> = { responses }
      return waits.length === 0 ? answer : Promise.all(waits).then(() => answer)
    },
    refuse: (request, errorCode) =>
      request.acks === 0 ? noAnswer : { responses: request.topicData.map((data) => refuseTopic(data, errorCode)) },
  })
}

/** An append that will never be durable: its topic was deleted meanwhile, or the disk has failed (which is told elsewhere). */
function lossOf(broker: Broker, version: number, topic: Topic | undefined): number {
  if (topic !== undefined && broker.topics.byId(topic.id) !== undefined) return errorCodes.KAFKA_STORAGE_ERROR
  return version >= 13 ? errorCodes.UNKNOWN_TOPIC_ID : errorCodes.UNKNOWN_TOPIC_OR_PARTITION
}

function refuseTopic(data: TopicProduceData, errorCode: number): Input<ProduceResponse['responses'][number]> {
  return {
    name: data.name,
    topicId: data.topicId,
    partitionResponses: data.partitionData.map(({ index }) => refusal(index, errorCode)),
  }
}

function refusal(
  index: number,
  errorCode: number,
  errorMessage: string | null = null,
): Input<PartitionProduceResponse> {
  return { index, errorCode, baseOffset: -1n, logAppendTimeMs: -1n, logStartOffset: -1n, errorMessage }
}

function append(
  broker: Broker,
  request: ProduceRequest,
  version: number,
  topic: Topic | undefined,
  data: PartitionProduceData,
): Outcome {
  const refuse = (code: number, message?: string): Outcome => ({ answer: refusal(data.index, code, message ?? null) })
  if (![0, 1, -1].includes(request.acks)) return refuse(errorCodes.INVALID_REQUIRED_ACKS)
  const partition = topic?.partitions[data.index]
  if (topic === undefined || partition === undefined) {
    return refuse(
      version >= 13 && topic === undefined ? errorCodes.UNKNOWN_TOPIC_ID : errorCodes.UNKNOWN_TOPIC_OR_PARTITION,
    )
  }
  if (topic.isInternal) return refuse(errorCodes.INVALID_TOPIC_EXCEPTION)
  // min.insync.replicas is not asked: Kafka never demands more replicas than a partition has, and here that is one.
  const { records } = data
  if (records === null || records.length < batchOverhead) {
    return refuse(errorCodes.INVALID_RECORD, 'there is no whole record batch')
  }
  if (isTransactional(records, 0) && request.transactionalId === null) {
    return refuse(errorCodes.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
  }
  const accepted = acceptBatch(records, topic.settings, version, broker.clock.now())
  if (accepted.kind === 'refused') {
    const answer = refusal(data.index, accepted.error, accepted.message)
    return { answer: { ...answer, ...logStart(partition, accepted.error), recordErrors: accepted.records ?? [] } }
  }
  const verification = verify(broker, request, version, partition, accepted.batch)
  if (verification !== errorCodes.NONE) return refuse(verification)
  return write(partition, request, data.index, accepted.batch)
}

/** What was refused by the log tells where the log starts, but for batches that were not looked into. */
function logStart({ log }: Partition, error: number): { logStartOffset?: bigint } {
  if (error === errorCodes.CORRUPT_MESSAGE || error === errorCodes.MESSAGE_TOO_LARGE) return {}
  return { logStartOffset: BigInt(log.logStartOffset) }
}

/**
 * A transactional write must belong to a transaction that the coordinator knows to be open. It is asked in this same step,
 * so that nothing can come between its answer and the append.
 */
function verify(
  broker: Broker,
  request: ProduceRequest,
  version: number,
  partition: Partition,
  records: Buffer,
): number {
  if (!isTransactional(records, 0)) return errorCodes.NONE
  if (request.transactionalId === null) return errorCodes.INVALID_TXN_STATE
  const { producers } = partition.log
  const verification = producers.startVerification(records, version >= implicitAddVersion, broker.clock.now())
  if (verification.kind === 'open') return errorCodes.NONE
  if (verification.kind === 'refused') return verification.error
  const error = broker.transactions.verifyPartition({
    version,
    transactionalId: request.transactionalId,
    producerId: producerId(records, 0),
    producerEpoch: producerEpoch(records, 0),
    topic: partition.topic.name,
    partition: partition.index,
  })
  if (error === errorCodes.NONE) producers.confirmVerification(verification.guard)
  return error
}

function write(partition: Partition, request: ProduceRequest, index: number, batch: Buffer): Outcome {
  const { log } = partition
  const result = log.append(batch, 'client')
  if (result.kind === 'refused') {
    return { answer: { ...refusal(index, result.error), ...logStart(partition, result.error) } }
  }
  const answer: Input<PartitionProduceResponse> = {
    index,
    errorCode: errorCodes.NONE,
    baseOffset: BigInt(result.baseOffset),
    logAppendTimeMs: result.kind === 'appended' ? BigInt(result.logAppendTimeMs) : -1n,
    logStartOffset: BigInt(log.logStartOffset),
  }
  const position = result.lastOffset + 1
  if (request.acks === 0) return { answer }
  return { answer, wait: request.acks === 1 ? log.whenWritten(position) : log.whenDurable(position) }
}
