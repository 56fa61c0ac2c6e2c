import type { Group } from './entry.ts'

export const delivery: Group = {
  title: 'Producing, delivery and transactions',
  about: 'Rejections of `producer.send()` and `producer.transaction()`, and what ends a consumer that writes.',
  entries: {
    RECORD_INVALID: [
      'A record cannot be written as it is.',
      'A key or value that is neither text nor bytes, a partition that does not exist, a partitioner that threw.',
      'Correct the record; nothing of it was sent.',
    ],
    DELIVERY_TIMEOUT: [
      'A record was not acknowledged within `deliveryTimeoutMs`.',
      'Brokers cannot be reached, or the buffer stayed full. The message says whether the record may be in the log.',
      'Look at the brokers. Raise `deliveryTimeoutMs`, or `maxBufferBytes` for bursts.',
    ],
    CLOSED: [
      'The producer was closed before the record was acknowledged.',
      '`close()` while sends were under way, and its time was over.',
      'Await what you send before you close, or give `close({ timeoutMs })` more time.',
    ],
    PRODUCE_FAILED: [
      'The cluster cannot be written to, for a reason outside the protocol.',
      'The connection failed in a way that is no answer of a broker; the cause is attached.',
      'Look at `error.cause`.',
    ],
    PRODUCER_BROKEN: [
      'The producer failed in a way that it should not.',
      'A defect of fanlane; the cause is attached.',
      'Close it and open another, and report it with `error.cause`.',
    ],
    TRANSACTIONAL_ID_NEEDED: [
      '`transaction()` was called on a producer without a transactional id.',
      '`transactionalId` is not set.',
      'Open it with `createProducer({ transactionalId })`.',
    ],
    TRANSACTION_NEEDED: [
      'Something has to happen inside a transaction, and does not.',
      'A transactional producer was used outside one; or an outbox or `once()` was given a pool, or a connection without a transaction.',
      'Use the `tx` of `producer.transaction`, or the client that your SQL transaction runs on.',
    ],
    TRANSACTION_NESTED: [
      'A transaction was begun inside another one of the same producer.',
      'A helper that opens its own transaction was called from within one.',
      'Pass the `tx` on, or begin the second one afterwards.',
    ],
    TRANSACTION_OVER: [
      'Something was sent in a transaction that has ended.',
      'A promise was not awaited inside the function.',
      'Await everything before the function returns.',
    ],
    TRANSACTION_ABORTED: [
      'The transaction was aborted; nothing of it is in.',
      'Something failed on the way that is no answer of the cluster.',
      'Run it again. The cause is attached.',
    ],
    TRANSACTION_UNKNOWN: [
      'Nobody knows whether the transaction was committed. It is in as a whole, or not at all.',
      'The answer of the cluster was lost.',
      'Read its topics before you run it again.',
    ],
    REQUEST_TIMEOUT: [
      'A request of a transaction was not answered.',
      'The transaction coordinator is away or overloaded.',
      'It is tried again; if it stays so, look at the brokers.',
    ],
    TRANSACTIONAL_ID_FENCED: [
      'Another producer took our transactional id. The consumer stops.',
      'Two processes were given the same `transactionalId`.',
      'Give every consumer an id of its own, or none: then it is generated.',
    ],
    COMMIT_FENCED: [
      '`consumer.commit()` came too late: a partition was lost before its commit was stored.',
      'A rebalance or an expired session at the same moment.',
      'Nothing: finished records of that partition run again elsewhere.',
    ],
    NO_TRANSACTIONAL_ID: [
      'A log client was asked for a transaction and has no transactional id.',
      'Only code that drives a log client by itself meets this.',
      'Give the client a transactional id.',
    ],
    PRODUCER_SPENT: [
      'A log client was asked for another transaction after one whose end is unknown.',
      'Only code that drives a log client by itself meets this; a consumer resets its producer first.',
      'Call `resetProducer()` before the next transaction.',
    ],
    FANLANE_RELAY: [
      'A warning of Node: an outbox relay has trouble, and nobody listens for it.',
      'No broker, no database, or a record that no broker takes.',
      'Listen for `failing` and `stuck` of the relay, and look at `relay.snapshot()`; it tries again by itself.',
    ],
  },
}
