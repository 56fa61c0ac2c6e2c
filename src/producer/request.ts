/** One Produce request with batches of many partitions, and its answers by partition. */
import type { AskOptions, Wire } from '../cluster/wire.ts'
import { type PartitionProduceResponse, type ProduceRequest, produceApi } from '../protocol/generated/00-produce.ts'
import { type Input, zeroUuid } from '../protocol/types.ts'

export interface LoadedBatch {
  readonly key: string
  readonly topic: string
  readonly topicId: string
  readonly partition: number
  readonly bytes: Buffer
}

export interface ProduceFrame {
  readonly acks: number
  readonly transactionalId: string | null
  /** How long the broker may wait for its replicas. */
  readonly replicasTimeoutMs: number
  /** The newest version of the flow that we are in. */
  readonly maxVersion: number
}

/** From this version on topics go by their ids. */
const idsFrom = 13

/** By `topic-partition`; null: silence. */
export type ProduceAnswers = ReadonlyMap<string, PartitionProduceResponse>

export async function askProduce(
  wire: Wire,
  node: number,
  frame: ProduceFrame,
  load: readonly LoadedBatch[],
): Promise<{ readonly answers: ProduceAnswers; readonly throttleMs: number } | null> {
  const answer = await wire.ask(node, produceApi, questionOf(frame, load), optionsOf(frame, load))
  if (answer === null) return null
  const names = new Map(load.map(({ topicId, topic }) => [topicId, topic]))
  const answers = new Map<string, PartitionProduceResponse>()
  for (const { name, topicId, partitionResponses } of answer.body.responses) {
    const topic = answer.version >= idsFrom ? names.get(topicId) : name
    for (const response of partitionResponses) answers.set(`${topic}-${response.index}`, response)
  }
  return { answers, throttleMs: answer.body.throttleTimeMs }
}

/** Without acknowledgement. False: it was not sent. */
export function postProduce(
  wire: Wire,
  node: number,
  frame: ProduceFrame,
  load: readonly LoadedBatch[],
): Promise<boolean> {
  return wire.post(node, produceApi, questionOf(frame, load))
}

function optionsOf({ maxVersion }: ProduceFrame, load: readonly LoadedBatch[]): AskOptions {
  // A cluster whose metadata told no ids takes none.
  const isNamed = load.some(({ topicId }) => topicId === zeroUuid)
  return { maxVersion: isNamed ? Math.min(maxVersion, idsFrom - 1) : maxVersion }
}

function questionOf(
  { acks, transactionalId, replicasTimeoutMs }: ProduceFrame,
  load: readonly LoadedBatch[],
): (version: number) => Input<ProduceRequest> {
  return (version) => {
    const topics = new Map<string, { readonly id: string; readonly partitions: { index: number; records: Buffer }[] }>()
    for (const { topic, topicId, partition, bytes } of load) {
      let entry = topics.get(topic)
      if (entry === undefined) {
        entry = { id: topicId, partitions: [] }
        topics.set(topic, entry)
      }
      entry.partitions.push({ index: partition, records: bytes })
    }
    return {
      transactionalId,
      acks,
      timeoutMs: replicasTimeoutMs,
      topicData: [...topics].map(([name, { id, partitions }]) => ({
        ...(version >= idsFrom ? { topicId: id } : { name }),
        partitionData: partitions,
      })),
    }
  }
}
