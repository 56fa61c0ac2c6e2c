import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FetchSession } from '../../../../../src/clients/native/fetch/fetch-session.ts'
import type { FetchTarget } from '../../../../../src/clients/native/fetch/fetch-target.ts'
import type { Metadata } from '../../../../../src/cluster/metadata.ts'
import { asEpoch } from '../../../../../src/kernel/ids.ts'
import type { FetchResponse } from '../../../../../src/protocol/generated/01-fetch.ts'
import { zeroUuid } from '../../../../../src/protocol/types.ts'

const ids: Record<string, string> = { a: 'AAAAAAAAAAAAAAAAAAAAAQ', b: 'AAAAAAAAAAAAAAAAAAAAAg' }
const metadataOf = (topics: Record<string, string>): Metadata =>
  ({ topic: (name: string) => (topics[name] === undefined ? undefined : { id: topics[name] }) }) as unknown as Metadata

const target = (topic: string, partition: number, position: number): FetchTarget => ({
  key: `${topic}-${partition}`,
  topic,
  partition,
  epoch: asEpoch(1),
  position,
  paused: false,
  leaderEpoch: 4,
  logEnd: position,
  isBeingMended: false,
  untaken: 0,
  damaged: 0,
  topicId: null,
  replica: -1,
})

const answer = (sessionId: number): FetchResponse =>
  ({ throttleTimeMs: 0, errorCode: 0, sessionId, responses: [], nodeEndpoints: [] }) satisfies FetchResponse

type Fields = ReturnType<FetchSession['ask']>
const named = ({ topics, forgottenTopicsData }: Fields): { asked: string; forgotten: string } => ({
  asked: (topics ?? [])
    .flatMap(({ topic, topicId, partitions }) =>
      (partitions ?? []).map((each) => `${topicId ?? topic}/${each.partition}@${each.fetchOffset}`),
    )
    .join(' '),
  forgotten: (forgottenTopicsData ?? [])
    .flatMap(({ topic, topicId, partitions }) => (partitions ?? []).map((each) => `${topicId ?? topic}/${each}`))
    .join(' '),
})

describe('a fetch session', () => {
  it('Q6 · names everything first, then what has changed, and takes out what is not wanted', () => {
    const session = new FetchSession(metadataOf(ids), 1_000)
    const first = session.ask([target('a', 0, 5), target('a', 1, 6), target('b', 0, 7)], 17)
    assert.deepEqual([first.sessionId, first.sessionEpoch], [0, 0])
    assert.equal(named(first).asked, `${ids.a}/0@5 ${ids.a}/1@6 ${ids.b}/0@7`)
    session.take(answer(99), 17)
    const second = session.ask([target('a', 0, 5), target('a', 1, 8)], 17)
    assert.deepEqual([second.sessionId, second.sessionEpoch], [99, 1])
    assert.deepEqual(named(second), { asked: `${ids.a}/1@8`, forgotten: `${ids.b}/0` })
    session.take(answer(99), 17)
    const third = session.ask([target('a', 0, 5), target('b', 0, 7)], 17)
    assert.deepEqual([third.sessionEpoch, named(third)], [2, { asked: `${ids.b}/0@7`, forgotten: `${ids.a}/1` }])
  })

  it('without one, everything is named every time', () => {
    const session = new FetchSession(metadataOf(ids), 1_000)
    for (let turn = 0; turn < 3; turn++) {
      const fields = session.ask([target('a', 0, 5)], 17)
      assert.deepEqual([fields.sessionId, fields.sessionEpoch, named(fields).asked], [0, 0, `${ids.a}/0@5`])
      session.take(answer(0), 17)
    }
  })

  it('begins again after a reset', () => {
    const session = new FetchSession(metadataOf(ids), 1_000)
    session.ask([target('a', 0, 5)], 17)
    session.take(answer(7), 17)
    session.reset()
    const fields = session.ask([target('a', 0, 5)], 17)
    assert.deepEqual([fields.sessionId, fields.sessionEpoch, named(fields).asked], [0, 0, `${ids.a}/0@5`])
  })

  it('a topic that was deleted and created again is another one: the old partition is taken out', () => {
    const topics = { ...ids }
    const session = new FetchSession(metadataOf(topics), 1_000)
    session.ask([target('a', 0, 5)], 17)
    session.take(answer(7), 17)
    const before = topics.a
    topics.a = 'AAAAAAAAAAAAAAAAAAAAAw'
    const fields = session.ask([target('a', 0, 0)], 17)
    assert.deepEqual(named(fields), { asked: `${topics.a}/0@0`, forgotten: `${before}/0` })
  })

  it('names topics to brokers that know no ids, and finds partitions of answers by either', () => {
    const session = new FetchSession(metadataOf({ a: zeroUuid }), 1_000)
    const targets = [target('a', 0, 5)]
    assert.equal(session.hasIds(targets), false)
    assert.equal(named(session.ask(targets, 12)).asked, 'a/0@5')
    const partitions = [{ partitionIndex: 0 }] as unknown as FetchResponse['responses'][number]['partitions']
    const responses = [{ topic: 'a', topicId: zeroUuid, partitions }]
    assert.deepEqual(
      session.take({ ...answer(0), responses }, 12).map(({ topic }) => topic),
      ['a'],
    )
    const byId = new FetchSession(metadataOf(ids), 1_000)
    byId.ask([target('b', 0, 1)], 17)
    const known = [
      { topic: '', topicId: ids.b ?? '', partitions },
      { topic: '', topicId: 'AAAAAAAAAAAAAAAAAAAAzz', partitions },
    ]
    assert.deepEqual(
      byId.take({ ...answer(3), responses: known }, 17).map(({ topic }) => topic),
      ['b'],
    )
  })
})
