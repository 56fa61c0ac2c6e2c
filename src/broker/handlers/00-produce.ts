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
import { batchSize, isTransactional, producerEpoch, producerId } from '../../protocol/record-batch/header.ts'
import { validateBatch } from '../../protocol/record-batch/validate.ts'
import type { Input } from '../../protocol/types.ts'
import { type Broker, cut } from '../broker.ts'
import { noAnswer, type Route, route } from '../server/route.ts'
import type { Partition, Topic } from '../topics/topic.ts'

/** From this version on a write adds its partition to the transaction. */
const implicitAddVersion = 12
const maxDecompressedBytes = 128 * 2 ** 20

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
        const partitionResponses = data.partitionData.map((partition) => {
          const { answer, wait } = append(broker, request, version, topic, partition)
          if (wait !== undefined) waits.push(wait)
          return answer
        })
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
  if (data.records === null || data.records.length === 0)
    return refuse(errorCodes.INVALID_RECORD, 'no record batch was sent')
  const problem = checkBatch(topic, data.records, broker.clock.now())
  if (problem !== undefined) return refuse(problem.code, problem.message)
  const verification = verify(broker, request, version, partition, data.records)
  if (verification !== errorCodes.NONE) return refuse(verification)
  return write(partition, request, data)
}

interface Problem {
  readonly code: number
  readonly message: string
}

function checkBatch(topic: Topic, records: Buffer, nowMs: number): Problem | undefined {
  const { settings } = topic
  if (batchSize(records, 0) > settings.maxMessageBytes && batchSize(records, 0) === records.length) {
    const message = `the batch has ${records.length} bytes, the topic takes max.message.bytes=${settings.maxMessageBytes}`
    return { code: errorCodes.MESSAGE_TOO_LARGE, message }
  }
  const checked = validateBatch(records, { maxDecompressedBytes, needKeys: settings.cleanupPolicies.has('compact') })
  if (checked.kind === 'invalid') return { code: errorCodes[checked.error], message: checked.message }
  if (settings.timestampType === 'LogAppendTime') return undefined
  if (
    checked.maxTimestamp > nowMs + settings.timestampAfterMaxMs ||
    checked.minTimestamp < nowMs - settings.timestampBeforeMaxMs
  ) {
    return {
      code: errorCodes.INVALID_TIMESTAMP,
      message: 'a timestamp is outside of what message.timestamp.*.max.ms allows',
    }
  }
  return undefined
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

function write(partition: Partition, request: ProduceRequest, data: PartitionProduceData): Outcome {
  const { log } = partition
  const result = log.append(owned(data.records ?? Buffer.alloc(0)), 'client')
  if (result.kind === 'refused') return { answer: refusal(data.index, result.error) }
  const isAppendTime = result.kind === 'appended' && result.logAppendTimeMs >= 0
  const answer: Input<PartitionProduceResponse> = {
    index: data.index,
    errorCode: errorCodes.NONE,
    baseOffset: BigInt(result.baseOffset),
    logAppendTimeMs: isAppendTime ? BigInt(result.logAppendTimeMs) : -1n,
    logStartOffset: BigInt(log.logStartOffset),
  }
  const position = result.lastOffset + 1
  if (request.acks === 0) return { answer }
  return { answer, wait: request.acks === 1 ? log.whenWritten(position) : log.whenDurable(position) }
}

/** The log keeps the batch: it must not keep the whole chunk that came from the socket with it. */
function owned(records: Buffer): Buffer {
  return records.length >= records.buffer.byteLength * 0.8 ? records : Buffer.from(records)
}
