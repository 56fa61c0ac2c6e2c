/**
 * A cluster of canned answers, for what a client makes of each of them: every request has a friendly answer, and a test
 * says which ones are answered otherwise, or not at all. Behaviour over time is tested on the simulated cluster.
 */
import type { NativeClient } from '../../../../../src/clients/native/native-client.ts'
import type { CommitEntry, Publication } from '../../../../../src/kernel/events.ts'
import { asEpoch, asOffset, asPosition, type TopicPartition } from '../../../../../src/kernel/ids.ts'
import type { LogClientListener, OutgoingRecord } from '../../../../../src/ports/log-client.ts'
import type { ErrorCode } from '../../../../../src/testing/sim/cluster/errors.ts'
import type {
  Request,
  RequestKind,
  RequestOf,
  Response,
  ResponseOf,
} from '../../../../../src/testing/sim/cluster/requests.ts'
import { VirtualClock } from '../../../../../src/testing/sim/virtual-clock.ts'
import { RequestTimeout, type SimTransport } from '../../../../../src/testing/sim/wire/transport.ts'
import { type ClientChoices, simClient } from './client.ts'

export type Reply<K extends RequestKind> = 'silence' | ErrorCode | ((request: RequestOf<K>) => ResponseOf<K>)

const LATENCY_MS = 1

export class Script implements SimTransport {
  readonly clock: VirtualClock = new VirtualClock(1)
  readonly sent: Request[] = []
  readonly told: string[] = []
  readonly #replies: Map<RequestKind, Reply<RequestKind>[]> = new Map()
  readonly client: NativeClient
  /** What `revoked` waits for. */
  release: Promise<void> = Promise.resolve()
  readonly listener: LogClientListener = {
    assigned: (partitions) => void this.told.push(`assigned ${names(partitions)}`),
    revoked: (partitions) => {
      this.told.push(`revoked ${names(partitions)}`)
      return this.release
    },
    lost: (partitions) => void this.told.push(`lost ${names(partitions)}`),
    failed: (error) => void this.told.push(`failed ${(error as { code?: string }).code ?? error}`),
  }

  constructor(choices: ClientChoices = {}) {
    this.client = simClient('c', this.clock.process('client'), this, choices)
  }

  /** The next requests of this kind are answered so, in this order; afterwards friendly again. */
  reply<K extends RequestKind>(kind: K, ...replies: Reply<K>[]): void {
    const list = this.#replies.get(kind) ?? []
    this.#replies.set(kind, list)
    list.push(...(replies as Reply<RequestKind>[]))
  }

  async start(): Promise<void> {
    await this.client.start(this.listener)
    await this.until(() => this.told.length > 0)
    await this.during(this.client.readPositions([lease(0), lease(1)]))
  }

  /** Let simulated time go on until the promise is there. */
  async during<T>(promise: Promise<T>): Promise<T> {
    let isThere = false
    const mark = (): void => {
      isThere = true
    }
    promise.then(mark, mark)
    await this.until(() => isThere)
    return promise
  }

  async until(condition: () => boolean): Promise<void> {
    if (!(await this.clock.runUntil(condition, 60_000))) throw new Error('It did not happen within a minute.')
  }

  count(kind: RequestKind): number {
    return this.sent.filter((request) => request.kind === kind).length
  }

  last<K extends RequestKind>(kind: K): RequestOf<K> {
    return this.sent.findLast((request) => request.kind === kind) as RequestOf<K>
  }

  call<K extends RequestKind>(request: RequestOf<K>, timeoutMs: number): Promise<ResponseOf<K>> {
    this.sent.push(request)
    const reply = this.#replies.get(request.kind)?.shift()
    return new Promise((resolve, reject) => {
      if (reply === 'silence') {
        this.clock.at(this.clock.now() + timeoutMs, () => reject(new RequestTimeout(request.kind)))
        return
      }
      const answer = typeof reply === 'function' ? reply(request) : friendly(request, reply ?? 'NONE')
      const holdMs = 'maxWaitMs' in request ? (request.maxWaitMs as number) : 0
      this.clock.at(this.clock.now() + LATENCY_MS + holdMs, () => resolve(answer as ResponseOf<K>))
    })
  }
}

/** The answer of a cluster where all is well, or the same request refused with a code. */
function friendly(request: Request, errorCode: ErrorCode): Response {
  const { kind } = request
  switch (kind) {
    case 'FindCoordinator':
      return { kind, errorCode, nodeId: 1 }
    case 'Metadata':
      return { kind, topics: request.topics.map((topic) => ({ topic, errorCode, partitions: leaders(2) })) }
    case 'JoinGroup':
      return joined(request, errorCode)
    case 'SyncGroup': {
      const own = request.assignments.find(({ memberId }) => memberId === request.memberId)
      return { kind, errorCode, protocolType: null, protocolName: null, assignment: own?.assignment ?? null }
    }
    case 'LeaveGroup':
      return { kind, errorCode, members: [] }
    case 'OffsetFetch': {
      const nothing = { errorCode, committedOffset: -1, committedLeaderEpoch: -1, metadata: null }
      return {
        kind,
        errorCode: 'NONE',
        partitions: (request.partitions ?? []).map((each) => ({ ...each, ...nothing })),
      }
    }
    case 'InitProducerId':
      return { kind, errorCode, producerId: 7, producerEpoch: 0 }
    case 'Heartbeat':
    case 'AddOffsetsToTxn':
    case 'EndTxn':
      return { kind, errorCode }
    case 'Fetch':
      return {
        kind,
        partitions: request.partitions.map(({ topic, partition }) => ({
          ...{ topic, partition, errorCode, highWatermark: 0, lastStableOffset: 0, logStartOffset: 0 },
          abortedTransactions: null,
          batches: [],
        })),
      }
    default: {
      const rest = { errorCode, offset: 0, leaderEpoch: 0, endOffset: 0, baseOffset: 0 }
      const partitions = request.partitions.map(({ topic, partition }) => ({ topic, partition, ...rest }))
      return { kind, partitions } as unknown as Response
    }
  }
}

let members = 0

function joined(request: RequestOf<'JoinGroup'>, errorCode: ErrorCode): ResponseOf<'JoinGroup'> {
  const isNew = request.memberId === ''
  const memberId = isNew ? `m${++members}` : request.memberId
  const metadata = request.protocols[0]?.metadata
  return {
    kind: 'JoinGroup',
    errorCode: errorCode === 'NONE' && isNew ? 'MEMBER_ID_REQUIRED' : errorCode,
    generationId: 1,
    protocolType: 'consumer',
    protocolName: request.protocols[0]?.name ?? null,
    leader: memberId,
    skipAssignment: false,
    memberId,
    members: [{ memberId, groupInstanceId: null, metadata }],
  }
}

/** The same answer, in this generation. */
export function joinedIn(generationId: number, request: RequestOf<'JoinGroup'>): ResponseOf<'JoinGroup'> {
  return { ...joined(request, 'NONE'), generationId }
}

function leaders(count: number): { partition: number; leaderEpoch: number }[] {
  return Array.from({ length: count }, (_, partition) => ({ partition, leaderEpoch: 0 }))
}

export function names(partitions: readonly TopicPartition[]): string {
  return partitions.map(({ topic, partition }) => `${topic}-${partition}`).join()
}

export function lease(partition: number, epoch: number = partition + 1): TopicPartition & Pick<CommitEntry, 'epoch'> {
  return { topic: 'in', partition, epoch: asEpoch(epoch) }
}

export function entry(partition: number, position: number, epoch?: number): CommitEntry {
  return { ...lease(partition, epoch), position: asPosition(position), metadata: 'map', leaderEpoch: 0 }
}

export function publication(offset: number, ...values: readonly string[]): Publication {
  const work = { ...lease(0), offset: asOffset(offset), attempt: 1 }
  const sends = values.map((value): OutgoingRecord => {
    const bytes = Buffer.from(value)
    return { topic: 'out', partition: 0, key: null, value: bytes, headers: [], size: bytes.length }
  })
  return { work, sends }
}
