/** Members of the two protocols in one group: what they say and what they are told, in short. */
import { errorName } from '../../../../../src/protocol/errors.ts'
import type { JoinGroupRequest } from '../../../../../src/protocol/generated/11-join-group.ts'
import type { ConsumerGroupHeartbeatRequest } from '../../../../../src/protocol/generated/68-consumer-group-heartbeat.ts'
import type { Input } from '../../../../../src/protocol/types.ts'
import type { MemoryStateLog } from './memory-state-log.ts'
import { assignedIn, embeddedAssignment, embeddedSubscription, listed } from './wire.ts'
import { type Asked, World } from './world.ts'

export const topics = { in: 4 }

/** A classic member, or a member of the consumer protocol, in the words of ConsumerGroupDescribe. */
export interface Described {
  readonly type: 'classic' | 'consumer'
  readonly epoch: number
  readonly owns: string
  readonly shallOwn: string
}

export class MixedWorld {
  world: World

  constructor(given: ConstructorParameters<typeof World>[0] = {}) {
    this.world = new World({ topics, ...given })
  }

  restart(log: MemoryStateLog = this.world.log.afterCrash()): void {
    this.world = this.world.restarted(log)
  }

  /** JoinGroup: `generation 2`, or the name of an error; `waiting` if there is no answer yet. */
  async join(memberId: string, owned = '', fields: Input<JoinGroupRequest> = {}): Promise<string> {
    return toldByJoin(await this.send(memberId, owned, fields))
  }

  send(memberId: string, owned = '', fields: Input<JoinGroupRequest> = {}): ReturnType<World['join']> {
    const protocols = [{ name: 'range', metadata: embeddedSubscription(['in'], owned) }]
    return this.world.join({ memberId, protocols, ...fields })
  }

  /** SyncGroup: what is assigned, or the name of an error. */
  async sync(memberId: string, generationId: number, fields: object = {}): Promise<string> {
    const asked = await this.world.sync({ memberId, generationId, ...fields })
    if (!asked.isAnswered) return 'waiting'
    const { errorCode, assignment } = asked.answer
    return errorCode === 0 ? assignedIn(assignment) : errorName(errorCode)
  }

  beat(memberId: string, generationId: number, groupInstanceId: string | null = null): Promise<string> {
    return this.world.heartbeat({ memberId, generationId, groupInstanceId })
  }

  /** ConsumerGroupHeartbeat: `epoch 2: in-0 in-1`, or the name of an error. */
  async consumer(
    memberId: string,
    memberEpoch: number,
    fields: Input<ConsumerGroupHeartbeatRequest> = {},
  ): Promise<string> {
    const joins = { rebalanceTimeoutMs: 30_000, subscribedTopicNames: ['in'], topicPartitions: [] }
    const { answer } = await this.world.consumerHeartbeat({
      memberId,
      memberEpoch,
      ...(memberEpoch === 0 ? joins : {}),
      ...fields,
    })
    if (answer.errorCode !== 0) return errorName(answer.errorCode)
    const told = answer.assignment?.topicPartitions.map(({ topicId, partitions }) => ({
      topicName: this.world.topics.topicName(topicId) ?? topicId,
      partitions,
    }))
    return told === undefined ? `epoch ${answer.memberEpoch}` : `epoch ${answer.memberEpoch}: ${listed(told)}`.trimEnd()
  }

  /** A heartbeat that says what the member owns of the topic `in`. */
  owns(memberId: string, memberEpoch: number, ...partitions: number[]): Promise<string> {
    const topicId = this.world.topics.topicId('in') ?? ''
    const topicPartitions = partitions.length === 0 ? [] : [{ topicId, partitions }]
    return this.consumer(memberId, memberEpoch, { topicPartitions })
  }

  /** A stable classic group in which each member owns what is said. The first one leads. */
  async classicGroup(owned: readonly string[], fields: Input<JoinGroupRequest> = {}): Promise<string[]> {
    const ids: string[] = []
    for (const _ of owned) {
      const memberId = (await this.send('', '', fields)).answer.memberId
      ids.push(memberId)
      // The newest first: it is the one that makes the others join again.
      for (const id of ids.toReversed()) await this.send(id, '', fields)
    }
    const generationId = owned.length
    const assignments = ids.map((memberId, i) => ({ memberId, assignment: embeddedAssignment(owned[i] ?? '') }))
    for (const memberId of ids) await this.world.sync({ memberId, generationId, assignments })
    return ids
  }

  async type(): Promise<string> {
    const found = (await this.world.list()).groups.find(({ groupId }) => groupId === 'g')
    return found === undefined ? 'none' : `${found.groupType} ${found.groupState}`
  }

  async members(): Promise<Record<string, Described>> {
    const { members } = await this.world.consumerDescribe()
    return Object.fromEntries(
      members.map((member) => [
        member.memberId,
        {
          type: member.memberType === 0 ? 'classic' : 'consumer',
          epoch: member.memberEpoch,
          owns: listed(member.assignment.topicPartitions),
          shallOwn: listed(member.targetAssignment.topicPartitions),
        },
      ]),
    )
  }
}

export function toldByJoin(asked: Asked<{ readonly errorCode: number; readonly generationId: number }>): string {
  if (!asked.isAnswered) return 'waiting'
  const { errorCode, generationId } = asked.answer
  return errorCode === 0 ? `generation ${generationId}` : errorName(errorCode)
}
