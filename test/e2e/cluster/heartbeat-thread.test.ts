/** Heartbeats from a thread: what they are for is an event loop that stands still. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { describe, type TestContext, test } from 'node:test'
import { type BrokerOptions, startBroker } from '../../../src/broker/index.ts'
import {
  type ThreadHeartbeatSettings,
  ThreadHeartbeats,
} from '../../../src/clients/native/group/heartbeat-thread/thread-heartbeats.ts'
import type { Heartbeater, Pulse, PulseAnswer } from '../../../src/clients/native/group/heartbeater.ts'
import { Coordinator } from '../../../src/cluster/coordinator.ts'
import type { Cluster } from '../../../src/cluster/net/cluster.ts'
import type { NodeAddress } from '../../../src/cluster/wire.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { joinGroupApi } from '../../../src/protocol/generated/11-join-group.ts'
import { heartbeatApi } from '../../../src/protocol/generated/12-heartbeat.ts'
import { syncGroupApi } from '../../../src/protocol/generated/14-sync-group.ts'
import { describeGroupsApi } from '../../../src/protocol/generated/15-describe-groups.ts'
import { saslHandshakeApi } from '../../../src/protocol/generated/17-sasl-handshake.ts'
import { saslAuthenticateApi } from '../../../src/protocol/generated/36-sasl-authenticate.ts'
import { consumerGroupHeartbeatApi } from '../../../src/protocol/generated/68-consumer-group-heartbeat.ts'
import { until, within } from '../../support/wait.ts'
import { clusterFor, scripted } from '../../unit/cluster/support.ts'

const sessionTimeoutMs = 1_500
const everyMs = 200
const settings: BrokerOptions = {
  isolate: true,
  topics: { orders: 2 },
  config: {
    'group.min.session.timeout.ms': '100',
    'group.initial.rebalance.delay.ms': '0',
    'group.consumer.min.session.timeout.ms': '1000',
    'group.consumer.session.timeout.ms': String(sessionTimeoutMs),
    'group.consumer.min.heartbeat.interval.ms': '100',
    'group.consumer.heartbeat.interval.ms': String(everyMs),
  },
}

/** Keeps the processor busy and the event loop waiting. */
function busy(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

interface Scene {
  readonly cluster: Cluster
  readonly beats: Heartbeater
  readonly answers: [Pulse, PulseAnswer][]
  readonly overdue: Pulse[]
  readonly failures: unknown[]
  readonly fallbacks: unknown[]
}

function speaking(
  t: TestContext,
  brokers: readonly string[],
  options: Partial<ThreadHeartbeatSettings> & Partial<ThreadHeartbeatSettings['cluster']> = {},
): Scene {
  const { maxPollIntervalMs = 60_000, ...over } = options
  const answers: [Pulse, PulseAnswer][] = []
  const [overdue, failures, fallbacks] = [[] as Pulse[], [] as unknown[], [] as unknown[]]
  const { cluster } = clusterFor(t, brokers, over)
  const beats = new ThreadHeartbeats(
    cluster,
    {
      cluster: { brokers, clientId: 'speaker', ...over },
      maxPollIntervalMs,
      onFallback: (reason) => fallbacks.push(reason),
    },
    {
      answered: (pulse, answer) => answers.push([pulse, answer]),
      overdue: (pulse) => overdue.push(pulse),
      failed: (error) => failures.push(error),
    },
  )
  t.after(() => beats.close())
  return { cluster, beats, answers, overdue, failures, fallbacks }
}

async function coordinatorOf(cluster: Cluster, groupId: string): Promise<NodeAddress> {
  const coordinator = new Coordinator(cluster, 'group', groupId)
  return until('a coordinator', async () => (await coordinator.address()) ?? undefined)
}

async function joinClassic(cluster: Cluster, groupId: string, sessionMs: number): Promise<Pulse> {
  const node = await coordinatorOf(cluster, groupId)
  const join = async (memberId: string) => {
    const answer = await cluster.ask(node.nodeId, joinGroupApi, {
      groupId,
      sessionTimeoutMs: sessionMs,
      rebalanceTimeoutMs: 10_000,
      memberId,
      protocolType: 'consumer',
      protocols: [{ name: 'any', metadata: Buffer.alloc(0) }],
    })
    assert.ok(answer)
    return answer.body
  }
  const { memberId } = await join('')
  const { generationId } = await join(memberId)
  const synced = await cluster.ask(node.nodeId, syncGroupApi, {
    groupId,
    generationId,
    memberId,
    protocolType: 'consumer',
    protocolName: 'any',
    assignments: [{ memberId, assignment: Buffer.from('all') }],
  })
  assert.equal(synced?.body.errorCode, errorCodes.NONE)
  return { kind: 'classic', node, everyMs, body: { groupId, generationId, memberId, groupInstanceId: null } }
}

async function joinConsumer(cluster: Cluster, groupId: string): Promise<Pulse> {
  const node = await coordinatorOf(cluster, groupId)
  const body = {
    groupId,
    memberId: `member-${groupId}`,
    memberEpoch: 0,
    instanceId: null,
    rackId: null,
    rebalanceTimeoutMs: 10_000,
    subscribedTopicNames: ['orders'],
    subscribedTopicRegex: null,
    serverAssignor: null,
    topicPartitions: [],
  }
  const answer = await cluster.ask(node.nodeId, consumerGroupHeartbeatApi, body)
  assert.equal(answer?.body.errorCode, errorCodes.NONE)
  return { kind: 'consumer', node, everyMs, body: { ...body, memberEpoch: answer?.body.memberEpoch ?? 0 } }
}

/** What the broker says to this member now. */
async function codeOf(cluster: Cluster, { kind, node, body }: Pulse): Promise<number | undefined> {
  const answer =
    kind === 'classic'
      ? await cluster.ask(node.nodeId, heartbeatApi, body)
      : await cluster.ask(node.nodeId, consumerGroupHeartbeatApi, body)
  return answer?.body.errorCode
}

describe('heartbeats from a thread', () => {
  for (const kind of ['classic', 'consumer'] as const) {
    const join = (cluster: Cluster, group: string): Promise<Pulse> =>
      kind === 'classic' ? joinClassic(cluster, group, sessionTimeoutMs) : joinConsumer(cluster, group)

    test(`G1 · ${kind}: an event loop that is blocked for twice the session keeps its membership`, async (t) => {
      const broker = await startBroker(settings)
      t.after(() => broker.close())
      const { cluster, beats, answers, overdue, failures, fallbacks } = speaking(t, broker.brokers)
      const pulse = await join(cluster, 'blocked')
      beats.set(pulse)
      await until('the thread speaks', () => answers.length > 0)
      busy(2 * sessionTimeoutMs)
      assert.equal(await codeOf(cluster, pulse), errorCodes.NONE)
      await until('what was answered meanwhile', () => answers.length >= 5)
      for (const [answered, answer] of answers) {
        assert.equal(answered, pulse, 'the very same object')
        assert.equal(answer?.errorCode, errorCodes.NONE)
      }
      assert.deepEqual([overdue, failures, fallbacks], [[], [], []])
    })

    test(`G1 · blocked beyond the poll interval it leaves, and hears of it when it wakes up (${kind})`, async (t) => {
      const broker = await startBroker({
        ...settings,
        config: { ...settings.config, 'group.consumer.session.timeout.ms': '45000' },
      })
      t.after(() => broker.close())
      const { cluster, beats, answers, overdue } = speaking(t, broker.brokers, { maxPollIntervalMs: 500 })
      const pulse =
        kind === 'classic' ? await joinClassic(cluster, 'left', 60_000) : await joinConsumer(cluster, 'left')
      beats.set(pulse)
      await until('the thread speaks', () => answers.length > 0)
      busy(1_500)
      await until('it is told', () => overdue.length > 0)
      assert.deepEqual(overdue, [pulse])
      assert.equal(await codeOf(cluster, pulse), errorCodes.UNKNOWN_MEMBER_ID)
      if (kind === 'consumer') return
      const described = await cluster.ask(pulse.node.nodeId, describeGroupsApi, { groups: ['left'] })
      assert.equal(described?.body.groups[0]?.groupState, 'Empty')
    })
  }

  test('without a thread the membership would be lost: the test above proves something', async (t) => {
    const broker = await startBroker(settings)
    t.after(() => broker.close())
    const { cluster } = clusterFor(t, broker.brokers)
    const pulse = await joinClassic(cluster, 'alone', sessionTimeoutMs)
    busy(2 * sessionTimeoutMs)
    assert.equal(await codeOf(cluster, pulse), errorCodes.UNKNOWN_MEMBER_ID)
  })

  test('several members share the thread; a closed one is silent, the others go on; then it starts anew', async (t) => {
    const broker = await startBroker(settings)
    t.after(() => broker.close())
    const [a, b] = [speaking(t, broker.brokers), speaking(t, broker.brokers)]
    a.beats.set(await joinClassic(a.cluster, 'a', sessionTimeoutMs))
    b.beats.set(await joinClassic(b.cluster, 'b', sessionTimeoutMs))
    await until('both are spoken for', () => a.answers.length > 1 && b.answers.length > 1)
    await a.beats.close()
    const [before, later] = [a.answers.length, b.answers.length + 3]
    await until('the other goes on', () => b.answers.length >= later)
    assert.equal(a.answers.length, before)
    await b.beats.close()
    const c = speaking(t, broker.brokers)
    c.beats.set(await joinClassic(c.cluster, 'c', sessionTimeoutMs))
    c.beats.beatNow()
    await until('a third', () => c.answers.length > 1)
  })

  test('an answer to an older pulse comes with that one', async (t) => {
    const broker = await startBroker(settings)
    t.after(() => broker.close())
    const { cluster, beats, answers } = speaking(t, broker.brokers)
    const first = await joinClassic(cluster, 'g', 60_000)
    const second = { ...first, everyMs: 60_000 }
    beats.set({ ...first, everyMs: 60_000 })
    beats.set(first)
    beats.beatNow()
    beats.set(second)
    beats.beatNow()
    await until('both', () => answers.length === 2)
    assert.deepEqual(
      answers.map(([pulse]) => pulse === first || (pulse === second && 'second')),
      [true, 'second'],
    )
  })

  test('options that cannot be copied: heartbeats come from the event loop, and somebody is told', async (t) => {
    const broker = await startBroker(settings)
    t.after(() => broker.close())
    // Not used without TLS, but it is a function.
    const { cluster, beats, answers, fallbacks } = speaking(t, broker.brokers, {
      tls: false,
      ...({ extra: () => undefined } as object),
    })
    assert.equal(fallbacks.length, 1)
    beats.set(await joinClassic(cluster, 'inline', sessionTimeoutMs))
    beats.beatNow()
    await until('spoken for', () => answers.length > 1)
  })

  test('a thread that is lost: the event loop takes over with what was being said', async (t) => {
    const broker = await startBroker(settings)
    t.after(() => broker.close())
    const { cluster, beats, answers, fallbacks } = speaking(t, broker.brokers)
    const pulse = await joinClassic(cluster, 'lost', sessionTimeoutMs)
    beats.set(pulse)
    await until('spoken for', () => answers.length > 0)
    ;(beats as ThreadHeartbeats).lost(new Error('out of memory'))
    const before = answers.length
    await until('still spoken for', () => answers.length > before + 1)
    assert.equal(answers.at(-1)?.[1]?.errorCode, errorCodes.NONE)
    assert.match(String(fallbacks[0]), /out of memory/)
  })

  test('a login that is refused is told, as an error of ours', async (t) => {
    const broker = await startBroker({ ...settings, sasl: { users: { alice: 'wonderland' } } })
    t.after(() => broker.close())
    const { beats, failures } = speaking(t, broker.brokers, {
      sasl: { mechanism: 'scram-sha-256', username: 'alice', password: 'wrong' },
    })
    const node = { nodeId: 1, host: broker.host, port: broker.port }
    beats.set({
      kind: 'classic',
      node,
      everyMs,
      body: { groupId: 'g', generationId: 1, memberId: 'm', groupInstanceId: null },
    })
    const error = await until('it is told', () => failures[0] as Error & { code: string })
    assert.equal(error.code, 'AUTHENTICATION_FAILED')
    assert.equal(error.name, 'FanlaneError')
  })

  test('tokens come from the function that the user gave, here', async (t) => {
    const logins: string[] = []
    const broker = await scripted(t, (asked) => {
      const { api, reply, body } = asked
      if (api.key === saslHandshakeApi.key) reply(saslHandshakeApi, {})
      else if (api.key === saslAuthenticateApi.key) {
        logins.push((body as { authBytes: Buffer }).authBytes.toString())
        reply(saslAuthenticateApi, {})
      } else if (api.key === heartbeatApi.key) reply(heartbeatApi, {})
      else return false
      return true
    })
    const { beats, answers } = speaking(t, [broker.address], {
      sasl: { mechanism: 'oauthbearer', token: () => Promise.resolve({ value: 'from-here', extensions: { a: 'b' } }) },
    })
    const node = { nodeId: 1, host: '127.0.0.1', port: broker.port }
    beats.set({
      kind: 'classic',
      node,
      everyMs,
      body: { groupId: 'g', generationId: 1, memberId: 'm', groupInstanceId: null },
    })
    await until('spoken for', () => answers.some(([, answer]) => answer !== null))
    assert.deepEqual(logins, ['n,,\x01auth=Bearer from-here\x01a=b\x01\x01'])
  })

  test('the thread does not keep a process alive', async (t) => {
    const file = (path: string): string => JSON.stringify(new URL(`../../../src/${path}`, import.meta.url).href)
    const program = `
      import { ThreadHeartbeats } from ${file('clients/native/group/heartbeat-thread/thread-heartbeats.ts')}
      const node = { nodeId: 1, host: '127.0.0.1', port: 1 }
      const beats = new ThreadHeartbeats(null, { cluster: { brokers: ['127.0.0.1:1'], clientId: 'x' }, maxPollIntervalMs: 1e6 }, { answered() {}, overdue() {}, failed() {} })
      beats.set({ kind: 'classic', node, everyMs: 10, body: { groupId: 'g', generationId: 1, memberId: 'm', groupInstanceId: null } })
    `
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' })
    t.after(() => child.kill('SIGKILL'))
    const code = await within('its end', new Promise((resolve) => child.once('close', resolve)), 20_000)
    assert.equal(code, 0)
  })
})
