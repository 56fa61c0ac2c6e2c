import type { Group } from './entry.ts'

export const stores: Group = {
  title: 'Stores',
  about: 'Dedup stores and outboxes. While a store is away records wait and nothing is lost; an `error` event says so.',
  entries: {
    DEDUP_STORE_FAILED: [
      'The dedup store rejected a call. Records wait, and it is tried again until it works.',
      'Redis or the database is away; the cause is attached.',
      'Bring the store back.',
    ],
    DEDUP_STORE_TIMEOUT: [
      'The dedup store did not answer within `dedup.timeoutMs`. Records wait, and it is asked again.',
      'It is overloaded, or the network swallows packets.',
      'Look at the store; raise `dedup.timeoutMs`.',
    ],
    DEDUP_ANSWER_INVALID: [
      'A store of your own answered something else than it should.',
      "`begin()` must answer 'new', 'done' or 'taken' for every id, in order.",
      'Run `dedupStoreChecks` of `fanlane/testing` on it.',
    ],
    DEDUP_CLAIM_LOST: [
      'Claims lapsed while their handlers ran, and somebody else has them: a handler may run twice.',
      'This process stood still for longer than `dedup.claimMs`.',
      'Raise `dedup.claimMs`, and look what blocks the event loop.',
    ],
    DEDUP_ID_INVALID: [
      'An id is no text of 1 to 1,024 bytes; the record fails for good.',
      '`dedup.idOf` threw, or a field is missing in the record.',
      'Return a text for every record.',
    ],
    PEER_MISSING: [
      'A store needs a package that is not installed.',
      'The stores for PostgreSQL need `pg`, that for Redis `ioredis`.',
      'Install it, or give a pool or client of your own.',
    ],
  },
}
