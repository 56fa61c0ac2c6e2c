/**
 * The story: a handler computes for longer than the session lasts. Heartbeats come from a thread, so the member stays one,
 * while others join and the epochs of the group go on. Only longer than the poll interval it may not take.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { startBroker } from '../../../src/broker/index.ts'
import { until } from '../../support/wait.ts'
import { createTopic, Member, shared } from './kip848-member.ts'

const config = {
  'group.consumer.min.session.timeout.ms': '1000',
  'group.consumer.session.timeout.ms': '1500',
  'group.consumer.min.heartbeat.interval.ms': '100',
  'group.consumer.heartbeat.interval.ms': '200',
}

/** Keeps the event loop waiting. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

test('G1 · a blocked event loop keeps its membership, whatever the group does meanwhile', async (t) => {
  const broker = await startBroker({ isolate: true, config })
  const options = { brokers: broker.brokers, group: 'group', topics: ['orders'] }
  const member = new Member({ ...options, heartbeats: 'thread' })
  t.after(() => member.close().finally(() => broker.close()))
  await createTopic(member.cluster, 'orders', 4)
  await shared([member], [4])
  const name = member.membership.memberName()
  assert.ok(name !== null)

  const others = [0, 1].map(() => new Worker(new URL('./kip848-other.ts', import.meta.url), { workerData: options }))
  t.after(() => Promise.all(others.map((other) => other.terminate())))
  const counts = [-1, -1]
  for (const [index, other] of others.entries()) other.on('message', (count: number) => (counts[index] = count))
  block(4_000)
  await until('a balance', () => member.count + (counts[0] ?? 0) + (counts[1] ?? 0) === 4 && Math.min(...counts) > 0)
  assert.deepEqual(
    member.events.filter((event) => event.startsWith('lost')),
    [],
  )
  assert.equal(member.membership.memberName()?.memberId, name.memberId)
  assert.ok(member.epoch > name.generationId)
})

test('G1 · blocked for longer than the poll interval it is out, and comes back', async (t) => {
  const broker = await startBroker({ isolate: true, config })
  const options = { brokers: broker.brokers, group: 'group', topics: ['orders'] }
  const member = new Member({ ...options, heartbeats: 'thread', maxPollIntervalMs: 500 })
  t.after(() => member.close().finally(() => broker.close()))
  await createTopic(member.cluster, 'orders', 2)
  await shared([member], [2])
  block(1_500)
  await until('the loss', () => member.events.some((event) => event.startsWith('lost')))
  await shared([member], [2])
  assert.deepEqual(member.errors, [])
})
