import type { Group } from './entry.ts'

/** The ones that users really meet. Everything else keeps its name in Kafka's own documentation. */
export const kafka: Group = {
  title: "Kafka's own",
  about:
    'Where a broker refuses something, `error.code` is the name that Kafka gives it. Those that can pass are tried again and are not seen. These are the ones that users meet.',
  entries: {
    UNKNOWN_TOPIC_OR_PARTITION: [
      'The cluster has no such topic or partition, or does not show it to us.',
      'It was not created and may not be by itself, or the ACLs hide it.',
      'Create it: `fanlane topics create`.',
    ],
    TOPIC_AUTHORIZATION_FAILED: [
      'This user may not read or write the topic.',
      'An ACL is missing.',
      'Allow READ and DESCRIBE to consume, WRITE to produce; `fanlane doctor` names what is missing.',
    ],
    GROUP_AUTHORIZATION_FAILED: ['This user may not use the group.', 'An ACL is missing.', 'Allow READ on the group.'],
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED: [
      'This user may not use the transactional id.',
      'An ACL is missing.',
      'Allow WRITE on the transactional id, or on a prefix of it.',
    ],
    MESSAGE_TOO_LARGE: [
      'A record is larger than the topic takes.',
      '`max.message.bytes` of the topic.',
      'Send less, or raise it.',
    ],
    NOT_ENOUGH_REPLICAS: [
      'Too few replicas are in sync to take a write with acks all.',
      'Brokers are down, `min.insync.replicas` is not met.',
      'It is tried again until `deliveryTimeoutMs`. Bring the brokers back.',
    ],
    OFFSET_OUT_OF_RANGE: [
      "The committed offset is not in the log any more, and `startFrom` is `'fail'`.",
      'Retention was faster than the consumer, or the topic was made again.',
      'Decide where to go on: `fanlane groups reset`, or another `startFrom`.',
    ],
    INCONSISTENT_GROUP_PROTOCOL: [
      'The members of the group have no assignor in common.',
      'A client with other assignors is in the group.',
      'Give all of them a common one: `client.assignors`.',
    ],
    INVALID_GROUP_ID: [
      'The broker does not take the name of the group.',
      'It is empty, or the group is of another kind.',
      'Choose another name.',
    ],
    INVALID_SESSION_TIMEOUT: [
      'The broker does not take the session time-out.',
      'It is outside `group.min.session.timeout.ms` and `group.max.session.timeout.ms`.',
      'Change `client.sessionTimeoutMs`, or the broker.',
    ],
    GROUP_MAX_SIZE_REACHED: [
      'The group has as many members as the broker allows.',
      '`group.max.size`.',
      'Start fewer processes: one with more `concurrency` does the work of many.',
    ],
    FENCED_INSTANCE_ID: [
      'Another process has the same `instanceId`; this one stops.',
      'Two processes were given one name.',
      'Give each its own.',
    ],
    UNRELEASED_INSTANCE_ID: [
      'Consumer protocol: another process still has this `instanceId`.',
      'It runs, or its session has not expired.',
      'It is tried again. Stop the other one.',
    ],
    PRODUCER_FENCED: [
      'Another producer has taken over the transactional id.',
      'Two producers with one id.',
      'Stop this one, or give each its own.',
    ],
    INVALID_TRANSACTION_TIMEOUT: [
      'The broker does not take the transaction time-out.',
      'It is above `transaction.max.timeout.ms`.',
      'Lower `client.transactionTimeoutMs`.',
    ],
    UNSUPPORTED_VERSION: [
      'The broker is too old for what was asked.',
      'A feature of newer brokers was used.',
      'Leave it out, or use a newer broker; 2.5 is the oldest.',
    ],
    TOPIC_ALREADY_EXISTS: [
      'The topic is there already.',
      'Somebody else created it.',
      'Nothing, if it has the partitions that you want.',
    ],
    NON_EMPTY_GROUP: [
      'A group that has members cannot be deleted, and its offsets cannot be moved.',
      'Consumers run.',
      'Stop them first.',
    ],
    POLICY_VIOLATION: [
      'A policy of the cluster refused the request.',
      'Rules of whoever runs it, for names or partition counts.',
      'Ask them; the message has their words.',
    ],
  },
}
