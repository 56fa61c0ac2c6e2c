/** The consumer protocol (KIP-848) on a real coordinator: joining, giving up, leaving, being put out, static members. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Coordinator } from '../../../src/cluster/coordinator.ts'
import { anyNode } from '../../../src/cluster/wire.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { offsetFetchApi } from '../../../src/protocol/generated/09-offset-fetch.ts'
import { createPartitionsApi } from '../../../src/protocol/generated/37-create-partitions.ts'
import { consumerGroupHeartbeatApi } from '../../../src/protocol/generated/68-consumer-group-heartbeat.ts'
import { type Suite, unique } from '../../support/targets.ts'
import { until } from '../../support/wait.ts'
import { createTopic, Ledger, Member, type MemberOptions, shared } from './kip848-member.ts'

export const suite: Suite = ({ brokers }) => {
  const makeMember =
    (t: TestContext, group: string, ledger: Ledger) =>
    (options: Partial<MemberOptions> = {}): Member => {
      const member = new Member({ brokers, group, ...options }, ledger)
      t.after(() => member.close())
      return member
    }

  test('G2 · G3 · members come and go: always all partitions, never two owners, equal shares', async (t) => {
    const [topic, ledger] = [unique('orders'), new Ledger()]
    const start = makeMember(t, unique('group'), ledger)
    const first = start({ topics: [topic] })
    await createTopic(first.cluster, topic, 8)
    await shared([first], [8])
    const second = start({ topics: [topic] })
    await shared([first, second], [4, 4])
    const third = start({ topics: [topic] })
    const fourth = start({ topics: [topic] })
    await shared([first, second, third, fourth], [2, 2, 2, 2])
    await second.close()
    await shared([first, third, fourth], [3, 3, 2])
    await Promise.all([first.close(), third.close()])
    await shared([fourth], [8])
    assert.deepEqual(ledger.conflicts, [])
    assert.deepEqual(
      [first, second, third, fourth].flatMap(({ errors }) => errors),
      [],
    )
  })

  test('P5 · G6 · what is taken is drained and committed before another member has it', async (t) => {
    const [topic, group, ledger] = [unique('orders'), unique('group'), new Ledger()]
    const start = makeMember(t, group, ledger)
    const drained = Promise.withResolvers<void>()
    const outcomes: unknown[] = []
    const owner = start({
      topics: [topic],
      draining: async (member) => {
        await drained.promise
        outcomes.push(await member.commit(topic, 0, 42), await member.commit(topic, 1, 42))
      },
    })
    await createTopic(owner.cluster, topic, 2)
    await shared([owner], [2])
    const other = start({ topics: [topic] })
    await until('the revoke', () => owner.events.some((event) => event.startsWith('revoked')))
    // Heartbeats go on while it drains, and nobody gets what is still owned.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    assert.equal(owner.count, 2)
    assert.equal(other.count, 0)
    drained.resolve()
    await shared([owner, other], [1, 1])
    assert.deepEqual(outcomes, ['ok', 'ok'])
    assert.deepEqual(ledger.conflicts, [])
    const [committed] = other.owned.split(':').slice(1).map(Number)
    assert.equal(await committedOffset(other, group, topic, committed ?? -1), 42)
    // The guard: what is not ours any more is not committed.
    assert.equal(await owner.commit(topic, committed ?? -1, 7), 'fenced')
  })

  test('G6 · a commit under an old epoch is refused and passes under the new one', async (t) => {
    const topic = unique('orders')
    const start = makeMember(t, unique('group'), new Ledger())
    const owner = start({ topics: [topic] })
    await createTopic(owner.cluster, topic, 1)
    await shared([owner], [1])
    const before = owner.epoch
    const other = start({ topics: [topic] })
    await until('another epoch', () => other.epoch > before)
    await until('the commit', async () => (await owner.commit(topic, 0, 5)) === 'ok')
    assert.deepEqual(owner.events.slice(-1), [`assigned ${topic}:0`])
  })

  test('G4 · a static member that is back soon has its partitions again, and nobody else notices', async (t) => {
    const [topic, ledger] = [unique('orders'), new Ledger()]
    const start = makeMember(t, unique('group'), ledger)
    const first = start({ topics: [topic], instanceId: 'first' })
    await createTopic(first.cluster, topic, 4)
    const second = start({ topics: [topic], instanceId: 'second' })
    await shared([first, second], [2, 2])
    const [had, heard] = [first.owned, second.events.length]
    await first.close(false)
    const back = start({ topics: [topic], instanceId: 'first' })
    await shared([back, second], [2, 2])
    assert.equal(back.owned, had)
    assert.equal(second.events.length, heard)
    await back.close(true)
    await shared([second], [4])
  })

  test('G4 · an instance id in use: the newer one waits visibly until it is free', async (t) => {
    const topic = unique('orders')
    const start = makeMember(t, unique('group'), new Ledger())
    const older = start({ topics: [topic], instanceId: 'only' })
    await createTopic(older.cluster, topic, 2)
    await shared([older], [2])
    const newer = start({ topics: [topic], instanceId: 'only' })
    await until('two troubles', () => newer.troubles.length >= 2)
    assert.match(String(newer.troubles[0]), /UNRELEASED_INSTANCE_ID/)
    assert.equal(newer.count, 0)
    assert.equal(older.count, 2)
    assert.deepEqual([older.errors, newer.errors], [[], []])
    await older.close(false)
    await shared([newer], [2])
  })

  test('L3 · a member that the group went past is fenced, loses everything and is back in no time', async (t) => {
    const [topic, group] = [unique('orders'), unique('group')]
    const start = makeMember(t, group, new Ledger())
    const member = start({ topics: [topic] })
    await createTopic(member.cluster, topic, 2)
    await shared([member], [2])
    const name = member.membership.memberName()
    assert.ok(name !== null)
    await until('the loss', async () => {
      // Somebody speaks in its name, so that epochs pass by without it.
      await takeEpochs(member, group, name.memberId, topic)
      return member.events.some((event) => event.startsWith('lost'))
    })
    const lostAt = performance.now()
    await until('its return', () => member.count === 2 && member.epoch > name.generationId)
    assert.ok(performance.now() - lostAt < 20_000, 'it had to wait for its own session to end')
    assert.equal(member.membership.memberName()?.memberId, name.memberId)
    assert.deepEqual(member.errors, [])
  })

  test('L3 · a static member that is fenced is back in no time, too', async (t) => {
    const [topic, group] = [unique('orders'), unique('group')]
    const member = makeMember(t, group, new Ledger())({ topics: [topic], instanceId: 'one' })
    await createTopic(member.cluster, topic, 2)
    await shared([member], [2])
    const name = member.membership.memberName()
    assert.ok(name !== null)
    await until('the loss', async () => {
      await takeEpochs(member, group, name.memberId, topic, 'one')
      return member.events.some((event) => event.startsWith('lost'))
    })
    await until('its return', () => member.count === 2 && member.epoch > name.generationId, 20_000)
    assert.deepEqual([member.errors, member.troubles], [[], []])
  })

  test('X4 · rejoin gives a new name, and the old one cannot commit', async (t) => {
    const topic = unique('orders')
    const member = makeMember(t, unique('group'), new Ledger())({ topics: [topic] })
    await createTopic(member.cluster, topic, 1)
    await shared([member], [1])
    const before = member.membership.memberName()?.memberId
    member.membership.rejoin()
    assert.equal(member.count, 0)
    await shared([member], [1])
    assert.notEqual(member.membership.memberName()?.memberId, before)
    assert.equal(await member.commit(topic, 0, 3), 'ok')
  })

  test('Q8 · a pattern for the broker, and partitions that are added', async (t) => {
    const prefix = unique('p')
    const start = makeMember(t, unique('group'), new Ledger())
    const other = start({ topics: [unique('none')] })
    await createTopic(other.cluster, `${prefix}-one`, 2)
    await until('the membership', () => other.events.length > 0)
    assert.deepEqual(other.events, ['assigned'])
    const member = start({ topicRegex: `${prefix}-.*` })
    await shared([member], [2])
    const topics = [{ name: `${prefix}-one`, count: 4, assignments: null }]
    await member.cluster.ask(anyNode, createPartitionsApi, { topics, timeoutMs: 10_000 })
    await shared([member], [4])
  })

  test('G3 · what the broker cannot do is the end, with a fix', async (t) => {
    const start = makeMember(t, unique('group'), new Ledger())
    const member = start({ topics: [unique('orders')], serverAssignor: 'astrological' })
    await until('the end', () => member.errors.length > 0)
    assert.match(String(member.errors[0]), /UNSUPPORTED_ASSIGNOR.*client\.serverAssignor/)
    const other = start({ topicRegex: '(' })
    await until('the end', () => other.errors.length > 0)
    assert.match(String(other.errors[0]), /INVALID_REGULAR_EXPRESSION.*RE2/)
  })

  test('G1 · with heartbeats from a thread it comes to the same', async (t) => {
    const [topic, ledger] = [unique('orders'), new Ledger()]
    const start = makeMember(t, unique('group'), ledger)
    const first = start({ topics: [topic], heartbeats: 'thread' })
    await createTopic(first.cluster, topic, 6)
    await shared([first], [6])
    const second = start({ topics: [topic], heartbeats: 'thread' })
    await shared([first, second], [3, 3])
    await first.close()
    await shared([second], [6])
    assert.deepEqual(ledger.conflicts, [])
  })
}

async function committedOffset(member: Member, group: string, topic: string, partition: number): Promise<number> {
  const node = (await new Coordinator(member.cluster, 'group', group).find()) ?? -1
  const topics = [{ name: topic, partitionIndexes: [partition] }]
  const answer = await member.cluster.ask(
    node,
    offsetFetchApi,
    { groups: [{ groupId: group, memberId: null, memberEpoch: -1, topics }] },
    { maxVersion: 9 },
  )
  const [found] = answer?.body.groups[0]?.topics[0]?.partitions ?? []
  return Number(found?.committedOffset ?? -1)
}

/** Heartbeats in the name of a member, each with another subscription, so that the group goes on to the next epoch. */
async function takeEpochs(
  member: Member,
  group: string,
  memberId: string,
  topic: string,
  instanceId: string | null = null,
): Promise<void> {
  const node = (await new Coordinator(member.cluster, 'group', group).find()) ?? -1
  let memberEpoch = member.epoch
  if (memberEpoch === 0) return
  for (const more of ['x', 'y', 'z']) {
    const answer = await member.cluster.ask(node, consumerGroupHeartbeatApi, {
      groupId: group,
      memberId,
      memberEpoch,
      instanceId,
      rebalanceTimeoutMs: 30_000,
      subscribedTopicNames: [topic, `${topic}-${more}`],
      topicPartitions: [],
    })
    if (answer?.body.errorCode !== errorCodes.NONE) return
    memberEpoch = answer.body.memberEpoch
  }
}
