/**
 * Where replicas can lie: on the one broker, once.
 */
import { nodeId } from '../broker.ts'
import { Refused } from '../refused.ts'

/** Why these brokers cannot have a partition, or undefined if they can. */
export function replicasRefusal(brokerIds: readonly number[]): Refused | undefined {
  const refused = (what: string): Refused =>
    new Refused('INVALID_REPLICA_ASSIGNMENT', `The manual partition assignment includes ${what}`)
  if (brokerIds.length === 0) return refused('an empty replica list.')
  const ordered = brokerIds.toSorted((a, b) => a - b)
  const stranger = ordered.find((id) => id !== nodeId)
  const twice = ordered.find((id, i) => ordered[i - 1] === id)
  if (twice !== undefined) return refused(`the broker ${twice} more than once.`)
  return stranger === undefined ? undefined : refused(`broker ${stranger}, but no such broker is registered.`)
}

/** The same for all partitions of a new topic: numbered from 0, each once. */
export function assignmentsRefusal(
  assignments: readonly { readonly partitionIndex: number; readonly brokerIds: readonly number[] }[],
): Refused | undefined {
  const seen = new Set<number>()
  for (const { partitionIndex, brokerIds } of assignments) {
    if (seen.has(partitionIndex)) {
      const why = `Found multiple manual partition assignments for partition ${partitionIndex}`
      return new Refused('INVALID_REPLICA_ASSIGNMENT', why)
    }
    seen.add(partitionIndex)
    const refusal = replicasRefusal(brokerIds)
    if (refusal !== undefined) return refusal
  }
  if (assignments.every((_, index) => seen.has(index))) return undefined
  return new Refused('INVALID_REPLICA_ASSIGNMENT', 'partitions should be a consecutive 0-based integer sequence')
}
