/** Who is there for an admin to look at: writers, members of groups, open transactions, each on a connection of its own. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type Admin, type OpenAdminOptions, openAdmin } from '../../../src/admin/index.ts'
import { errorCodes, errorName } from '../../../src/protocol/errors.ts'
import { produceApi } from '../../../src/protocol/generated/00-produce.ts'
import { joinGroupApi } from '../../../src/protocol/generated/11-join-group.ts'
import { syncGroupApi } from '../../../src/protocol/generated/14-sync-group.ts'
import { consumerGroupHeartbeatApi } from '../../../src/protocol/generated/68-consumer-group-heartbeat.ts'
import { writeConsumerProtocolAssignment } from '../../../src/protocol/generated/consumer-protocol-assignment.ts'
import { writeConsumerProtocolSubscription } from '../../../src/protocol/generated/consumer-protocol-subscription.ts'
import { encodeBatch } from '../../../src/protocol/record-batch/writer.ts'
import { Writer } from '../../../src/protocol/writer.ts'
import { SystemClock } from '../../../src/system-clock.ts'
import { RawClient } from '../../support/raw-client.ts'
import { unique } from '../../support/targets.ts'
import { until } from '../../support/wait.ts'

export interface Reachable {
  readonly brokers: readonly string[]
}

export function adminOf(t: TestContext, target: Reachable, options: Partial<OpenAdminOptions> = {}): Admin {
  const admin = openAdmin({ brokers: target.brokers, clock: new SystemClock(), ...options })
  t.after(() => admin.close())
  return admin
}

export async function newTopic(admin: Admin, partitions = 1): Promise<string> {
  const name = unique('admin')
  await admin.createTopics([{ name, partitions }])
  return name
}

export async function connected(t: TestContext, target: Reachable, clientId = 'raw'): Promise<RawClient> {
  const client = await RawClient.connect(target.brokers[0]!, clientId)
  t.after(() => client.close())
  return client
}

/** One batch for each value; a timestamp for each, else now. */
export async function write(
  t: TestContext,
  target: Reachable,
  topic: string,
  timestamps: readonly number[],
  partition = 0,
): Promise<void> {
  const client = await connected(t, target)
  for (const timestampMs of timestamps) {
    const records = encodeBatch({ records: [{ key: null, value: Buffer.from('x'), timestampMs }] })
    await produce(client, topic, partition, records)
  }
}

export async function produce(
  client: RawClient,
  topic: string,
  partition: number,
  records: Buffer,
  transactionalId: string | null = null,
): Promise<void> {
  await until('the record is written', async () => {
    const { responses } = await client.send(produceApi, 9, {
      transactionalId,
      acks: -1,
      timeoutMs: 5_000,
      topicData: [{ name: topic, partitionData: [{ index: partition, records }] }],
    })
    return noError(responses[0]!.partitionResponses[0]!.errorCode)
  })
}

const early: ReadonlySet<number> = new Set([
  errorCodes.UNKNOWN_TOPIC_OR_PARTITION,
  errorCodes.NOT_LEADER_OR_FOLLOWER,
  errorCodes.COORDINATOR_NOT_AVAILABLE,
  errorCodes.COORDINATOR_LOAD_IN_PROGRESS,
  errorCodes.NOT_COORDINATOR,
  errorCodes.CONCURRENT_TRANSACTIONS,
])

/** False: ask again; the broker is not ready for it. */
export function noError(code: number): boolean {
  if (early.has(code)) return false
  assert.equal(errorName(code), 'NONE')
  return true
}

export interface MemberWish {
  readonly group: string
  readonly topic: string
  readonly partitions?: readonly number[]
  readonly instanceId?: string
  readonly clientId?: string
}

/** A member of the classic protocol that is alone, and so its own leader. Gives its member id. */
export async function joinClassic(t: TestContext, target: Reachable, wish: MemberWish): Promise<string> {
  const { group: groupId, topic, partitions = [0], instanceId = null, clientId = 'classic-client' } = wish
  const client = await connected(t, target, clientId)
  let memberId = ''
  const joined = await until('joined', async () => {
    const answer = await client.send(joinGroupApi, 9, {
      groupId,
      sessionTimeoutMs: 60_000,
      rebalanceTimeoutMs: 10_000,
      memberId,
      groupInstanceId: instanceId,
      protocolType: 'consumer',
      protocols: [{ name: 'range', metadata: subscription([topic]) }],
    })
    if (answer.errorCode === errorCodes.MEMBER_ID_REQUIRED) memberId = answer.memberId
    return answer.errorCode !== errorCodes.MEMBER_ID_REQUIRED && noError(answer.errorCode) && answer
  })
  const synced = await client.send(syncGroupApi, 5, {
    groupId,
    generationId: joined.generationId,
    memberId: joined.memberId,
    groupInstanceId: instanceId,
    protocolType: 'consumer',
    protocolName: 'range',
    assignments: [{ memberId: joined.memberId, assignment: assignment(topic, partitions) }],
  })
  assert.equal(errorName(synced.errorCode), 'NONE')
  return joined.memberId
}

function subscription(topics: readonly string[]): Buffer {
  const writer = new Writer()
  writer.int16(3)
  writeConsumerProtocolSubscription(writer, { topics, ownedPartitions: [], generationId: -1 }, 3)
  return writer.toBuffer()
}

function assignment(topic: string, partitions: readonly number[]): Buffer {
  const writer = new Writer()
  writer.int16(3)
  writeConsumerProtocolAssignment(writer, { assignedPartitions: [{ topic, partitions }] }, 3)
  return writer.toBuffer()
}

/** A member of the newer protocol, once it has got its partitions. Gives its member id. */
export async function joinConsumer(t: TestContext, target: Reachable, wish: MemberWish): Promise<string> {
  const { group: groupId, topic, instanceId = null, clientId = 'consumer-client' } = wish
  const client = await connected(t, target, clientId)
  const memberId = unique('member')
  const joining = { groupId, memberId, instanceId, rebalanceTimeoutMs: 10_000, subscribedTopicNames: [topic] }
  const joined = await until('joined', async () => {
    const answer = await client.send(consumerGroupHeartbeatApi, 1, { ...joining, memberEpoch: 0, topicPartitions: [] })
    return noError(answer.errorCode) && answer
  })
  let { memberEpoch, assignment: given } = joined
  given = await until('assigned', async () => {
    if (given !== null && given.topicPartitions.length > 0) return given
    const answer = await client.send(consumerGroupHeartbeatApi, 1, { groupId, memberId, memberEpoch })
    memberEpoch = answer.memberEpoch
    given = answer.assignment
    return false
  })
  const topicPartitions = given.topicPartitions
  await client.send(consumerGroupHeartbeatApi, 1, { groupId, memberId, memberEpoch, topicPartitions })
  return memberId
}
