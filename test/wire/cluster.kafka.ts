/**
 * Three nodes of Apache Kafka, killed one after the other, then all at once, under a producer, a group of two consumers and an
 * exactly-once consumer that copies to another topic. What each of them did is compared with the log at the end.
 */
import assert from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { type Consumer, consume, createAdmin, createProducer } from '../../src/index.ts'
import { notebook } from '../e2e/support.ts'
import { unique } from '../support/targets.ts'
import { until } from '../support/wait.ts'
import { cleanUp } from './support/cleanup.ts'
import { Ledger } from './support/ledger.ts'
import { javaClient } from './support/mixed-members.ts'
import { type Node, type Nodes, threeNodes } from './support/mixed-nodes.ts'
import { Pulse } from './support/mixed-pulse.ts'
import { read } from './support/reader.ts'

const partitions = 6
const keys = 48
const everyMs = 100
const patienceMs = 30_000
const client = { sessionTimeoutMs: 10_000, heartbeatMs: 500 }

interface Written {
  readonly key: string
  readonly value: string
  readonly partition: number
  readonly offset: number
}

/** One record a key, every 100 ms, none waited for; values count up in each key. */
async function startLoad(t: TestContext, nodes: Nodes, topic: string, pulse: Pulse) {
  const producer = await createProducer({ brokers: nodes.brokers, deliveryTimeoutMs: 100_000 })
  const written: Written[] = []
  const failed: unknown[] = []
  const counts = new Map<string, number>()
  let isOver = false
  const send = (key: string): void => {
    const count = counts.get(key) ?? 0
    counts.set(key, count + 1)
    const value = `${key}:${count}`
    producer.send({ topic, key, value }).then(
      ([delivered]) => {
        assert.ok(delivered)
        written.push({ key, value, ...delivered })
        pulse.beat(delivered.partition)
      },
      (error: unknown) => failed.push(error),
    )
  }
  const run = async (): Promise<void> => {
    while (!isOver) {
      for (let key = 0; key < keys; key++) send(`k${key}`)
      await sleep(everyMs)
    }
    await producer.flush()
  }
  let running = run()
  cleanUp(t, async () => {
    isOver = true
    await producer.close({ timeoutMs: 1_000 })
  })
  return {
    written,
    async pause() {
      isOver = true
      await running
      assert.deepEqual(failed, [])
    },
    resume() {
      isOver = false
      running = run()
    },
  }
}

/** In the order of the log. */
function byPlace(records: readonly Omit<Written, 'key'>[]): string[] {
  return records
    .toSorted((a, b) => a.partition - b.partition || a.offset - b.offset)
    .map(({ partition, offset, value }) => `${partition}@${offset} ${value}`)
}

/** `k7:0`, `k7:1`, … of every key, in this order. */
function assertCounted(values: readonly string[], what: string): void {
  const next = new Map<string, number>()
  for (const value of values) {
    const [key = '', count] = value.split(':')
    assert.equal(Number(count), next.get(key) ?? 0, `${what}: ${value}`)
    next.set(key, Number(count) + 1)
  }
}

const nodes = await threeNodes()
if (nodes !== undefined) {
  describe('three nodes of Apache Kafka', { timeout: 300_000 }, () => {
    after(() => nodes.stop())
    test('Q9 Q12 X1 X2 I1 I3 I9 · nodes are killed under load: nothing lost, nothing reordered, exactly-once output once', (t) =>
      story(t, nodes))
  })
}

async function story(t: TestContext, nodes: Nodes): Promise<void> {
  const { brokers } = nodes
  const input = unique('input')
  const output = unique('output')
  await nodes.create(input, partitions)
  await nodes.create(output, partitions)
  const pulses = { written: new Pulse(partitions), read: new Pulse(partitions), copied: new Pulse(partitions) }
  const ledger = new Ledger()
  const group = unique('group')
  const work = ({ partition }: { readonly partition: number }): void => pulses.read.beat(partition)
  const member = (name: string) => read(t, ledger, { brokers, group, topics: [input], member: name, client, work })
  const members = await Promise.all([member('one'), member('two')])
  await until('both share', () => members.every(({ held }) => held.size === partitions / 2))

  const transactionalId = unique('copier')
  const notes = notebook()
  const copier = await consume({
    brokers,
    group: unique('copiers'),
    topics: [input],
    client,
    delivery: 'exactly-once',
    transactionalId,
    logger: notes,
    closeMs: 5_000,
    handle: ({ key, value }, context) => context.send({ topic: output, key, value }),
  })
  const copies = new Ledger()
  const everyPartition = Array.from({ length: partitions }, (_, partition) => ({ topic: output, partition, offset: 0 }))
  const tail = await read(t, copies, {
    brokers,
    partitions: everyPartition,
    member: 'tail',
    work: ({ partition }) => pulses.copied.beat(partition),
  })
  const consumers: readonly Consumer[] = [...members.map(({ consumer }) => consumer), copier, tail.consumer]
  cleanUp(t, async () => {
    await copier.close().catch(() => undefined)
  })
  const failures: unknown[] = []
  for (const each of consumers) each.closed.catch((error: unknown) => failures.push(error))

  const load = await startLoad(t, nodes, input, pulses.written)
  const moves = async (what: string): Promise<void> => {
    const isMoving = (): boolean => {
      assert.deepEqual(failures, [])
      return Object.values(pulses).every(({ least }) => least >= 20)
    }
    await until(what, isMoving, patienceMs).catch((error: unknown) => {
      const lines = [...members.map((each) => each.notes), notes, tail.notes].flatMap((each) => each.lines.slice(-20))
      const states = Object.entries(pulses).map(([name, { state }]) => `${name}: ${state}`)
      throw new Error(inspect({ what, states, lines }, { depth: 6 }), { cause: error })
    })
  }
  const begin = (): void => {
    for (const pulse of Object.values(pulses)) pulse.begin()
  }
  const report = (what: string): void => {
    const gaps = Object.entries(pulses).map(([name, { longestMs }]) => `${name} ${longestMs} ms`)
    t.diagnostic(`${what}: the longest time in which nothing was ${gaps.join(', ')}`)
  }
  const kill = async (what: string, node: Node): Promise<void> => {
    begin()
    await node.stop('SIGKILL')
    await moves(what)
    report(what)
    await node.start()
    await nodes.whole()
  }
  begin()
  await moves('all runs')
  await nodes.whole()

  await kill('leader of a partition killed', await nodes.leaderOf(input, 0))
  await kill('group coordinator killed', await nodes.coordinatorOf('group', group))
  await kill('transaction coordinator killed', await nodes.coordinatorOf('transaction', transactionalId))

  const isAllRead = () =>
    until(
      'all is read and copied',
      () => pulses.read.total >= load.written.length && pulses.copied.total >= load.written.length,
      patienceMs,
    )
  // Nobody writes; all nodes are killed, and start again some seconds later.
  await load.pause()
  await isAllRead()
  await Promise.all(nodes.all.map((node) => node.stop('SIGKILL')))
  await sleep(5_000)
  await Promise.all(nodes.all.map((node) => node.start()))
  begin()
  load.resume()
  await moves('all nodes are back')
  report('all nodes killed, since they answer again')
  await load.pause()
  await isAllRead()

  const counts = Array.from({ length: partitions }, () => 0)
  for (const { partition } of load.written) counts[partition] = (counts[partition] ?? 0) + 1
  await until('the last ones have ended', () => ledger.hasAll(input, counts))
  await Promise.all(consumers.map((each) => each.close()))
  assert.deepEqual(failures, [])
  ledger.assertComplete(input, counts)
  ledger.assertKeyOrder()
  const once = new Map(ledger.of('end').map((entry) => [`${entry.partition}@${entry.offset}`, entry]))
  const handled = byPlace([...once.values()].map((entry) => ({ ...entry, value: String(entry.value) })))
  const isHandled = new Set(handled)
  const acknowledged = load.written.filter(({ offset }) => offset >= 0)
  assert.deepEqual(
    byPlace(acknowledged).filter((each) => !isHandled.has(each)),
    [],
    'each is where it was said to be',
  )
  assertCounted(
    handled.map((each) => each.split(' ')[1] as string),
    'the log',
  )
  t.diagnostic(`${load.written.length} records, ${ledger.of('end').length - once.size} of them handled twice`)

  const admin = await createAdmin({ brokers })
  const committed = await admin.committed(group)
  await admin.close()
  t.diagnostic(JSON.stringify(committed))

  await using java = await javaReader(brokers)
  const copied = await java.readAll(output, load.written.length)
  assert.deepEqual(
    byPlace(copied),
    byPlace(copies.of('end').map((entry) => ({ ...entry, value: String(entry.value) }))),
  )
  assertCounted(
    byPlace(copied).map((each) => each.split(' ')[1] as string),
    'the output',
  )
  assert.equal(copied.length, load.written.length)
}

/** Somebody else's eyes, read_committed. */
async function javaReader(brokers: readonly string[]) {
  const java = await javaClient(brokers)
  return {
    async readAll(topic: string, count: number): Promise<Omit<Written, 'key'>[]> {
      const ledger = new Ledger()
      const settings = { 'isolation.level': 'read_committed' }
      const reader = await java.join({ group: unique('eyes'), topic, member: 'java', ledger, settings })
      await until('java has read it', () => ledger.of('end').length >= count)
      await reader.leave()
      return ledger.of('end').map(({ partition, offset, value }) => ({ partition, offset, value: String(value) }))
    },
    [Symbol.asyncDispose]: () => java.close(),
  }
}
