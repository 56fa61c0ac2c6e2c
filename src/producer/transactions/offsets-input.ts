/** Offsets of a consumer group as users hand them to a transaction. */
import { FanlaneError } from '../../errors.ts'
import type { GroupMemberName, OffsetToCommit } from './requests.ts'

export interface TransactionOffsets {
  readonly groupId: string
  /** With the generation: the group refuses members that it has replaced. Without: it does not look. */
  readonly memberId?: string
  readonly generationId?: number
  readonly groupInstanceId?: string | null
  readonly offsets: readonly {
    readonly topic: string
    readonly partition: number
    /** Where to go on: one more than the last record that is done. */
    readonly offset: number
    readonly metadata?: string
    readonly leaderEpoch?: number
  }[]
}

export function toOffsets(input: TransactionOffsets): { member: GroupMemberName; offsets: readonly OffsetToCommit[] } {
  const { groupId, memberId = '', generationId = -1, groupInstanceId = null, offsets } = input
  if (typeof groupId !== 'string' || groupId === '') throw invalid('groupId is the name of the consumer group')
  if (!Array.isArray(offsets)) throw invalid('offsets is a list of { topic, partition, offset }')
  return {
    member: { groupId, memberId, generationId, groupInstanceId },
    offsets: (offsets as TransactionOffsets['offsets']).map(
      ({ topic, partition, offset, metadata = '', leaderEpoch = -1 }) => {
        if (typeof topic !== 'string' || topic === '') throw invalid('each of the offsets needs { topic }')
        if (!isWhole(partition) || !isWhole(offset))
          throw invalid(`'${topic}' needs { partition, offset }, whole numbers`)
        return { topic, partition, offset, metadata, leaderEpoch }
      },
    ),
  }
}

function isWhole(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function invalid(message: string): FanlaneError {
  return new FanlaneError('ARGUMENT_INVALID', `sendOffsets(): ${message}.`)
}
