/** Requests with the fields that a script does not care about filled in. Groups and ids are renamed by the target. */
import type { RequestKind } from '../../../src/testing/sim/cluster/requests.ts'
import { type Ask, ref } from '../script.ts'

type Fields<K extends RequestKind> = Partial<Ask<K>['fields']>

const range = [{ name: 'range', metadata: { topics: ['in'] } }]
const group = { node: ref('groupNode'), groupId: 'g' }
const dynamic = { groupInstanceId: null }
/** Long enough never to expire in a script that does not want it to. */
const calmMs = 20_000

export function findCoordinator(fields: Fields<'FindCoordinator'>): Ask<'FindCoordinator'> {
  return { kind: 'FindCoordinator', fields: { keyType: 'group', key: 'g', ...fields } }
}

export function metadata(...topics: string[]): Ask<'Metadata'> {
  return { kind: 'Metadata', fields: { topics } }
}

export function join(fields: Fields<'JoinGroup'> = {}): Ask<'JoinGroup'> {
  return {
    kind: 'JoinGroup',
    fields: {
      ...group,
      ...dynamic,
      clientId: 'c',
      sessionTimeoutMs: calmMs,
      rebalanceTimeoutMs: calmMs,
      memberId: '',
      protocolType: 'consumer',
      protocols: range,
      ...fields,
    },
  }
}

export function sync(fields: Fields<'SyncGroup'>): Ask<'SyncGroup'> {
  return {
    kind: 'SyncGroup',
    fields: {
      ...group,
      ...dynamic,
      generationId: 1,
      memberId: '',
      protocolType: 'consumer',
      protocolName: 'range',
      assignments: [],
      ...fields,
    },
  }
}

export function heartbeat(fields: Fields<'Heartbeat'>): Ask<'Heartbeat'> {
  return { kind: 'Heartbeat', fields: { ...group, ...dynamic, generationId: 1, memberId: '', ...fields } }
}

export function leave(
  members: Ask<'LeaveGroup'>['fields']['members'],
  fields: Fields<'LeaveGroup'> = {},
): Ask<'LeaveGroup'> {
  return { kind: 'LeaveGroup', fields: { ...group, members, ...fields } }
}

export function position(
  committedOffset: number,
  committedMetadata: string | null = 'm',
  topic = 'in',
  partition = 0,
): {
  topic: string
  partition: number
  committedOffset: number
  committedLeaderEpoch: number
  committedMetadata: string | null
} {
  return { topic, partition, committedOffset, committedLeaderEpoch: 0, committedMetadata }
}

export function commit(fields: Fields<'OffsetCommit'>): Ask<'OffsetCommit'> {
  return {
    kind: 'OffsetCommit',
    fields: { ...group, ...dynamic, generationId: -1, memberId: '', partitions: [position(5)], ...fields },
  }
}

export function fetchOffsets(fields: Fields<'OffsetFetch'> = {}): Ask<'OffsetFetch'> {
  return {
    kind: 'OffsetFetch',
    fields: { ...group, requireStable: true, partitions: [{ topic: 'in', partition: 0 }], ...fields },
  }
}

const txn = { node: ref('txnNode'), transactionalId: 't' }
const producer = { producerId: ref('pid'), producerEpoch: ref('epoch') }

export function initProducer(fields: Fields<'InitProducerId'> = {}): Ask<'InitProducerId'> {
  return {
    kind: 'InitProducerId',
    fields: { ...txn, transactionTimeoutMs: 60_000, producerId: -1, producerEpoch: -1, ...fields },
  }
}

export function addPartitions(fields: Fields<'AddPartitionsToTxn'> = {}): Ask<'AddPartitionsToTxn'> {
  return {
    kind: 'AddPartitionsToTxn',
    fields: { ...txn, ...producer, partitions: [{ topic: 'out', partition: 0 }], ...fields },
  }
}

export function addOffsets(fields: Fields<'AddOffsetsToTxn'> = {}): Ask<'AddOffsetsToTxn'> {
  return { kind: 'AddOffsetsToTxn', fields: { ...txn, ...producer, groupId: 'g', ...fields } }
}

export function commitInTxn(fields: Fields<'TxnOffsetCommit'> = {}): Ask<'TxnOffsetCommit'> {
  return {
    kind: 'TxnOffsetCommit',
    fields: {
      ...group,
      ...dynamic,
      ...producer,
      transactionalId: 't',
      generationId: -1,
      memberId: '',
      partitions: [position(7, 't')],
      ...fields,
    },
  }
}

export function endTxn(committed: boolean, fields: Fields<'EndTxn'> = {}): Ask<'EndTxn'> {
  return { kind: 'EndTxn', fields: { ...txn, ...producer, committed, ...fields } }
}

type Batch = Partial<Extract<Ask<'Produce'>['fields']['partitions'], readonly unknown[]>[number]>

/** One batch of `values`, in the transaction `t` unless told otherwise. */
export function produce(
  values: readonly string[],
  batch: Batch = {},
  transactionalId: string | null = 't',
): Ask<'Produce'> {
  return {
    kind: 'Produce',
    fields: {
      transactionalId,
      partitions: [
        {
          topic: 'out',
          partition: 0,
          ...producer,
          baseSequence: 0,
          isTransactional: transactionalId !== null,
          records: values.map((value) => ({ key: 'k', value, size: value.length + 1 })),
          ...batch,
        },
      ],
    },
  }
}

type FetchPart = Partial<Extract<Ask<'Fetch'>['fields']['partitions'], readonly unknown[]>[number]>

export function fetch(part: FetchPart = {}, fields: Fields<'Fetch'> = {}): Ask<'Fetch'> {
  const whole = { topic: 'out', partition: 0, currentLeaderEpoch: -1, fetchOffset: 0, partitionMaxBytes: 1_000_000 }
  return {
    kind: 'Fetch',
    fields: {
      maxWaitMs: 0,
      maxBytes: 10_000_000,
      isolationLevel: 'read_committed',
      partitions: [{ ...whole, ...part }],
      ...fields,
    },
  }
}

export function listOffsets(timestamp: -1 | -2, fields: Fields<'ListOffsets'> = {}): Ask<'ListOffsets'> {
  const partitions = [{ topic: 'out', partition: 0, currentLeaderEpoch: -1, timestamp }]
  return { kind: 'ListOffsets', fields: { isolationLevel: 'read_committed', partitions, ...fields } }
}

export function leaderEpochEnd(leaderEpoch: number, fields: object = {}): Ask<'OffsetForLeaderEpoch'> {
  return {
    kind: 'OffsetForLeaderEpoch',
    fields: { partitions: [{ topic: 'out', partition: 0, currentLeaderEpoch: -1, leaderEpoch, ...fields }] },
  }
}
