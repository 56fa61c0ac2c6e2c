/**
 * Who owns what, as the members tell it. A join request that comes late may claim what was given away since: of two claims the
 * newer generation is right. Of two in the same generation nobody is; the partition is then in dispute.
 */
import type { TopicPartition } from '../../../../kernel/ids.ts'
import { partitionKey } from '../ownership.ts'

export interface Claimant {
  readonly memberId: string
  readonly topics: readonly string[]
  readonly owned: readonly TopicPartition[]
  readonly generationId: number
}

interface Claim {
  /** null: in dispute. */
  readonly memberId: string | null
  readonly generationId: number
  readonly lastClaimant: string
}

/** By partition key. */
export type Claims = ReadonlyMap<string, Claim>

export function claimsOf(claimants: readonly Claimant[]): Claims {
  const claims = new Map<string, Claim>()
  for (const { memberId, owned, generationId } of claimants) {
    for (const partition of owned) {
      const key = partitionKey(partition)
      const other = claims.get(key)
      if (other === undefined || other.generationId < generationId) {
        claims.set(key, { memberId, generationId, lastClaimant: memberId })
      } else if (other.generationId === generationId && other.lastClaimant !== memberId) {
        claims.set(key, { memberId: null, generationId, lastClaimant: memberId })
      }
    }
  }
  return claims
}
