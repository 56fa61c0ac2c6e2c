/** A dashboard of another process that does not answer any more: shown as it was, but never counted twice. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { InstanceFrame, PartitionFrame } from '../../../src/dashboard/frames.ts'
import { type Answer, NO_ANSWER, NO_FIGURES, NO_PROCESS, type Question } from '../../../src/dashboard/instance.ts'
import { merged } from '../../../src/dashboard/merge.ts'
import { RemoteInstance } from '../../../src/dashboard/remote.ts'

const question: Question = { page: 'partitions', from: 0, count: 25, sort: 'name', find: '', cells: 0, isAlone: false }

function answerOf(id: string, state: InstanceFrame['state'], partitions: readonly number[]): Answer {
  return {
    ...NO_ANSWER,
    instance: { ...NO_PROCESS, id, name: id, state, at: 1, partitions: partitions.length, problem: null },
    figures: { ...NO_FIGURES, partitions: partitions.length, lag: 10 * partitions.length },
    partitions: partitions.map(
      (partition) => ({ topic: 't', partition, instance: id, lag: 10, blocking: null }) as unknown as PartitionFrame,
    ),
    total: partitions.length,
  }
}

test('P9 · a silent peer is shown as it was last seen, for a minute; then only that it is silent', async (t) => {
  let nowMs = 0
  const clock = {
    now: () => nowMs,
    random: () => 0.5,
    soon: (callback: () => void) => callback(),
    at: () => () => undefined,
  }
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify([answerOf('peer', 'up', [0, 1])]))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const peer = new RemoteInstance({ url, token: null, group: 'g', clock })
  const look = async (): Promise<Answer> => (await peer.look(question))[0]!
  assert.equal((await look()).instance.state, 'up')
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
  const soon = await look()
  assert.deepEqual([soon.instance.state, soon.figures.lag, soon.partitions.length], ['silent', 20, 2])
  assert.match(soon.instance.problem ?? '', /does not answer: ECONNREFUSED/)
  nowMs += 59_999
  assert.equal((await look()).figures.lag, 20)
  nowMs += 1
  const late = await look()
  assert.deepEqual([late.instance.name, late.instance.state, late.figures.lag], ['peer', 'silent', 0])
  assert.deepEqual([late.instance.partitions, late.partitions], [0, []])
  t.diagnostic(late.instance.problem ?? '')
})

test('P9 · a partition that a silent instance had and another one holds is shown once, as the other tells it', () => {
  const answers = [answerOf('dead', 'silent', [0, 1, 2]), answerOf('alive', 'up', [1, 3])]
  const { detail } = merged({ group: 'g', at: 0, question, answers, members: null, audit: [], beside: null })
  assert.ok(detail.page === 'partitions')
  assert.equal(detail.total, 4)
  assert.deepEqual(
    detail.partitions.map(({ partition, instance }) => [partition, instance]),
    [
      [0, 'dead'],
      [1, 'alive'],
      [2, 'dead'],
      [3, 'alive'],
    ],
  )
})

test('P9 · what one instance has left out in front is not left out again', () => {
  const answer = { ...answerOf('one', 'up', [4, 5, 6]), leftOut: 4, total: 7 }
  const asked = { ...question, from: 4, count: 2, isAlone: true }
  const { detail } = merged({
    group: 'g',
    at: 0,
    question: asked,
    answers: [answer],
    members: null,
    audit: [],
    beside: null,
  })
  assert.ok(detail.page === 'partitions')
  assert.deepEqual(
    detail.partitions.map(({ partition }) => partition),
    [4, 5],
  )
})
