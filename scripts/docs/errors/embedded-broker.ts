import type { Group } from './entry.ts'

export const embeddedBroker: Group = {
  title: 'Embedded broker',
  about:
    'Thrown by `startBroker()` and its faults, logged by the broker, or told by `broker.failed` when it has to end. Clients get Kafka’s own names instead.',
  entries: {
    BROKER_CANNOT_LISTEN: [
      'The port cannot be opened.',
      'It is in use, or may not be used by this user.',
      'Give another port, or 0.',
    ],
    BROKER_NEEDS_AUTHENTICATION: [
      'A broker that other machines can reach needs logins.',
      '`host` is not of this machine alone, and there is no `sasl`.',
      'Give `sasl` with users, or leave `host` out.',
    ],
    BROKER_TLS_INVALID: [
      'Certificate or key cannot be used.',
      'They are no PEM, or do not belong together.',
      'Check both with `openssl x509` and `openssl pkey`.',
    ],
    DATA_DIRECTORY_IN_USE: [
      'Another broker has this data directory.',
      'It still runs; the message has its process.',
      'Stop it first, or choose another directory.',
    ],
    DATA_DIRECTORY_LOST: [
      'Another process took the data directory while this one stood still. The broker ends.',
      'The machine was suspended, or somebody deleted the lock file.',
      'Start one broker on one directory.',
    ],
    DISK_FAILED: [
      'The disk refused a read or a write.',
      'It is full, read-only or broken. The message has the reason of the system.',
      'Repair that, then start the broker again.',
    ],
    DISK_SHORT_READ: [
      'A file is shorter than it was.',
      'Something else has changed it.',
      'Restore the data directory from a backup.',
    ],
    LOG_FAILED: [
      'A log cannot be written any more; nothing is acknowledged from now on, and the broker ends.',
      'A write or fsync failed; after that nobody knows what is stored.',
      'Repair the disk and start again: everything acknowledged is recovered.',
    ],
    LOG_CLOSED: [
      'A write came to a log that is closed.',
      'The topic is being deleted, or the broker is closing.',
      'Nothing, if you meant it.',
    ],
    LOG_DAMAGED: [
      'Records inside a log are damaged. They are not served, and not cut off in silence.',
      'The disk, or a program that wrote to the file.',
      'Restore the file from a backup, or delete the records before the next good offset; the message has the place.',
    ],
    LOG_TAIL_CUT: [
      'A warning: a log ended in the middle of a write, and the end was cut.',
      'The process or the machine died while writing.',
      'Nothing: it was never acknowledged.',
    ],
    LOG_CHECKPOINT_DAMAGED: [
      'A warning: a note beside a log is damaged, and the log is read instead.',
      'The machine died while writing.',
      'Records that were deleted may be back: delete them again.',
    ],
    PRODUCER_SNAPSHOT_CORRUPT: [
      'A warning: a snapshot of producers cannot be used.',
      'The machine died while writing.',
      'Nothing: it is rebuilt from the log.',
    ],
    BROKER_METADATA_INVALID: [
      'What the broker knows of its topics cannot be read.',
      'The data directory was changed by something else.',
      'Restore it from a backup.',
    ],
    STATE_RECORD_UNKNOWN: [
      'Offsets or groups were stored by another version.',
      'A newer fanlane wrote this data directory.',
      'Start the version that wrote it.',
    ],
    TRANSACTION_STATE_UNREADABLE: [
      'The state of a transaction was stored by another version.',
      'A newer fanlane wrote this data directory.',
      'Start the version that wrote it.',
    ],
    TRANSACTION_STEP_INVALID: [
      'The transaction coordinator met a step that cannot happen.',
      'A defect of the broker.',
      'Report it with the message.',
    ],
    GROUP_STATE_INVALID: [
      'The group coordinator met a step that cannot happen.',
      'A defect of the broker.',
      'Report it with the message.',
    ],
    SASL_REFUSED: [
      'A client was refused its login; it gets SASL_AUTHENTICATION_FAILED.',
      'Wrong user or password.',
      'Compare with `sasl.users` of the broker.',
    ],
    BROKER_FAILED: [
      'The thread of an isolated broker failed.',
      'Something that is loaded into every thread (`--import`), or a defect.',
      'Look at the cause; without `isolate` the broker runs in your own thread.',
    ],
    BROKER_CRASHED: [
      'A fault that you planted has crashed the broker.',
      '`faults.disk({ crashAfterBytes })`.',
      'Start it again on the same directory: that is what the fault is for.',
    ],
    BROKER_FAULT_FAILED: [
      'A fault could not be planted in an isolated broker.',
      'It is closed, or its thread does not answer.',
      'Plant faults while it runs.',
    ],
    BROKER_FAULT_NOT_PORTABLE: [
      'A fault with a function cannot travel to another thread.',
      '`when` together with `isolate: true`.',
      'Match by api, topic, group and clientId, or leave `isolate` out.',
    ],
  },
}
