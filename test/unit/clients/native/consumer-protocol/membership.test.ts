import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FanlaneError } from '../../../../../src/errors.ts'
import { errorCodes } from '../../../../../src/protocol/errors.ts'
import { everyMs, listedIn, Script } from './support.ts'

describe('joining by the consumer protocol', () => {
  test('G3 · the first heartbeat says everything, the next ones only what changed; the interval is the broker’s', async () => {
    const script = new Script({ serverAssignor: 'uniform' })
    script.membership.start()
    assert.equal(script.membership.memberName(), null)
    const join = await script.answer(3, '')
    assert.equal(join.memberEpoch, 0)
    assert.equal(Buffer.from(join.memberId, 'base64url').length, 16)
    assert.deepEqual(join.subscribedTopicNames, ['a'])
    assert.deepEqual(join.topicPartitions, [])
    assert.equal(join.rebalanceTimeoutMs, 60_000)
    assert.equal(join.serverAssignor, 'uniform')
    assert.equal(join.rackId, 'rack')
    assert.deepEqual(script.news, ['assigned'])
    assert.deepEqual(script.membership.memberName(), {
      memberId: join.memberId,
      generationId: 3,
      groupInstanceId: null,
    })

    // In haste at first: others may be giving up what it is to have.
    const { clock, waiting } = script.wire
    await clock.advance(everyMs - 1)
    assert.equal(waiting.length, 9)
    await clock.advance(10_000)
    waiting.length = 0
    while (waiting.length === 0) await clock.advance(1)
    waiting.length = 0
    await clock.advance(everyMs - 1)
    assert.equal(waiting.length, 0)
    await clock.advance(1)
    const { request } = await script.next()
    const { memberId, memberEpoch, subscribedTopicNames, serverAssignor, rebalanceTimeoutMs } = request
    assert.deepEqual([memberId, memberEpoch], [join.memberId, 3])
    assert.deepEqual([subscribedTopicNames, serverAssignor, rebalanceTimeoutMs], [null, null, -1])
  })

  test('G3 · the broker matches a pattern', async () => {
    const script = new Script({ topicRegex: 'a|b.*' })
    script.membership.start()
    const { request } = await script.next()
    assert.equal(request.subscribedTopicRegex, 'a|b.*')
    assert.deepEqual(request.subscribedTopicNames, [])
  })

  test('G3 · new topics that match are subscribed to', async () => {
    const script = new Script({ matches: (topic) => /^[ab]$/.test(topic) })
    script.membership.start()
    assert.deepEqual((await script.answer(1, '')).subscribedTopicNames, ['a'])
    script.addTopic('b', 1)
    let told: readonly string[] | null = null
    for (let beats = 0; beats < 40 && told === null; beats++) told = (await script.answer(1)).subscribedTopicNames
    assert.deepEqual(told, ['a', 'b'])
  })

  for (const how of ['silence', 'NOT_COORDINATOR', 'COORDINATOR_LOAD_IN_PROGRESS'] as const) {
    test(`Q7 · ${how}: it is tried again, and with the coordinator that there is by then`, async () => {
      const script = new Script()
      script.membership.start()
      const { answer } = await script.next()
      script.wire.coordinator = 2
      answer(how === 'silence' ? null : { errorCode: errorCodes[how] })
      const { request, node } = await script.next()
      assert.equal(request.memberEpoch, 0)
      assert.equal(node, how === 'COORDINATOR_LOAD_IN_PROGRESS' ? 1 : 2)
      assert.deepEqual(script.errors, [])
    })
  }

  for (const [code, fix] of [
    ['UNSUPPORTED_ASSIGNOR', /client\.serverAssignor/],
    ['INVALID_REGULAR_EXPRESSION', /RE2/],
    ['GROUP_ID_NOT_FOUND', /another protocol.*migration\.policy/],
    ['GROUP_AUTHORIZATION_FAILED', /Allow this user/],
    ['TOPIC_AUTHORIZATION_FAILED', /Allow this user/],
    ['GROUP_MAX_SIZE_REACHED', /group\.max\.size/],
    ['UNSUPPORTED_VERSION', /client\.protocol/],
    ['INVALID_REQUEST', /what the broker said/],
  ] as const) {
    test(`G3 · ${code} is the end, with a fix`, async () => {
      const script = new Script()
      script.membership.start()
      await script.refuse(code, 'what the broker said')
      const [error] = script.errors
      assert.ok(error instanceof FanlaneError)
      assert.equal(error.code, code)
      assert.match(error.message, fix)
      assert.match(error.message, /what the broker said/)
      await script.wire.clock.advance(60_000)
      assert.equal(script.wire.waiting.length, 0)
    })
  }

  test('G3 · a broker that does not know the protocol', async () => {
    const script = new Script()
    script.membership.start()
    const { reject } = await script.next()
    reject(new FanlaneError('UNSUPPORTED_VERSION', 'the broker does not know ConsumerGroupHeartbeat'))
    await script.wire.clock.settle()
    assert.match(String(script.errors[0]), /does not know.*Kafka 4\.0.*client\.protocol/)
  })
})

describe('what is assigned', () => {
  test('L1 · is taken only after a heartbeat that lists it was answered', async () => {
    const script = new Script()
    script.membership.start()
    await script.answer(1, 'a:0 a:1')
    const claim = await script.next(0)
    assert.equal(listedIn(claim.request), 'a:0 a:1')
    assert.deepEqual(script.news, [])
    claim.answer({ memberEpoch: 1, heartbeatIntervalMs: everyMs })
    await script.wire.clock.settle()
    assert.deepEqual(script.news, ['assigned a:0 a:1'])
    // And from then on every heartbeat lists it.
    assert.equal(listedIn(await script.answer(1)), 'a:0 a:1')
  })

  test('L1 · is not taken if the broker has changed its mind by then', async () => {
    const script = new Script()
    script.membership.start()
    await script.answer(1, 'a:0 a:1')
    assert.equal(listedIn(await script.answer(1, 'a:0')), 'a:0 a:1')
    assert.deepEqual(script.news, [])
    assert.equal(listedIn(await script.answer(1)), 'a:0')
    assert.deepEqual(script.news, ['assigned a:0'])
  })

  test('L1 · P5 · is given up first, then left out of the heartbeats, and only then more is taken', async () => {
    const script = new Script()
    await script.joined(1, 'a:0 a:1')
    await script.answer(1, 'a:1')
    assert.deepEqual(script.news, ['revoked a:0'])
    // The drain takes its time: heartbeats go on, and list what is still ours.
    assert.equal(listedIn(await script.answer(1)), 'a:0 a:1')
    assert.equal(listedIn(await script.answer(1)), 'a:0 a:1')
    assert.equal(script.owned, 'a:0 a:1')
    await script.release()
    const said = await script.next(0)
    assert.equal(listedIn(said.request), 'a:1')
    said.answer({
      memberEpoch: 2,
      heartbeatIntervalMs: everyMs,
      assignment: { topicPartitions: [{ topicId: idOfA, partitions: [1, 3] }] },
    })
    const claim = await script.next(0)
    assert.equal(listedIn(claim.request), 'a:1 a:3')
    assert.equal(claim.request.memberEpoch, 2)
    assert.equal(script.membership.memberName()?.generationId, 2)
    claim.answer({ memberEpoch: 2, heartbeatIntervalMs: everyMs })
    await script.wire.clock.settle()
    assert.deepEqual(script.news, ['assigned a:3'])
    assert.equal(script.owned, 'a:1 a:3')
  })

  test('G2 · a second change while the first is given up is done after it', async () => {
    const script = new Script()
    await script.joined(1, 'a:0 a:1 a:2')
    await script.answer(1, 'a:1 a:2')
    await script.answer(1, 'a:2')
    assert.deepEqual(script.news, ['revoked a:0'])
    await script.release()
    assert.deepEqual(script.news, ['revoked a:1'])
    await script.release()
    await script.answer(1)
    assert.equal(script.owned, 'a:2')
  })

  test('Q8 · a topic whose name is not known yet is neither taken nor listed', async () => {
    const script = new Script()
    script.membership.start()
    await script.answer(1, 'a:0 new:0')
    assert.equal(listedIn(await script.answer(1)), 'a:0')
    assert.deepEqual(script.news, ['assigned a:0'])
    script.addTopic('new', 1)
    assert.equal(listedIn(await script.answer(1)), 'a:0 new:0')
    assert.deepEqual(script.news, ['assigned new:0'])
  })

  test('Q8 · a topic of the same name with another id is another topic', async () => {
    const script = new Script()
    await script.joined(1, 'a:0')
    script.wire.topics.set('a', { id: 'AQEBAQEBAQEBAQEBAQEBAQ', partitions: 1 })
    const { answer } = await script.next()
    answer({
      memberEpoch: 2,
      heartbeatIntervalMs: everyMs,
      assignment: { topicPartitions: [{ topicId: 'AQEBAQEBAQEBAQEBAQEBAQ', partitions: [0] }] },
    })
    await script.wire.clock.settle()
    assert.deepEqual(script.news, ['revoked a:0'])
    await script.release()
    assert.equal(listedIn(await script.answer(2)), '')
    const claim = await script.answer(2)
    assert.deepEqual(claim.topicPartitions, [{ topicId: 'AQEBAQEBAQEBAQEBAQEBAQ', partitions: [0] }])
    assert.deepEqual(script.news, ['assigned a:0'])
  })
})

describe('answers that do not come', () => {
  test('G2 · after silence everything is said anew, so that a lost assignment is told again', async () => {
    const script = new Script()
    await script.joined(1, 'a:0')
    await script.ignore()
    const whole = await script.answer(2, 'a:0 a:1')
    assert.deepEqual(whole.subscribedTopicNames, ['a'])
    assert.equal(listedIn(whole), 'a:0')
    const claim = await script.answer(2)
    assert.equal(listedIn(claim), 'a:0 a:1')
    assert.equal(claim.memberEpoch, 2)
    assert.deepEqual(script.news, ['assigned a:1'])
    assert.equal((await script.answer(2)).subscribedTopicNames, null)
  })

  test('L1 · a claim without an answer is made again before anything is taken', async () => {
    const script = new Script()
    script.membership.start()
    await script.answer(1, 'a:0')
    script.wire.coordinator = 2
    await script.ignore()
    assert.deepEqual(script.news, [])
    const { request, node, answer } = await script.next()
    assert.equal(node, 2)
    assert.equal(listedIn(request), 'a:0')
    answer({ memberEpoch: 1, heartbeatIntervalMs: everyMs })
    await script.wire.clock.settle()
    assert.deepEqual(script.news, ['assigned a:0'])
  })

  test('L1 · a heartbeat of an epoch before, answered late, changes nothing', async () => {
    const script = new Script()
    await script.joined(1, 'a:0')
    const { memberId = '' } = script.membership.memberName() ?? {}
    const late = await script.next()
    script.membership.refused({ memberId, generationId: 1, groupInstanceId: null }, errorCodes.STALE_MEMBER_EPOCH)
    await script.answer(5)
    late.answer({ errorCode: errorCodes.FENCED_MEMBER_EPOCH })
    await script.wire.clock.settle()
    assert.deepEqual(script.news, [])
    assert.equal(script.membership.memberName()?.generationId, 5)
  })
})

describe('losing the membership', () => {
  test('L3 · fenced: everything is lost at once; it leaves and joins again under the same id', async () => {
    const script = new Script()
    await script.joined(4, 'a:0 a:1')
    const { memberId } = await script.refuse('FENCED_MEMBER_EPOCH')
    assert.deepEqual(script.news, ['lost a:0 a:1'])
    assert.equal(script.membership.memberName(), null)
    const leave = await script.answer(-1)
    assert.deepEqual([leave.memberId, leave.memberEpoch], [memberId, -1])
    const join = await script.answer(6, 'a:0')
    assert.deepEqual([join.memberId, join.memberEpoch], [memberId, 0])
    assert.deepEqual(join.topicPartitions, [])
    await script.answer(6)
    assert.deepEqual(script.news, ['assigned a:0'])
  })

  test('L3 · unknown: everything is lost at once; it joins again', async () => {
    const script = new Script()
    await script.joined(4, 'a:0')
    const { memberId } = await script.refuse('UNKNOWN_MEMBER_ID')
    assert.deepEqual(script.news, ['lost a:0'])
    const join = await script.answer(6, '')
    assert.deepEqual([join.memberId, join.memberEpoch], [memberId, 0])
  })

  test('L3 · while partitions are given up: they are lost, and the end of the drain means nothing', async () => {
    const script = new Script()
    await script.joined(4, 'a:0 a:1')
    await script.answer(4, 'a:1')
    await script.refuse('UNKNOWN_MEMBER_ID')
    assert.deepEqual(script.news, ['revoked a:0', 'lost a:0 a:1'])
    await script.answer(6, 'a:0')
    await script.answer(6)
    assert.deepEqual(script.news, ['assigned a:0'])
    await script.release()
    assert.equal(script.owned, 'a:0')
  })

  test('L3 · a commit tells it first', async () => {
    const script = new Script()
    await script.joined(4, 'a:0')
    const name = script.membership.memberName()
    assert.ok(name !== null)
    script.membership.refused({ ...name, generationId: 3 }, errorCodes.UNKNOWN_MEMBER_ID)
    script.membership.refused({ ...name, memberId: 'another' }, errorCodes.UNKNOWN_MEMBER_ID)
    assert.equal(script.owned, 'a:0')
    script.membership.refused(name, errorCodes.UNKNOWN_MEMBER_ID)
    assert.deepEqual(script.news, ['lost a:0'])
  })

  test('G6 · a stale epoch in a commit asks for the new one at once, and loses nothing', async () => {
    const script = new Script()
    await script.joined(4, 'a:0')
    const name = script.membership.memberName()
    assert.ok(name !== null)
    script.membership.refused(name, errorCodes.STALE_MEMBER_EPOCH)
    const { answer } = await script.next(0)
    answer({ memberEpoch: 5, heartbeatIntervalMs: everyMs })
    await script.wire.clock.settle()
    assert.equal(script.membership.memberName()?.generationId, 5)
    assert.equal(script.owned, 'a:0')
  })

  test('X4 · rejoin: the old name is given up, and nothing of it counts', async () => {
    const script = new Script()
    await script.joined(4, 'a:0')
    const old = script.membership.memberName()
    script.membership.rejoin()
    assert.deepEqual(script.news, ['lost a:0'])
    const leave = await script.answer(-1)
    assert.deepEqual([leave.memberId, leave.memberEpoch], [old?.memberId, -1])
    const join = await script.answer(6, '')
    assert.notEqual(join.memberId, old?.memberId)
  })
})

describe('static members and leaving', () => {
  test('G4 · an instance id that is in use is waited for, visibly', async () => {
    const script = new Script({ instanceId: 'one' })
    script.membership.start()
    for (let tries = 1; tries <= 3; tries++) {
      const join = await script.refuse('UNRELEASED_INSTANCE_ID')
      assert.deepEqual([join.memberEpoch, join.instanceId], [0, 'one'])
      assert.equal(script.troubles.length, tries)
      // Should it be a join of our own, whose answer was lost, that is in the way: this takes it back.
      const release = await script.refuse('FENCED_INSTANCE_ID')
      assert.deepEqual([release.memberEpoch, release.memberId], [-2, join.memberId])
    }
    assert.match(String(script.troubles[0]), /free when that one leaves/)
    await script.answer(3, 'a:2')
    await script.answer(3)
    assert.deepEqual(script.news, ['assigned a:2'])
    assert.equal(script.membership.memberName()?.groupInstanceId, 'one')
  })

  test('G4 · an instance id that somebody else took over is the end', async () => {
    const script = new Script({ instanceId: 'one' })
    await script.joined(3, 'a:2')
    await script.refuse('FENCED_INSTANCE_ID')
    assert.deepEqual(script.news, ['lost a:2'])
    assert.match(String(script.errors[0]), /Another process has taken this instance id/)
  })

  for (const [instanceId, leave, epoch] of [
    [undefined, true, -1],
    [undefined, false, null],
    ['one', true, -1],
    ['one', false, -2],
  ] as const) {
    const who = instanceId === undefined ? 'a dynamic member' : 'a static member'
    test(`R7 · ${who} closes with leave: ${leave} → ${epoch ?? 'nothing is said'}`, async () => {
      const script = new Script(instanceId === undefined ? {} : { instanceId })
      await script.joined(3, 'a:2')
      const closing = script.membership.close(leave)
      await script.wire.clock.settle()
      if (epoch !== null) assert.equal((await script.answer(epoch)).memberEpoch, epoch)
      await closing
      assert.equal(script.membership.memberName(), null)
      await script.wire.clock.advance(60_000)
      assert.equal(script.wire.waiting.length, 0)
      assert.deepEqual(script.news, [])
    })
  }

  test('R7 · closed while it joins, it leaves, too', async () => {
    const script = new Script()
    script.membership.start()
    const join = await script.next()
    const closing = script.membership.close(true)
    const leave = await script.next()
    assert.deepEqual([leave.request.memberId, leave.request.memberEpoch], [join.request.memberId, -1])
    join.answer({ memberEpoch: 1, heartbeatIntervalMs: everyMs })
    leave.answer({ memberEpoch: -1 })
    await closing
    await script.wire.clock.advance(60_000)
    assert.equal(script.wire.waiting.length, 0)
  })

  test('R7 · a goodbye that gets lost is said again, for a while', async () => {
    const script = new Script()
    await script.joined(3, 'a:2')
    const closing = script.membership.close(true)
    await script.ignore()
    await script.refuse('COORDINATOR_LOAD_IN_PROGRESS')
    for (let tries = 0; tries < 3; tries++) assert.equal((await script.ignore()).memberEpoch, -1)
    await script.wire.clock.advance(5_000)
    await closing
  })

  test('R7 · a static member that has just left for a while can still leave for good', async () => {
    const script = new Script({ instanceId: 'one' })
    await script.joined(3, 'a:2')
    await script.refuse('FENCED_MEMBER_EPOCH')
    assert.equal((await script.next()).request.memberEpoch, -2)
    const closing = script.membership.close(true)
    assert.equal((await script.answer(-1)).memberEpoch, -1)
    await closing
  })

  test('R7 · closed before it could join, there is nothing to leave', async () => {
    const script = new Script()
    await script.membership.close(true)
    assert.equal(script.wire.waiting.length, 0)
  })
})

const idOfA = Buffer.from('a'.padEnd(16, '.')).toString('base64url')
