/**
 * Who may answer for a partition. The simulated cluster is one place; here a request reaches one broker of it, and for what
 * that one does not lead (any more) it says so. Each partition has one replica, which moves with its leader: as Kafka does
 * for a partition that it knows of and does not hold, the leader epoch is not even looked at.
 *
 * Looked at twice, when the request arrives and when it is answered: a read may wait, and the leader may move meanwhile.
 */
import { anyNode } from '../../../cluster/wire.ts'
import type { ErrorCode } from '../cluster/errors.ts'
import type { RequestKind, RequestOf, Response, ResponseOf } from '../cluster/requests.ts'
import type { SimCluster } from '../cluster/sim-cluster.ts'
import { leaderOf, nodesDefault } from './cluster-map.ts'

interface Named {
  readonly topic: string
  readonly partition: number
}

/** Of the messages that only leaders answer. */
const refusals = {
  Fetch: {
    highWatermark: -1,
    lastStableOffset: -1,
    logStartOffset: -1,
    abortedTransactions: null,
    batches: [],
  },
  ListOffsets: { offset: -1, leaderEpoch: -1 },
  OffsetForLeaderEpoch: { leaderEpoch: -1, endOffset: -1 },
  Produce: { baseOffset: -1 },
} as const

type LedKind = keyof typeof refusals

/** Asks the cluster as this node would answer. */
export function askNode<K extends RequestKind>(
  cluster: SimCluster,
  node: number,
  nowMs: number,
  request: RequestOf<K>,
  respond: (response: ResponseOf<K>) => void,
): void {
  const { kind } = request
  if (!isLed(kind) || node === anyNode) return cluster.request(nowMs, request, respond)
  const leads = ({ topic, partition }: Named): boolean => {
    const epoch = cluster.leaderEpoch(topic, partition)
    // What does not exist is told by whoever is asked.
    return epoch === null || leaderOf(nodesDefault, partition, epoch) === node
  }
  const refused = ({ topic, partition }: Named): object => {
    const errorCode: ErrorCode = 'NOT_LEADER_OR_FOLLOWER'
    return { topic, partition, errorCode, ...refusals[kind] }
  }
  const asked = (request as unknown as { readonly partitions: readonly Named[] }).partitions
  const answer = (partitions: readonly Named[]): void => {
    const found = new Map(partitions.map((each) => [`${each.topic}-${each.partition}`, each]))
    const answers = asked.map((each) => {
      const led = found.get(`${each.topic}-${each.partition}`)
      return led === undefined || (kind === 'Fetch' && !leads(each)) ? refused(each) : led
    })
    respond({ kind, partitions: answers } as unknown as ResponseOf<K>)
  }
  const led = asked.filter(leads)
  if (led.length === 0) return answer([])
  // A read does not wait where one partition is in error.
  const waits = kind === 'Fetch' && led.length < asked.length ? { maxWaitMs: 0 } : {}
  cluster.request(nowMs, { ...request, ...waits, partitions: led } as RequestOf<K>, (response) =>
    answer((response as Response & { readonly partitions: readonly Named[] }).partitions),
  )
}

function isLed(kind: RequestKind): kind is LedKind {
  return kind in refusals
}
