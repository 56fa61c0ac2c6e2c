/**
 * The records of one transaction: which partition each belongs to, and writing them. One request per node carries the
 * first batch of every partition it leads, then the second ones, and so on. Nothing is repeated after silence.
 */
import { isLeaderElsewhere } from '../../../cluster/answers.ts'
import type { Backoff } from '../../../cluster/backoff.ts'
import type { Metadata } from '../../../cluster/metadata.ts'
import type { Wire } from '../../../cluster/wire.ts'
import { FanlaneError } from '../../../errors.ts'
import type { Publication, WorkId } from '../../../kernel/events.ts'
import type { OutgoingRecord } from '../../../ports/log-client.ts'
import type { Outgoing } from '../../../producer/record.ts'
import { askProduce, type LoadedBatch } from '../../../producer/request.ts'
import type { Topics } from '../../../producer/topics.ts'
import { verdictOn } from '../../../producer/verdict.ts'
import { errorCodes } from '../../../protocol/errors.ts'
import { encodeBatch } from '../../../protocol/record-batch/writer.ts'
import { zeroUuid } from '../../../protocol/types.ts'
import { outgoingOf } from './outgoing.ts'
import type { SequencedIdentity } from './sequences.ts'

export interface WriterParts {
  readonly wire: Wire
  readonly metadata: Metadata
  readonly topics: Topics
  /** Topics with a leader that said nothing: it may be gone for good, and others lead by now. */
  readonly silent: Set<string>
  readonly id: SequencedIdentity
  readonly transactionalId: string
  readonly maxVersion: number
  readonly batchBytes: number
  readonly compression: number
  readonly backoff: Backoff
  readonly deadlineMs: number
}

/** A record of a handler, and where it goes. */
export interface Sent {
  readonly key: string
  readonly topic: string
  readonly partition: number
  readonly record: Outgoing
  readonly work: WorkId
}

/** `code` null: silence, or nobody knows. `works`: whose records are refused, where it is about them. */
export interface WriteFailure {
  readonly code: number | null
  readonly detail: string | null
  readonly works: readonly WorkId[]
  /** They will never be taken; otherwise perhaps later. */
  readonly permanent: boolean
}

/** Whose records cannot be written, because there is no such topic for us. */
export interface Unroutable {
  readonly error: FanlaneError
  readonly works: readonly WorkId[]
}

interface Answered {
  readonly code: number
  readonly detail: string | null
  readonly blamed: number | null
}

interface Refused {
  readonly batch: readonly Sent[]
  readonly first: Sent
  readonly answer: Answered
}

const replicasTimeoutMs = 30_000
/** Batches are counted, too: what a broker must unpack at once is bounded. */
const batchRecordsMax = 10_000

/** What publications send, in order, or who of them sends to a topic that does not exist (now). */
export async function route(
  parts: Pick<WriterParts, 'wire' | 'topics'>,
  publications: readonly Publication[],
): Promise<readonly Sent[] | Unroutable> {
  const { wire, topics } = parts
  const sent: Sent[] = []
  for (const { sends, work } of publications) {
    for (const output of sends as readonly OutgoingRecord[]) {
      const record = outgoingOf(output, wire.clock.now())
      const { topic } = record
      const error = topics.info(topic) === null ? await topics.lookUp(topic) : null
      if (error !== null) return { error, works: sendersTo(topic, publications) }
      const info = topics.info(topic)
      const partition = info === null ? -1 : topics.partitioner(topic).partitionFor(record, info)
      if (info === null || partition >= info.partitions.length) {
        return { error: noSuchPartition(topic, partition), works: [work] }
      }
      sent.push({ key: `${topic}-${partition}`, topic, partition, record, work })
    }
  }
  return sent
}

export function sendersTo(topic: string, publications: readonly Publication[]): readonly WorkId[] {
  return publications
    .filter(({ sends }) => (sends as readonly OutgoingRecord[]).some((sent) => sent.topic === topic))
    .map(({ work }) => work)
}

export class TransactionWriter {
  readonly #parts: WriterParts

  constructor(parts: WriterParts) {
    this.#parts = parts
  }

  /** null: everything is in. */
  async write(sent: readonly Sent[]): Promise<WriteFailure | null> {
    const lanes = Map.groupBy(sent, ({ key }) => key)
    const queues = [...lanes.values()].map((records) => this.#batches(records))
    for (let round = 0; ; round++) {
      const batches = queues.flatMap((queue) => queue.slice(round, round + 1))
      if (batches.length === 0) return null
      const failure = await this.#write(batches)
      if (failure !== null) return failure
    }
  }

  #batches(records: readonly Sent[]): Sent[][] {
    const batches: Sent[][] = []
    let bytes = Number.POSITIVE_INFINITY
    for (const sent of records) {
      const last = batches.at(-1)
      if (last === undefined || bytes + sent.record.cost > this.#parts.batchBytes || last.length >= batchRecordsMax) {
        batches.push([sent])
        bytes = sent.record.cost
      } else {
        last.push(sent)
        bytes += sent.record.cost
      }
    }
    return batches
  }

  async #write(batches: readonly (readonly Sent[])[]): Promise<WriteFailure | null> {
    const answers = await this.#ask(batches)
    const refused: Refused[] = []
    let isSilent = false
    for (const batch of batches) {
      const [first] = batch
      if (first === undefined) continue
      const answer = answers.get(first.key)
      if (answer === undefined) isSilent = true
      // Who is in counts on, before anything of the same partition is sent again.
      else if (verdictOn(answer.code) === 'stored') this.#parts.id.advance(first.key, batch.length)
      else refused.push({ batch, first, answer })
    }
    // There is no use in the others any more.
    if (isSilent) return unclear
    if (refused.length === 0) this.#parts.backoff.reset()
    return this.#settle(refused)
  }

  /** What may be tried again is tried together: one pause for all of them. */
  async #settle(refused: readonly Refused[]): Promise<WriteFailure | null> {
    const { wire, metadata, backoff, deadlineMs } = this.#parts
    const passing: Refused[] = []
    for (const each of refused) {
      const verdict = verdictOn(each.answer.code)
      const mayPass = verdict === 'again' || verdict === 'perhaps'
      if (mayPass && wire.clock.now() < deadlineMs) passing.push(each)
      else {
        const failure = await this.#refused(each)
        if (failure !== null) return failure
      }
    }
    if (passing.length === 0) return null
    // An answer is no silence: nothing of these requests is still under way.
    await backoff.pause()
    const moved = passing.filter(({ answer }) => isLeaderElsewhere(answer.code)).map(({ first }) => first.topic)
    await metadata.refresh([...new Set(moved)])
    return this.#write(passing.map(({ batch }) => batch))
  }

  async #refused({ batch, first, answer }: Refused): Promise<WriteFailure | null> {
    const { code, detail, blamed } = answer
    const verdict = verdictOn(code)
    const all = [...new Set(batch.map(({ work }) => work))]
    // It may be in. The same numbers, given to other records of the next transaction, would be taken for a repetition of it.
    if (verdict === 'perhaps') return unclear
    if (verdict === 'again') return { code, detail, works: all, permanent: false }
    if (isTopicRefusal(code)) return { code, detail, works: all, permanent: true }
    if (verdict !== 'unwritable') return { code, detail, works: [], permanent: false }
    if (batch.length === 1) return { code, detail, works: [first.work], permanent: true }
    const guilty = blamed === null ? undefined : batch[blamed]
    if (guilty !== undefined) return { code, detail, works: [guilty.work], permanent: true }
    // Too large together; alone, the guilty one shows.
    const middle = batch.length >> 1
    return (await this.#write([batch.slice(0, middle)])) ?? (await this.#write([batch.slice(middle)]))
  }

  /** By partition; what is missing met with silence. */
  async #ask(batches: readonly (readonly Sent[])[]): Promise<ReadonlyMap<string, Answered>> {
    const { wire, metadata, silent, transactionalId, maxVersion } = this.#parts
    const loads = new Map<number, LoadedBatch[]>()
    const answers = new Map<string, Answered>()
    for (const batch of batches) {
      const [first] = batch
      if (first === undefined) continue
      const { key, topic, partition } = first
      const { leader } = metadata.partition(topic, partition)
      if (leader < 0) {
        answers.set(key, { code: errorCodes.LEADER_NOT_AVAILABLE, detail: null, blamed: null })
        continue
      }
      const load = loads.get(leader) ?? []
      loads.set(leader, load)
      load.push({
        key,
        topic,
        topicId: metadata.topic(topic)?.id ?? zeroUuid,
        partition,
        bytes: this.#encode(key, batch),
      })
    }
    const frame = { acks: -1, transactionalId, replicasTimeoutMs, maxVersion }
    const asked = [...loads].map(async ([node, load]) => {
      const answer = await askProduce(wire, node, frame, load)
      if (answer === null) for (const { topic } of load) silent.add(topic)
      return answer
    })
    for (const answer of await Promise.all(asked)) {
      for (const [key, { errorCode, errorMessage, recordErrors }] of answer?.answers ?? []) {
        const [blamed] = recordErrors
        const detail = blamed?.batchIndexErrorMessage ?? errorMessage
        answers.set(key, { code: errorCode, detail, blamed: blamed?.batchIndex ?? null })
      }
    }
    return answers
  }

  #encode(key: string, batch: readonly Sent[]): Buffer {
    const { id, compression } = this.#parts
    return encodeBatch({
      records: batch.map(({ record }) => record),
      producerId: id.producerId,
      producerEpoch: id.producerEpoch,
      baseSequence: id.nextSequence(key),
      transactional: true,
      compression,
    })
  }
}

const unclear: WriteFailure = { code: null, detail: null, works: [], permanent: false }

const topicRefusals: ReadonlySet<number> = new Set([
  errorCodes.TOPIC_AUTHORIZATION_FAILED,
  errorCodes.INVALID_TOPIC_EXCEPTION,
  errorCodes.POLICY_VIOLATION,
])

/** The topic is not for us: whoever sends there has failed, nobody else has. */
export function isTopicRefusal(code: number): boolean {
  return topicRefusals.has(code)
}

function noSuchPartition(topic: string, partition: number): FanlaneError {
  const message = `Topic '${topic}' has no partition ${partition}. Correct the number, or leave it out.`
  return new FanlaneError('UNKNOWN_TOPIC_OR_PARTITION', message, { retriable: true })
}
