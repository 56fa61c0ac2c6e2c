/**
 * The conformance scripts, replayed on the group coordinator alone: two of them share a state log, and at most one is
 * active. Transactions come from the simulated cluster, which was verified against Apache Kafka.
 */
import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { ManualClock } from '../../../../../src/broker/clock.ts'
import { GroupCoordinator } from '../../../../../src/broker/groups/coordinator.ts'
import { defaultGroupOptions } from '../../../../../src/broker/groups/options.ts'
import { errorCodes, errorName } from '../../../../../src/protocol/errors.ts'
import { offsetCommitApi } from '../../../../../src/protocol/generated/08-offset-commit.ts'
import { offsetFetchApi } from '../../../../../src/protocol/generated/09-offset-fetch.ts'
import { joinGroupApi } from '../../../../../src/protocol/generated/11-join-group.ts'
import { heartbeatApi } from '../../../../../src/protocol/generated/12-heartbeat.ts'
import { leaveGroupApi } from '../../../../../src/protocol/generated/13-leave-group.ts'
import { syncGroupApi } from '../../../../../src/protocol/generated/14-sync-group.ts'
import { txnOffsetCommitApi } from '../../../../../src/protocol/generated/28-txn-offset-commit.ts'
import type { TopicPartitionName } from '../../../../../src/testing/sim/cluster/group-messages.ts'
import { settingsOf } from '../../../../../src/testing/sim/cluster/options.ts'
import type { Request, Response } from '../../../../../src/testing/sim/cluster/requests.ts'
import { Timers } from '../../../../../src/testing/sim/cluster/timers.ts'
import { TxnCoordinator } from '../../../../../src/testing/sim/cluster/transactions/txn-coordinator.ts'
import type { Control, Script } from '../../../../conformance/script.ts'
import type { Exchange, ScriptTarget } from '../../../../conformance/script-runner.ts'
import { FakeTopics } from './fake-topics.ts'
import { MemoryStateLog } from './memory-state-log.ts'
import { backOverTheWire, overTheWire, subscription } from './wire.ts'

type RequestOfKind<K extends Request['kind']> = Extract<Request, { kind: K }>

const clientHost = '/127.0.0.1'

const userData = (bytes: Buffer): unknown => (bytes.length === 0 ? null : JSON.parse(bytes.subarray(10).toString()))
const plain = (bytes: Buffer): unknown => (bytes.length === 0 ? null : JSON.parse(bytes.toString()))

export class CoordinatorTarget implements ScriptTarget {
  #clock = new ManualClock(0)
  #timers = new Timers()
  #log = new MemoryStateLog()
  #topics = new FakeTopics()
  #nodes: GroupCoordinator[] = []
  #node = 1
  #transactions: TxnCoordinator | null = null
  readonly #newUuid: () => string

  constructor(newUuid: () => string = randomUUID) {
    this.#newUuid = newUuid
  }

  async open(script: Script): Promise<void> {
    const counts = Object.entries(script.topics ?? {}).map(([name, spec]) => [
      name,
      typeof spec === 'string' ? 1 : spec.partitions,
    ])
    this.#clock = new ManualClock(0)
    this.#timers = new Timers()
    this.#log = new MemoryStateLog()
    this.#topics = new FakeTopics(Object.fromEntries(counts))
    const options = { ...defaultGroupOptions, groupMinSessionTimeoutMs: 100 }
    const surroundings = { stateLog: this.#log, topics: this.#topics, clock: this.#clock, options }
    this.#nodes = [1, 2].map(() => new GroupCoordinator({ ...surroundings, newUuid: this.#newUuid }))
    this.#node = 1
    this.#nodes[0]!.load()
    this.#nodes[1]!.unload()
    const exists = ({ topic, partition }: TopicPartitionName): boolean =>
      partition < (this.#topics.partitionCount(topic) ?? 0)
    this.#transactions = new TxnCoordinator(
      this.#timers,
      settingsOf({ topics: {} }),
      exists,
      (_, target, txn, committed) => {
        if (target !== 'group') return
        const result = committed ? 'commit' : 'abort'
        this.#log.marker(txn.producerId, result)
        this.#nodes[this.#node - 1]!.completeTransaction(txn.producerId, result)
      },
    )
  }

  async send(_actor: string, request: Request): Promise<Exchange> {
    let answer: Response | null = null
    const pending = this.#ask(request).then((response) => {
      answer = response
      return response
    })
    await turn()
    return {
      get answered() {
        return answer !== null
      },
      answer: async () => {
        await turn()
        if (answer === null) throw new Error('no answer')
        return pending
      },
    }
  }

  async advance(ms: number): Promise<void> {
    const end = this.#clock.now() + ms
    while (this.#clock.now() < end) {
      this.#clock.advance(Math.min(this.#timers.next(), end) - this.#clock.now())
      this.#timers.run(this.#clock.now())
      await turn()
    }
  }

  async control(control: Control): Promise<void> {
    switch (control.kind) {
      case 'moveCoordinator':
        if (control.of === 'transaction') this.#transactions!.move(this.#clock.now(), control.loading ? 1_000 : 0)
        else await this.#moveGroups(control.loading)
        return
      case 'awaitLoaded':
        await this.advance(1_000)
        this.#nodes[this.#node - 1]!.load()
        return
      case 'holdMarkers':
        this.#transactions!.markers.hold(control.of)
        return
      case 'releaseMarkers':
        this.#transactions!.markers.release(this.#clock.now())
        return
      case 'awaitMarkers':
        return
      default:
        throw new Error(`${control.kind} is not for a group coordinator`)
    }
  }

  otherNode(node: number): number {
    return node === 1 ? 2 : 1
  }

  async close(): Promise<void> {
    for (const node of this.#nodes) node.close()
  }

  async #moveGroups(loading: boolean): Promise<void> {
    this.#nodes[this.#node - 1]!.unload()
    this.#node = this.otherNode(this.#node)
    const next = this.#nodes[this.#node - 1]!
    next.beginLoading()
    this.#log.replayInto(next)
    if (!loading) next.load()
    await turn()
  }

  async #ask(request: Request): Promise<Response> {
    const transactions = this.#transactions!
    const now = this.#clock.now()
    switch (request.kind) {
      case 'FindCoordinator': {
        const nodeId = request.keyType === 'group' ? this.#node : transactions.place.node
        return { kind: 'FindCoordinator', errorCode: 'NONE', nodeId }
      }
      case 'InitProducerId':
        return transactions.initProducerId(now, request)
      case 'AddPartitionsToTxn':
        return transactions.addPartitions(now, request)
      case 'AddOffsetsToTxn':
        return { kind: 'AddOffsetsToTxn', errorCode: transactions.addOffsets(now, request) }
      case 'EndTxn':
        return { kind: 'EndTxn', errorCode: transactions.end(now, request) }
      default:
        return this.#askGroup(request)
    }
  }

  async #askGroup(request: Request): Promise<Response> {
    if (!('node' in request)) throw new Error(`${request.kind} is not for a group coordinator`)
    const node = this.#nodes[request.node - 1]!
    switch (request.kind) {
      case 'JoinGroup':
        return join(node, request)
      case 'SyncGroup':
        return sync(node, request)
      case 'Heartbeat': {
        const asked = overTheWire(heartbeatApi, 4, request)
        return named('Heartbeat', backOverTheWire(heartbeatApi, 4, node.heartbeat(asked, context(4))))
      }
      case 'LeaveGroup': {
        const asked = overTheWire(leaveGroupApi, 5, request)
        return named('LeaveGroup', backOverTheWire(leaveGroupApi, 5, await node.leaveGroup(asked, context(5))))
      }
      case 'OffsetCommit':
        return commit(node, request)
      case 'OffsetFetch':
        return fetchOffsets(node, request)
      case 'TxnOffsetCommit':
        return this.#commitInTransaction(node, request)
      default:
        throw new Error(`${request.kind} is not for a group coordinator`)
    }
  }

  async #commitInTransaction(node: GroupCoordinator, request: RequestOfKind<'TxnOffsetCommit'>): Promise<Response> {
    const { transactionalId, producerId, producerEpoch } = request
    const asked = overTheWire(txnOffsetCommitApi, 4, {
      ...request,
      producerId: BigInt(producerId),
      topics: byTopic(request.partitions),
    })
    const verify = (): number =>
      errorCodes[this.#transactions!.verify(transactionalId, producerId, producerEpoch, 'group')]
    const answer = backOverTheWire(txnOffsetCommitApi, 4, await node.txnOffsetCommit(asked, context(4), verify))
    return { kind: 'TxnOffsetCommit', partitions: flat(answer.topics) } as unknown as Response
  }
}

function context(version: number, clientId = 'c'): { version: number; clientId: string; clientHost: string } {
  return { version, clientId, clientHost }
}

async function join(node: GroupCoordinator, request: RequestOfKind<'JoinGroup'>): Promise<Response> {
  const protocols = request.protocols.map(({ name, metadata }) => ({ name, metadata: subscription(metadata) }))
  const asked = overTheWire(joinGroupApi, 9, { ...request, protocols })
  const answer = backOverTheWire(joinGroupApi, 9, await node.joinGroup(asked, context(9, request.clientId)))
  const members = answer.members.map((member) => ({ ...member, metadata: userData(member.metadata) }))
  return named('JoinGroup', { ...answer, members })
}

async function sync(node: GroupCoordinator, request: RequestOfKind<'SyncGroup'>): Promise<Response> {
  const assignments = request.assignments.map(({ memberId, assignment }) => ({
    memberId,
    assignment: Buffer.from(JSON.stringify(assignment)),
  }))
  const asked = overTheWire(syncGroupApi, 5, { ...request, assignments })
  const answer = backOverTheWire(syncGroupApi, 5, await node.syncGroup(asked, context(5)))
  return named('SyncGroup', { ...answer, assignment: plain(answer.assignment) })
}

async function commit(node: GroupCoordinator, request: RequestOfKind<'OffsetCommit'>): Promise<Response> {
  const { groupId, memberId, groupInstanceId, generationId, partitions } = request
  const asked = overTheWire(offsetCommitApi, 9, {
    groupId,
    memberId,
    groupInstanceId,
    generationIdOrMemberEpoch: generationId,
    topics: byTopic(partitions),
  })
  const answer = backOverTheWire(offsetCommitApi, 9, await node.offsetCommit(asked, context(9)))
  return { kind: 'OffsetCommit', partitions: flat(answer.topics) } as unknown as Response
}

async function fetchOffsets(node: GroupCoordinator, request: RequestOfKind<'OffsetFetch'>): Promise<Response> {
  const topics =
    request.partitions &&
    [...Map.groupBy(request.partitions, ({ topic }) => topic)].map(([name, partitions]) => ({
      name,
      partitionIndexes: partitions.map(({ partition }) => partition),
    }))
  const asked = overTheWire(offsetFetchApi, 9, {
    groups: [{ groupId: request.groupId, memberId: null, memberEpoch: -1, topics }],
    requireStable: request.requireStable,
  })
  const answer = backOverTheWire(offsetFetchApi, 9, await node.offsetFetch(asked, context(9)))
  const [group] = answer.groups
  return named('OffsetFetch', { errorCode: group!.errorCode, partitions: flat(group!.topics) })
}

interface Position extends TopicPartitionName {
  readonly committedOffset: number
  readonly committedLeaderEpoch: number
  readonly committedMetadata: string | null
}

function byTopic(positions: readonly Position[]) {
  return [...Map.groupBy(positions, ({ topic }) => topic)].map(([name, partitions]) => ({
    name,
    partitions: partitions.map(({ partition, committedOffset, committedLeaderEpoch, committedMetadata }) => ({
      partitionIndex: partition,
      committedOffset: BigInt(committedOffset),
      committedLeaderEpoch,
      committedMetadata,
    })),
  }))
}

/** As the scripts have them: one entry for each partition, error codes by name, offsets as numbers. */
function flat(
  topics: readonly {
    readonly name: string
    readonly partitions: readonly { readonly partitionIndex: number; readonly errorCode: number }[]
  }[],
): object[] {
  return topics.flatMap(({ name, partitions }) =>
    partitions.map((partition) => {
      const found = partition as { committedOffset?: bigint }
      const offset = found.committedOffset === undefined ? {} : { committedOffset: Number(found.committedOffset) }
      return {
        ...partition,
        ...offset,
        topic: name,
        partition: partition.partitionIndex,
        errorCode: errorName(partition.errorCode),
      }
    }),
  )
}

function named<T extends { readonly errorCode: number }>(kind: Response['kind'], answer: T): Response {
  const members = (answer as { members?: readonly { errorCode?: number }[] }).members?.map((member) =>
    member.errorCode === undefined ? member : { ...member, errorCode: errorName(member.errorCode) },
  )
  const named = { ...answer, kind, errorCode: errorName(answer.errorCode) }
  return (members === undefined ? named : { ...named, members }) as unknown as Response
}
