/**
 * Three nodes of Apache Kafka, killed one after the other, then all at once, under a producer, a group of each protocol and an
 * exactly-once consumer that copies to another topic. What each of them did is compared with the log at the end.
 */
import assert from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { type Consumer, consume, createAdmin } from '../../src/index.ts'
import { type Notebook, notebook } from '../e2e/support.ts'
import { unique } from '../support/targets.ts'
import { until } from '../support/wait.ts'
import { cleanUp } from './support/cleanup.ts'
import { Ledger } from './support/ledger.ts'
import { assertCounted, inOrder, type Load, type Placed, startLoad } from './support/mixed-load.ts'
import { javaClient } from './support/mixed-members.ts'
import { type Node, type Nodes, threeNodes } from './support/mixed-nodes.ts'
import { Pulse } from './support/mixed-pulse.ts'
import { read } from './support/reader.ts'

const partitions = 6
const patienceMs = 60_000
const stillMs = 5_000
const client = { sessionTimeoutMs: 10_000, heartbeatMs: 500 }

const nodes = await threeNodes()
if (nodes !== undefined) {
  describe('three nodes of Apache Kafka', { timeout: 300_000 }, () => {
    after(() => nodes.stop())
    // A node that dies takes with it leaders, coordinators and everything that was on its way to it.
    test('Q9 Q12 X1 X2 X4 G3 I1 I3 I9 · nodes are killed under load: nothing lost, nothing reordered, outputs exactly once', async (t) => {
      const stage = await open(t, nodes)
      await moves(stage, 'all runs')
      await nodes.whole()
      const { input, groups, transactionalId } = stage
      await kill(t, stage, 'leader of a partition', await nodes.leaderOf(input, 0))
      await kill(t, stage, 'coordinator of both groups', await nodes.coordinatorOf('group', groups.classic.name))
      await kill(t, stage, 'coordinator of transactions', await nodes.coordinatorOf('transaction', transactionalId))
      await allAtOnce(t, stage)
      await verify(t, stage)
    })
  })
}

interface Group {
  readonly name: string
  readonly ledger: Ledger
}

interface Stage {
  readonly nodes: Nodes
  readonly input: string
  readonly output: string
  readonly groups: { readonly classic: Group; readonly consumer: Group }
  readonly copiers: string
  readonly transactionalId: string
  readonly copies: Ledger
  readonly load: Load
  readonly pulses: Readonly<Record<'written' | 'read' | 'read848' | 'copied', Pulse>>
  readonly consumers: readonly Consumer[]
  readonly notes: readonly Notebook[]
  /** Consumers that have given up. */
  readonly failures: readonly unknown[]
}

async function open(t: TestContext, nodes: Nodes): Promise<Stage> {
  const { brokers } = nodes
  const input = unique('input')
  const output = unique('output')
  await nodes.create(input, partitions)
  await nodes.create(output, partitions)
  const pulse = (): Pulse => new Pulse(partitions)
  const pulses = { written: pulse(), read: pulse(), read848: pulse(), copied: pulse() }
  const consumers: Consumer[] = []
  const notes: Notebook[] = []

  const group = async (name: string, protocol: 'classic' | 'consumer', beats: Pulse): Promise<Group> => {
    const ledger = new Ledger()
    const work = ({ partition }: { readonly partition: number }): void => beats.beat(partition)
    const options = { brokers, group: name, topics: [input], client: { ...client, protocol }, work }
    const members = await Promise.all(['one', 'two'].map((member) => read(t, ledger, { ...options, member })))
    await until(`${protocol}: both share`, () => members.every(({ held }) => held.size === partitions / 2))
    consumers.push(...members.map(({ consumer }) => consumer))
    notes.push(...members.map((member) => member.notes))
    return { name, ledger }
  }
  const name = unique('classic')
  const groups = {
    classic: await group(name, 'classic', pulses.read),
    consumer: await group(await sameCoordinator(nodes, name), 'consumer', pulses.read848),
  }

  const transactionalId = unique('copier')
  const copiers = unique('copiers')
  const logger = notebook()
  const copier = await consume({
    brokers,
    group: copiers,
    topics: [input],
    client,
    delivery: 'exactly-once',
    transactionalId,
    logger,
    closeMs: 5_000,
    handle: ({ key, value }, context) => context.send({ topic: output, key, value }),
  })
  cleanUp(t, async () => {
    await copier.close().catch(() => undefined)
  })
  const copies = new Ledger()
  const tail = await read(t, copies, {
    brokers,
    partitions: Array.from({ length: partitions }, (_, partition) => ({ topic: output, partition, offset: 0 })),
    work: ({ partition }) => pulses.copied.beat(partition),
  })
  consumers.push(copier, tail.consumer)
  notes.push(logger, tail.notes)
  const failures: unknown[] = []
  for (const each of consumers) each.closed.catch((error: unknown) => failures.push(error))
  const load = await startLoad(t, brokers, input, pulses.written)
  return { nodes, input, output, groups, copiers, transactionalId, copies, load, pulses, consumers, notes, failures }
}

/** The name of a group that the same node looks after. */
async function sameCoordinator(nodes: Nodes, group: string): Promise<string> {
  const node = await nodes.coordinatorOf('group', group)
  for (;;) {
    const name = unique('consumer')
    if ((await nodes.coordinatorOf('group', name)) === node) return name
  }
}

/** In every partition something is written, read and copied; counted from `begin`. */
async function moves({ nodes, pulses, failures, groups, notes }: Stage, what: string): Promise<void> {
  const isMoving = (): boolean => {
    assert.deepEqual(failures, [])
    return Object.values(pulses).every(({ least }) => least >= 20)
  }
  await until(what, isMoving, patienceMs).catch(async (error: unknown) => {
    await using admin = await createAdmin({ brokers: nodes.brokers })
    const described = await admin.describeGroups([groups.classic.name, groups.consumer.name]).catch(String)
    const states = Object.entries(pulses).map(([name, { state }]) => `${name}: ${state}`)
    const lines = notes.flatMap((each) => each.lines.slice(-10)).map(({ level, message }) => `${level}: ${message}`)
    throw new Error(inspect({ what, states, described, lines }, { depth: 8, maxArrayLength: 200 }), { cause: error })
  })
}

function begin({ pulses }: Stage): void {
  for (const pulse of Object.values(pulses)) pulse.begin()
}

function report(t: TestContext, { pulses }: Stage, what: string): void {
  const gaps = Object.entries(pulses).map(([name, { longestMs }]) => `${name} ${longestMs} ms`)
  t.diagnostic(`${what}; the longest time in which nothing was ${gaps.join(', ')}`)
}

async function kill(t: TestContext, stage: Stage, what: string, node: Node): Promise<void> {
  const { nodes } = stage
  begin(stage)
  const atMs = performance.now()
  await node.stop('SIGKILL')
  const electionMs = nodes.without(node).then(() => Math.round(performance.now() - atMs))
  await moves(stage, `${what} killed`)
  report(t, stage, `${what} killed, Kafka itself took ${await electionMs} ms`)
  await node.start()
  await nodes.whole()
}

/** Nobody writes; all nodes are killed, and start again some seconds later. */
async function allAtOnce(t: TestContext, stage: Stage): Promise<void> {
  const { nodes, load } = stage
  await load.pause()
  await isAllRead(stage)
  await Promise.all(nodes.all.map((node) => node.stop('SIGKILL')))
  await sleep(stillMs)
  await Promise.all(nodes.all.map((node) => node.start()))
  begin(stage)
  load.resume()
  await moves(stage, 'all nodes are back')
  report(t, stage, 'all nodes killed, measured from where all of them answer again')
  await load.pause()
  await isAllRead(stage)
}

async function isAllRead({ pulses, load }: Stage): Promise<void> {
  const { written } = load
  const { read: classic, read848, copied } = pulses
  const isAll = (): boolean => [classic, read848, copied].every(({ total }) => total >= written.length)
  await until('all is read and copied', isAll, patienceMs)
}

async function verify(t: TestContext, stage: Stage): Promise<void> {
  const { nodes, input, output, groups, copiers, copies, load, consumers, failures } = stage
  const { written } = load
  const counts = Array.from({ length: partitions }, () => 0)
  for (const { partition } of written) counts[partition] = (counts[partition] ?? 0) + 1
  const { classic, consumer } = groups
  await until('the last ones have ended', () => [classic, consumer].every(({ ledger }) => ledger.hasAll(input, counts)))
  await Promise.all(consumers.map((each) => each.close()))
  assert.deepEqual(failures, [])
  for (const { name, ledger } of [classic, consumer]) {
    ledger.assertComplete(input, counts)
    ledger.assertKeyOrder()
    const ends = ledger.of('end')
    const once = [...new Map(ends.map((entry) => [`${entry.partition}@${entry.offset}`, entry])).values()]
    assertCounted(once, written.length, `the input, as ${name} saw it`)
    const seen = new Set(inOrder(once))
    const missing = inOrder(written.filter(({ offset }) => offset >= 0)).filter((each) => !seen.has(each))
    assert.deepEqual(missing, [], 'each is where it was said to be')
    t.diagnostic(`${name}: ${written.length} records, ${ends.length - once.length} of them handled twice`)
  }
  const admin = await createAdmin({ brokers: nodes.brokers })
  cleanUp(t, () => admin.close())
  for (const group of [classic.name, consumer.name, copiers]) {
    const committed = await admin.committed(group, undefined, { requireStable: true })
    assert.deepEqual(
      committed.map(({ offset }) => offset),
      counts,
      group,
    )
  }
  const copied = await readByJava(nodes.brokers, output, written.length)
  assertCounted(copied, written.length, 'the output')
  assert.deepEqual(inOrder(copied), inOrder(copies.of('end')), 'the output, as our own reader saw it')
}

/** Somebody else's eyes, read_committed. */
async function readByJava(brokers: readonly string[], topic: string, count: number): Promise<readonly Placed[]> {
  const java = await javaClient(brokers)
  try {
    const ledger = new Ledger()
    const settings = { 'isolation.level': 'read_committed' }
    const reader = await java.join({ group: unique('eyes'), topic, member: 'java', ledger, settings })
    await until('java has read it', () => ledger.of('end').length >= count)
    await reader.leave()
    return ledger.of('end')
  } finally {
    await java.close()
  }
}
