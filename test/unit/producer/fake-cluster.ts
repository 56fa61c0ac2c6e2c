/**
 * A Wire on simulated time, and behind it leaders that judge sequence numbers as Apache Kafka does (the simulator's model of
 * it). Requests are written and read as on a socket. `fate` decides what becomes of each of them.
 */
import { Metadata } from '../../../src/cluster/metadata.ts'
import type { Answer, AskOptions, Question, Wire } from '../../../src/cluster/wire.ts'
import { type CoreOptions, ProducerCore } from '../../../src/producer/core.ts'
import { type ProducerRecord, toOutgoing } from '../../../src/producer/record.ts'
import type { Delivered } from '../../../src/producer/ticket.ts'
import type { Api } from '../../../src/protocol/api.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import type { ProduceRequest } from '../../../src/protocol/generated/00-produce.ts'
import { Reader } from '../../../src/protocol/reader.ts'
import * as header from '../../../src/protocol/record-batch/header.ts'
import { RecordCursor } from '../../../src/protocol/record-batch/reader.ts'
import type { Input } from '../../../src/protocol/types.ts'
import { Writer } from '../../../src/protocol/writer.ts'
import { Producers } from '../../../src/testing/sim/cluster/log/producers.ts'
import { VirtualClock } from '../../../src/testing/sim/virtual-clock.ts'

export interface Seen {
  readonly api: string
  readonly node: number
  readonly version: number
  readonly body: Record<string, unknown>
}

export interface SeenBatch {
  readonly topic: string
  readonly partition: number
  readonly producerId: number
  readonly epoch: number
  readonly sequence: number
  readonly count: number
  readonly compression: number
  readonly isTransactional: boolean
  readonly values: readonly string[]
}

/** `code`: every batch of it is refused with this. `batch`: batch by batch; undefined lets it through. */
export type Fate =
  | 'deliver'
  | 'lose-request'
  | 'lose-answer'
  /** Nobody hears of it again, but it arrives so much later. */
  | { readonly lateMs: number }
  | { readonly code: number }
  | {
      readonly batch: (
        batch: SeenBatch,
      ) => { code: number; recordErrors?: { index: number; message: string }[] } | undefined
    }
  | { readonly answer: Record<string, unknown> }

interface StoredBatch extends SeenBatch {
  readonly baseOffset: number
}

class Partition {
  readonly producers: Producers = new Producers()
  readonly batches: StoredBatch[] = []
  end = 0
  leader: number

  constructor(leader: number) {
    this.leader = leader
  }
}

const timeoutMs = 3_000

/** Real timers may fire a little before their time by the clock. Whoever looks at the clock then must not fall asleep for ever. */
class EarlyClock extends VirtualClock {
  override at(timeMs: number, callback: () => void): () => void {
    return super.at(timeMs - this.now() > 1 ? timeMs - 0.4 : timeMs, callback)
  }
}

export class FakeCluster implements Wire {
  readonly clock: VirtualClock
  isOpen = true
  fate: (seen: Seen) => Fate = () => 'deliver'
  features: Record<string, number> = {}
  delayMs = 1
  readonly seen: Seen[] = []
  readonly topics: Map<string, Partition[]> = new Map()
  /** Batches that reached a leader, refused or not. */
  readonly arrived: SeenBatch[] = []
  /** The largest batch that is taken. */
  maxBatchBytes: number = Number.POSITIVE_INFINITY
  unanswered = 0
  mostUnanswered = 0
  #nextProducerId = 1000
  #lastArrivalMs: Map<number, number> = new Map()
  #lastAnswerMs: Map<number, number> = new Map()

  constructor(seed = 1, topics: Record<string, number> = { orders: 3 }) {
    this.clock = new EarlyClock(seed)
    for (const [name, count] of Object.entries(topics)) {
      this.topics.set(
        name,
        Array.from({ length: count }, (_, index) => new Partition(index % 2)),
      )
    }
  }

  learnNodes(): void {}

  featureLevel(name: string): number {
    return this.features[name] ?? 0
  }

  async post<Q, R>(node: number, api: Api<Q, R>, question: Question<Q>): Promise<boolean> {
    const request = { ...this.#read(api, question, api.maxVersion), node }
    if (this.fate(request) !== 'deliver') return false
    this.#produce(request.body as unknown as ProduceRequest, request.version, 'deliver')
    return true
  }

  ask<Q, R>(node: number, api: Api<Q, R>, question: Question<Q>, options: AskOptions = {}): Promise<Answer<R> | null> {
    const version = Math.min(api.maxVersion, options.maxVersion ?? api.maxVersion)
    const seen = { ...this.#read(api, question, version), node }
    this.seen.push(seen)
    const fate = this.fate(seen)
    const { promise, resolve } = Promise.withResolvers<Answer<R> | null>()
    this.unanswered++
    this.mostUnanswered = Math.max(this.mostUnanswered, this.unanswered)
    const answer = (body: Input<R> | null): void => {
      this.unanswered--
      resolve(body === null ? null : { body: this.#written(api, body, version), version, node })
    }
    const silence = (): void => {
      this.clock.at(this.clock.now() + timeoutMs, () => answer(null))
    }
    if (fate === 'lose-request' || !this.isOpen) {
      silence()
      return promise
    }
    if (typeof fate === 'object' && 'lateMs' in fate) {
      silence()
      this.clock.at(this.clock.now() + fate.lateMs, () => this.#apply(seen, 'deliver'))
      return promise
    }
    this.clock.at(this.#after(this.#lastArrivalMs, node), () => {
      const body = this.#apply(seen, fate) as Input<R>
      if (fate === 'lose-answer') silence()
      else this.clock.at(this.#after(this.#lastAnswerMs, node), () => answer(body))
    })
    return promise
  }

  /** Connections keep the order of what is sent over them. */
  #after(last: Map<number, number>, node: number): number {
    const atMs = Math.max((last.get(node) ?? 0) + 0.001, this.clock.now() + this.delayMs)
    last.set(node, atMs)
    return atMs
  }

  #read<Q, R>(api: Api<Q, R>, question: Question<Q>, version: number): Omit<Seen, 'node'> {
    const writer = new Writer()
    const input = typeof question === 'function' ? (question as (version: number) => Input<Q>)(version) : question
    api.writeRequest(writer, input as Input<Q>, version)
    const reader = new Reader(Buffer.concat(writer.chunks()))
    return { api: api.name, version, body: api.readRequest(reader, version) as Record<string, unknown> }
  }

  #written<Q, R>(api: Api<Q, R>, body: Input<R>, version: number): R {
    const writer = new Writer()
    api.writeResponse(writer, body, version)
    return api.readResponse(new Reader(Buffer.concat(writer.chunks())), version)
  }

  #apply(seen: Seen, fate: Fate): object {
    if (typeof fate === 'object' && 'answer' in fate) return fate.answer
    const code = typeof fate === 'object' && 'code' in fate ? fate.code : 0
    switch (seen.api) {
      case 'Metadata':
        return this.#metadata(seen.body)
      case 'InitProducerId':
        return { errorCode: code, producerId: code === 0 ? BigInt(this.#nextProducerId++) : -1n, producerEpoch: 0 }
      case 'FindCoordinator':
        return { coordinators: (seen.body.coordinatorKeys as string[]).map((key) => ({ key, nodeId: 7 })) }
      case 'Produce':
        return this.#produce(seen.body as unknown as ProduceRequest, seen.version, fate)
      case 'AddPartitionsToTxn': {
        const topics = seen.body.v3AndBelowTopics as { name: string; partitions: number[] }[]
        return {
          resultsByTopicV3AndBelow: topics.map(({ name, partitions }) => ({
            name,
            resultsByPartition: partitions.map((partitionIndex) => ({ partitionIndex, partitionErrorCode: code })),
          })),
        }
      }
      case 'TxnOffsetCommit': {
        const topics = seen.body.topics as { name: string; partitions: { partitionIndex: number }[] }[]
        return {
          topics: topics.map(({ name, partitions }) => ({
            name,
            partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode: code })),
          })),
        }
      }
      case 'EndTxn': {
        const { producerId, producerEpoch } = seen.body as { producerId: bigint; producerEpoch: number }
        return { errorCode: code, ...(seen.version >= 5 ? { producerId, producerEpoch: producerEpoch + 1 } : {}) }
      }
      default:
        return { errorCode: code }
    }
  }

  #metadata(body: Record<string, unknown>): object {
    const names = body.topics as { name: string }[]
    return {
      brokers: [0, 1].map((nodeId) => ({ nodeId, host: 'h', port: 1 })),
      topics: names.map(({ name }) => {
        const partitions = this.topics.get(name)
        if (partitions === undefined) return { errorCode: errorCodes.UNKNOWN_TOPIC_OR_PARTITION, name }
        return {
          errorCode: 0,
          name,
          topicId: idOf(name),
          partitions: partitions.map(({ leader }, partitionIndex) => ({ partitionIndex, leaderId: leader })),
        }
      }),
    }
  }

  #produce(body: ProduceRequest, version: number, fate: Fate): object {
    return {
      responses: body.topicData.map(({ name, topicId, partitionData }) => {
        const topic = version >= 13 ? [...this.topics.keys()].find((each) => idOf(each) === topicId)! : name
        return {
          ...(version >= 13 ? { topicId } : { name }),
          partitionResponses: partitionData.map(({ index, records }) => this.#append(topic, index, records!, fate)),
        }
      }),
    }
  }

  #append(topic: string, index: number, records: Buffer, fate: Fate): object {
    const partition = this.topics.get(topic)![index]!
    if (!header.crcMatches(records, 0)) return { index, errorCode: errorCodes.CORRUPT_MESSAGE, baseOffset: -1n }
    const batch = seenBatch(topic, index, records)
    this.arrived.push(batch)
    const verdict = this.#judge(partition, batch, records, fate)
    if ('code' in verdict) {
      const { code, recordErrors = [] } = verdict
      return {
        index,
        errorCode: code,
        baseOffset: -1n,
        recordErrors: recordErrors.map((each) => ({ batchIndex: each.index, batchIndexErrorMessage: each.message })),
      }
    }
    return { index, errorCode: 0, baseOffset: BigInt(verdict.baseOffset) }
  }

  #judge(
    partition: Partition,
    batch: SeenBatch,
    records: Buffer,
    fate: Fate,
  ): { baseOffset: number } | { code: number; recordErrors?: { index: number; message: string }[] } {
    if (typeof fate === 'object' && 'code' in fate) return fate
    const refusal = typeof fate === 'object' && 'batch' in fate ? fate.batch(batch) : undefined
    if (refusal !== undefined) return refusal
    if (records.length > this.maxBatchBytes) return { code: errorCodes.MESSAGE_TOO_LARGE }
    const sequenced = {
      producerId: batch.producerId,
      producerEpoch: batch.epoch,
      baseSequence: batch.sequence,
      count: batch.count,
    }
    if (batch.producerId >= 0) {
      const verdict = partition.producers.judge(sequenced)
      if (verdict.kind === 'refuse') return { code: errorCodes[verdict.errorCode as keyof typeof errorCodes] }
      if (verdict.kind === 'duplicate') return { baseOffset: verdict.baseOffset }
    }
    const baseOffset = partition.end
    if (batch.producerId >= 0) partition.producers.appended(sequenced, baseOffset, false)
    partition.batches.push({ ...batch, baseOffset })
    partition.end += batch.count
    return { baseOffset }
  }

  values(topic: string, partition: number): readonly string[] {
    return this.topics.get(topic)![partition]!.batches.flatMap(({ values }) => values)
  }

  allValues(topic = 'orders'): readonly string[] {
    return this.topics.get(topic)!.flatMap((_, partition) => this.values(topic, partition))
  }

  requests(api: string): readonly Seen[] {
    return this.seen.filter((each) => each.api === api)
  }

  /** Runs until this is settled. */
  async during<T>(promise: Promise<T>, limitMs = 600_000): Promise<T> {
    let isSettled = false
    const settled = (): void => {
      isSettled = true
    }
    promise.then(settled, settled)
    await this.clock.runUntil(() => isSettled, limitMs)
    if (!isSettled) throw new Error(`not settled within ${limitMs} simulated ms`)
    return promise
  }
}

function idOf(topic: string): string {
  return Buffer.from(topic.padEnd(16, '.')).toString('base64url')
}

function seenBatch(topic: string, partition: number, records: Buffer): SeenBatch {
  const cursor = new RecordCursor().reset(records, 0, 2 ** 24)
  const values: string[] = []
  while (cursor.next()) values.push(cursor.value()?.toString() ?? 'null')
  return {
    topic,
    partition,
    producerId: header.producerId(records, 0),
    epoch: header.producerEpoch(records, 0),
    sequence: header.baseSequence(records, 0),
    count: header.recordCount(records, 0),
    compression: header.compressionType(records, 0),
    isTransactional: header.isTransactional(records, 0),
    values,
  }
}

export const coreDefaults: CoreOptions = {
  acks: -1,
  idempotent: true,
  lingerMs: 0,
  batchBytes: 16_384,
  compression: 0,
  partitioner: null,
  maxBufferBytes: 2 ** 20,
  deliveryTimeoutMs: 120_000,
  unknownTopicMs: 0,
  backoff: { backoffMs: 20, backoffMaxMs: 500 },
}

/** A core on a fake cluster. */
export class Bench {
  readonly cluster: FakeCluster
  readonly core: ProducerCore

  constructor(options: Partial<CoreOptions> = {}, cluster: FakeCluster = new FakeCluster()) {
    this.cluster = cluster
    this.core = new ProducerCore({
      wire: cluster,
      metadata: new Metadata(cluster),
      options: { ...coreDefaults, ...options },
      onError: (error) => {
        throw error
      },
    })
  }

  send(...records: readonly Partial<ProducerRecord>[]): Promise<readonly Delivered[]> {
    const sent = this.core.send(
      records.map((record) =>
        toOutgoing({ topic: 'orders', value: 'x', ...record }, Math.floor(this.cluster.clock.now())),
      ),
    )
    // Tests look when they like.
    sent.catch(() => undefined)
    return sent
  }

  /** One record of this value to partition 0. */
  put(value: string, partition = 0): Promise<readonly Delivered[]> {
    return this.send({ value, partition })
  }

  run(ms: number): Promise<boolean> {
    return this.cluster.clock.runUntil(this.cluster.clock.now() + ms)
  }
}
