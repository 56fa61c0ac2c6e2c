/** What the heartbeat thread says for a member while nobody tells it anything. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LoopWatch } from '../../../src/clients/native/group/heartbeat-thread/loop-watch.ts'
import { Speaker } from '../../../src/clients/native/group/heartbeat-thread/speaker.ts'
import { Tokens } from '../../../src/clients/native/group/heartbeat-thread/tokens.ts'
import type { ClassicPulse, ConsumerPulse, PulseAnswer } from '../../../src/clients/native/group/heartbeater.ts'
import type { Answer, NodeAddress, Question, Wire } from '../../../src/cluster/wire.ts'
import { FanlaneError } from '../../../src/errors.ts'
import type { Api } from '../../../src/protocol/api.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { findCoordinatorApi } from '../../../src/protocol/generated/10-find-coordinator.ts'
import { heartbeatApi } from '../../../src/protocol/generated/12-heartbeat.ts'
import { leaveGroupApi } from '../../../src/protocol/generated/13-leave-group.ts'
import { consumerGroupHeartbeatApi } from '../../../src/protocol/generated/68-consumer-group-heartbeat.ts'
import { ManualClock } from './manual-clock.ts'

interface Said {
  readonly node: number
  readonly atMs: number
  readonly api: string
  readonly body: Record<string, unknown>
}

class ScriptedWire implements Wire {
  readonly clock = new ManualClock()
  readonly isOpen = true
  readonly said: Said[] = []
  readonly nodes = new Map<number, NodeAddress>()
  answer: (said: Said) => unknown = () => ({ errorCode: 0 })

  async ask<Q, R>(node: number, api: Api<Q, R>, question: Question<Q>): Promise<Answer<R> | null> {
    const version = api.maxVersion
    const body = typeof question === 'function' ? (question as (v: number) => unknown)(version) : question
    const said = { node, atMs: this.clock.now(), api: api.name, body: body as Record<string, unknown> }
    this.said.push(said)
    const answer = this.answer(said)
    return answer === null ? null : { body: answer as R, version, node }
  }

  post(): Promise<boolean> {
    return Promise.resolve(false)
  }

  learnNodes(nodes: readonly NodeAddress[]): void {
    for (const node of nodes) this.nodes.set(node.nodeId, node)
  }

  featureLevel(): number {
    return 0
  }

  of(api: { readonly name: string }): Said[] {
    return this.said.filter((said) => said.api === api.name)
  }
}

const node = { nodeId: 1, host: 'one', port: 9092 }
const classic: ClassicPulse = {
  kind: 'classic',
  node,
  everyMs: 1_000,
  body: { groupId: 'g', generationId: 3, memberId: 'm', groupInstanceId: null },
}
const consumer: ConsumerPulse = {
  kind: 'consumer',
  node,
  everyMs: 1_000,
  body: {
    groupId: 'g',
    memberId: 'm',
    memberEpoch: 5,
    instanceId: null,
    rackId: null,
    rebalanceTimeoutMs: -1,
    subscribedTopicNames: null,
    subscribedTopicRegex: null,
    serverAssignor: null,
    topicPartitions: null,
  },
}

function scene(maxPollIntervalMs = 60_000) {
  const wire = new ScriptedWire()
  const { clock } = wire
  const events: (readonly [string, number | string, PulseAnswer?])[] = []
  const loop = { isBlocked: false, number: 0 }
  const watch = new LoopWatch(clock, {
    ask: (number) => {
      if (!loop.isBlocked) loop.number = number
    },
    answered: () => loop.number,
  })
  const speaker = new Speaker(wire, watch, maxPollIntervalMs, {
    answered: (pulse, answer) => events.push(['answered', pulse, answer]),
    overdue: (pulse) => events.push(['overdue', pulse]),
    failed: (error) => events.push(['failed', String(error)]),
  })
  return { wire, clock, events, loop, speaker }
}

describe('a speaker', () => {
  test('says the same again and again, first when the interval is over, until it is told otherwise', async () => {
    const { wire, clock, events, speaker } = scene()
    speaker.set({ number: 1, pulse: classic })
    await clock.advance(999)
    assert.equal(wire.said.length, 0)
    await clock.advance(2_001)
    assert.deepEqual(
      wire.said.map(({ body }) => body),
      [classic.body, classic.body, classic.body],
    )
    speaker.beatNow()
    await clock.settle()
    assert.equal(wire.said.length, 4)
    speaker.set({ number: 2, pulse: { ...classic, body: { ...classic.body, generationId: 4 } } })
    await clock.advance(1_000)
    assert.equal(wire.said.at(-1)?.body.generationId, 4)
    assert.deepEqual(
      events.map(([, pulse]) => pulse),
      [1, 1, 1, 1, 2],
    )
    speaker.set(null)
    await clock.advance(60_000)
    assert.equal(wire.said.length, 5)
    assert.equal(clock.timers, 0)
  })

  test('P5 · in haste when a round begins, as long as it is new; its own interval is never exceeded', async () => {
    const { wire, clock, speaker } = scene()
    const startMs = clock.now()
    const times = (): number[] => wire.said.splice(0).map(({ atMs }) => atMs - startMs)
    speaker.set({ number: 1, pulse: { ...classic, everyMs: 3_000, round: 1 } })
    await clock.advance(20_000)
    const gaps = (all: readonly number[]): number[] => all.map((at, index) => Math.round(at - (all[index - 1] ?? 0)))
    const first = times()
    assert.deepEqual(
      gaps(first),
      [100, 100, 100, 150, 225, 338, 506, 759, 1_139, 1_709, 2_563, 3_000, 3_000, 3_000, 3_000],
    )
    // Said in other words, it is the same round; another one begins in haste again.
    speaker.set({ number: 2, pulse: { ...classic, everyMs: 3_000, round: 1 } })
    await clock.advance(2_999)
    assert.deepEqual(times(), [])
    speaker.set({ number: 3, pulse: { ...classic, everyMs: 250, round: 2 } })
    await clock.advance(1_000)
    assert.deepEqual(
      times().map((at) => Math.round(at - 22_999)),
      [100, 200, 300, 450, 675, 925],
    )
  })

  test('a coordinator that moved is followed; to the main side it is still the same pulse', async () => {
    const { wire, clock, events, speaker } = scene()
    wire.answer = ({ api, node: asked }) => {
      if (api === findCoordinatorApi.name) {
        return { coordinators: [{ errorCode: 0, errorMessage: null, key: 'g', nodeId: 2, host: 'two', port: 9092 }] }
      }
      return { errorCode: asked === 1 ? errorCodes.NOT_COORDINATOR : 0 }
    }
    speaker.set({ number: 7, pulse: classic })
    await clock.advance(3_000)
    assert.deepEqual(
      wire.of(heartbeatApi).map((said) => said.node),
      [1, 2, 2],
    )
    assert.deepEqual(
      events.map(([kind, pulse]) => [kind, pulse]),
      Array(3).fill(['answered', 7]),
    )
  })

  test('silence makes it look for the coordinator, and go on where it was if nobody knows better', async () => {
    const { wire, clock, speaker } = scene()
    wire.answer = () => null
    speaker.set({ number: 7, pulse: classic })
    await clock.advance(3_000)
    assert.deepEqual(
      wire.of(heartbeatApi).map((said) => said.node),
      [1, 1, 1],
    )
    assert.equal(wire.of(findCoordinatorApi).length, 3)
  })

  test('a new member epoch is spoken with from then on: the old one would be fenced', async () => {
    const { wire, clock, events, speaker } = scene()
    wire.answer = () => ({ errorCode: 0, memberEpoch: 6, assignment: null })
    speaker.set({ number: 1, pulse: consumer })
    await clock.advance(3_000)
    assert.deepEqual(
      wire.said.map(({ body }) => body.memberEpoch),
      [5, 6, 6],
    )
    assert.deepEqual(
      events.map(([, pulse]) => pulse),
      [1, 1, 1],
    )
    wire.answer = () => ({ errorCode: errorCodes.FENCED_MEMBER_EPOCH, memberEpoch: 0, assignment: null })
    await clock.advance(2_000)
    assert.deepEqual(
      wire.said.slice(3).map(({ body }) => body.memberEpoch),
      [6, 6],
    )
  })

  for (const [what, pulse, goodbye] of [
    ['a dynamic member leaves', classic, { api: leaveGroupApi.name, memberEpoch: undefined }],
    ['a static member only falls silent', { ...classic, body: { ...classic.body, groupInstanceId: 'i' } }, null],
    ['a member of the consumer protocol leaves', consumer, { api: consumerGroupHeartbeatApi.name, memberEpoch: -1 }],
    [
      'a static member of the consumer protocol leaves for now',
      { ...consumer, body: { ...consumer.body, instanceId: 'i' } },
      { api: consumerGroupHeartbeatApi.name, memberEpoch: -2 },
    ],
  ] as const) {
    test(`when the main side stands still for too long, ${what}`, async () => {
      const { wire, clock, events, loop, speaker } = scene(5_000)
      speaker.set({ number: 1, pulse })
      await clock.advance(2_000)
      loop.isBlocked = true
      await clock.advance(10_000)
      assert.deepEqual(
        events.filter(([kind]) => kind === 'overdue'),
        [['overdue', 1]],
      )
      const before = wire.said.length
      const last = wire.said.at(-1)
      if (goodbye === null) assert.equal(last?.api, heartbeatApi.name)
      else assert.deepEqual([last?.api, last?.body.memberEpoch], [goodbye.api, goodbye.memberEpoch])
      if (goodbye?.api === leaveGroupApi.name) {
        assert.deepEqual(last?.body, {
          groupId: 'g',
          members: [{ memberId: 'm', reason: 'the event loop stood still for more than 5000 ms' }],
        })
      }
      await clock.advance(60_000)
      assert.equal(wire.said.length, before, 'and nothing more')
      // It wakes up, joins again, and is spoken for again.
      loop.isBlocked = false
      speaker.set({ number: 2, pulse })
      await clock.advance(1_000)
      assert.equal(wire.said.length, before + 1)
    })
  }
})

describe('tokens in the thread', () => {
  const given = { value: 'one' }

  test('asked for once at a time; the last one is used when nobody answers', async () => {
    const clock = new ManualClock()
    let asked = 0
    const tokens = new Tokens(clock, () => asked++)
    const [first, same] = [tokens.next(), tokens.next()]
    assert.equal(asked, 1)
    tokens.given(given)
    assert.deepEqual(await Promise.all([first, same]), [given, given])
    assert.equal(tokens.isOld, false)
    const old = tokens.next()
    assert.equal(asked, 2)
    await clock.advance(2_000)
    assert.equal(await old, given)
    assert.equal(tokens.isOld, true)
    const next = tokens.next()
    assert.equal(asked, 2, 'the last question has not been answered yet')
    tokens.given({ value: 'two' })
    assert.deepEqual(await next, { value: 'two' })
    assert.equal(tokens.isOld, false)
  })

  test('a failure is passed on, and the next login asks again', async () => {
    const clock = new ManualClock()
    let asked = 0
    const tokens = new Tokens(clock, () => asked++)
    const first = tokens.next()
    tokens.failed(new FanlaneError('TOKEN_UNAVAILABLE', 'down', { retriable: true }))
    await assert.rejects(first, { code: 'TOKEN_UNAVAILABLE' })
    void tokens.next().catch(() => undefined)
    assert.equal(asked, 2)
  })
})
