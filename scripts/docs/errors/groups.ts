import type { Group } from './entry.ts'

export const groups: Group = {
  title: 'Groups, positions and steering',
  about: 'What ends a consumer, and what `seek`, `skip`, `pause` and `commit` reject with.',
  entries: {
    NO_COMMITTED_OFFSET: [
      "A partition has no committed offset, and `startFrom` is `'fail'`.",
      'The group is new, or its offsets have expired.',
      "Commit one first (`fanlane groups reset`), or choose `'earliest'` or `'latest'`.",
    ],
    TOPIC_NOT_FOUND: [
      'A log in memory has no topic of that name.',
      'It was never created, or `topics` has a typing mistake.',
      'Create it with `log.createTopic(name, partitions)`.',
    ],
    UNKNOWN_TOPIC: [
      'Something was written to a topic that a log in memory does not have.',
      'The topic was never created.',
      'Create it with `log.createTopic(name, partitions)`.',
    ],
    UNKNOWN_PARTITION: [
      'There is no such partition.',
      'The topic has fewer partitions than thought.',
      'Check topic and partition.',
    ],
    BAD_PARTITION_COUNT: [
      'A topic of a log in memory was given no partitions.',
      'The count is 0, negative or no whole number.',
      'Give at least 1.',
    ],
    CONTROL_REFUSED: [
      'A `seek` or `skip` was not done.',
      'The partition is not held here, or the record is not in flight.',
      'Ask the member that holds it: `snapshot().partitions` says what is here.',
    ],
    CONSUMER_CLOSED: [
      'The consumer has ended.',
      'A method was called after `close()`, or after a fatal error.',
      'Start a new one with `consume()`; `consumer.closed` has the reason.',
    ],
    NOT_SUPPORTED: [
      'A log client cannot look up offsets by time.',
      'It comes from outside of fanlane and leaves `offsetsForTimes` out.',
      'Seek by offset instead.',
    ],
    NOT_STARTED: [
      'A log client was used before `start()`.',
      'Only code that drives a log client by itself meets this.',
      'Call `start()` first.',
    ],
    SUBSCRIPTION_UNREADABLE: [
      'The leader of the group cannot read what another member subscribed to.',
      'A client of another kind is in the group.',
      'Look for it with `fanlane groups`: all members need a common assignor.',
    ],
    ASSIGNMENT_UNREADABLE: [
      'What the leader of the group assigned cannot be read.',
      'The leader is a client of another kind.',
      'Look for it with `fanlane groups`: all members need a common assignor.',
    ],
    VERSION_INVALID: [
      'The cause of the two above: a version below zero.',
      'Bytes of another kind of client.',
      'As above.',
    ],
    HEARTBEAT_FAILED: [
      'The thread that sends heartbeats met an error that nobody foresaw.',
      'A defect of fanlane, or of a token function.',
      'The membership is taken again. Report it with its message.',
    ],
    HEARTBEAT_THREAD_LOST: [
      'The thread that sends heartbeats is gone.',
      'Something killed it: no memory, or threads are not allowed.',
      "Heartbeats go on from the event loop; `client.heartbeats: 'inline'` does so from the start.",
    ],
    STALLED: [
      'On the dashboard: one record has held its partition back for longer than `stalledAfterMs`.',
      'A handler that hangs, a retry that waits long, a parked key. The text says which.',
      'Look at the record; `consumer.skip` gives it up.',
    ],
    INVARIANT_BROKEN: [
      'A promise of fanlane would have been broken, so it stopped. Nothing untrue was committed.',
      'A defect of fanlane.',
      'Restart, and report it with the number in the message.',
    ],
  },
}
