/** Where logs begin and end, and which record a time has. */
import { byTopic } from '../cluster/leaders.ts'
import { OptionError } from '../errors.ts'
import { errorCodes } from '../protocol/errors.ts'
import { listOffsetsApi } from '../protocol/generated/02-list-offsets.ts'
import { exactOrNull, listed, orNull, whole } from './checks.ts'
import { type AdminContext, type CallOptions, deadlineOf } from './context.ts'
import { run } from './errand.ts'
import { answersFor, type PartitionName, partitionName } from './partitions.ts'
import { toLeaders } from './routes.ts'

/**
 * `latest`: behind the last record. `max-timestamp`: the record with the highest timestamp. `{ timestamp }`: the first
 * record of that time or later.
 */
export type OffsetAt = 'earliest' | 'latest' | 'max-timestamp' | { readonly timestamp: number }

export interface OffsetQuestion extends PartitionName {
  readonly at: OffsetAt
}

export interface ListedOffset extends PartitionName {
  readonly at: OffsetAt
  /** null: there is no such record. */
  readonly offset: number | null
  /** Of the record; null for `earliest` and `latest`. */
  readonly timestamp: number | null
  readonly leaderEpoch: number | null
}

export type Isolation = 'read_uncommitted' | 'read_committed'

export interface ListOffsetsOptions extends CallOptions {
  /** read_committed: `latest` is where the first open transaction begins. Default read_uncommitted. */
  readonly isolation?: Isolation
}

const isolationLevels: Readonly<Record<Isolation, number>> = { read_uncommitted: 0, read_committed: 1 }
const timestamps = { latest: -1, earliest: -2, 'max-timestamp': -3 } as const

export function listOffsets(
  context: AdminContext,
  questions: readonly OffsetQuestion[],
  options: ListOffsetsOptions,
): Promise<readonly ListedOffset[]> {
  const { isolation = 'read_uncommitted' } = options
  const isolationLevel = isolationLevels[isolation]
  if (isolationLevel === undefined) {
    const known = Object.keys(isolationLevels).join(' or ')
    throw new OptionError('OPTION_INVALID', 'isolation', `isolation must be ${known}, not '${String(isolation)}'.`)
  }
  const nameOf = (item: OffsetQuestion): string => `${partitionName(item)} at ${timestampOf(item.at)}`
  return run<OffsetQuestion, ListedOffset>(context, {
    request: listOffsetsApi.name,
    items: listed(questions, 'questions', nameOf),
    nameOf: partitionName,
    deadline: deadlineOf(context, options),
    isTopicNewsLate: true,
    attempt: (open, errand) =>
      toLeaders(errand, open, async (node, theirs) => {
        const asked = layers(theirs).map(async (layer) => {
          const topics = [...byTopic(layer)].map(([name, list]) => ({
            name,
            partitions: list.map(({ partition, at }) => ({
              partitionIndex: partition,
              currentLeaderEpoch: -1,
              timestamp: BigInt(timestampOf(at)),
            })),
          }))
          const timeoutMs = errand.patienceMs
          const answer = await errand.ask(layer, node, listOffsetsApi, (version) => ({
            replicaId: -1,
            isolationLevel,
            topics,
            ...(version >= 10 ? { timeoutMs } : {}),
          }))
          for (const [item, told] of answersFor(layer, answer?.body.topics ?? [])) {
            const { topic, partition, at } = item
            if (told.errorCode !== errorCodes.NONE) {
              errand.refused(item, told.errorCode, node, listOffsetsApi)
              continue
            }
            errand.done(item, {
              topic,
              partition,
              at,
              offset: exactOrNull(told.offset),
              timestamp: exactOrNull(told.timestamp),
              leaderEpoch: orNull(told.leaderEpoch),
            })
          }
        })
        await Promise.all(asked)
      }),
  })
}

/** Brokers refuse a request that names a partition twice: begin and end of one are two requests. */
function layers(questions: readonly OffsetQuestion[]): readonly (readonly OffsetQuestion[])[] {
  const found: OffsetQuestion[][] = []
  const depths = new Map<string, number>()
  for (const question of questions) {
    const name = partitionName(question)
    const depth = depths.get(name) ?? 0
    depths.set(name, depth + 1)
    const layer = found[depth]
    if (layer === undefined) found[depth] = [question]
    else layer.push(question)
  }
  return found
}

function timestampOf(at: OffsetAt): number {
  if (typeof at === 'object' && at !== null) return whole(at.timestamp, 'at.timestamp')
  if (Object.hasOwn(timestamps, at)) return timestamps[at]
  const known = Object.keys(timestamps).map((each) => `'${each}'`)
  throw new OptionError('OPTION_INVALID', 'at', `at must be ${known.join(', ')} or { timestamp }.`)
}
