/**
 * Kafka's cooperative-sticky assignor: members keep what they own while they join. A partition that somebody still owns is
 * given to nobody else in this round: its owner finds it missing from its assignment, gives it up, joins again, and then it
 * is free. The same for a partition in dispute: all who claim it give it up first.
 *
 * The generation of the claims is a field of the subscription from version 2 on, before that four bytes of user data.
 */
import { partitionKey } from '../ownership.ts'
import type { Assignor, MemberSubscription } from './assignor.ts'
import type { Claimant } from './claims.ts'
import { stickyPlan } from './sticky-plan.ts'

const generationBytes = 4

export const cooperativeSticky: Assignor = {
  name: 'cooperative-sticky',
  kind: 'cooperative',
  userData(owned, generationId) {
    const bytes = Buffer.alloc(generationBytes)
    // Who owned nothing says the same thing every time, so that a repeated request is recognised as one.
    bytes.writeInt32BE(owned.length === 0 ? -1 : generationId)
    return bytes
  },
  assign(members, partitionsOf) {
    const { plan, claims } = stickyPlan(members.map(claimantOf), partitionsOf)
    return new Map(
      [...plan].map(([memberId, partitions]) => [
        memberId,
        partitions.filter((partition) => {
          const claim = claims.get(partitionKey(partition))
          return claim === undefined || claim.memberId === memberId
        }),
      ]),
    )
  },
}

function claimantOf({ memberId, topics, owned, generationId, userData }: MemberSubscription): Claimant {
  const told = userData !== null && userData.length >= generationBytes ? userData.readInt32BE() : -1
  return { memberId, topics, owned, generationId: generationId >= 0 ? generationId : told }
}
