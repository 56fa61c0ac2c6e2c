/**
 * What operators and accidents do to a cluster of Apache Kafka under load: too few replicas in sync, so that writes are refused;
 * the controller killed; a broker added and every partition moved to it. A producer, a group and an exactly-once copier go on
 * through all of it, and lose nothing.
 */
import assert from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import { type KafkaCluster, type KafkaNode, startKafkaCluster } from '../../scripts/kafka/cluster.ts'
import { consume } from '../../src/consume.ts'
import type { Consumer } from '../../src/consumer/consumer.ts'
import { errorCodes, errorName } from '../../src/protocol/errors.ts'
import { produceApi } from '../../src/protocol/generated/00-produce.ts'
import { metadataApi } from '../../src/protocol/generated/03-metadata.ts'
import { createTopicsApi } from '../../src/protocol/generated/19-create-topics.ts'
import { incrementalAlterConfigsApi } from '../../src/protocol/generated/44-incremental-alter-configs.ts'
import { alterPartitionReassignmentsApi } from '../../src/protocol/generated/45-alter-partition-reassignments.ts'
import { describeQuorumApi } from '../../src/protocol/generated/55-describe-quorum.ts'
import { encodeBatch } from '../../src/protocol/record-batch/writer.ts'
import { notebook } from '../e2e/support.ts'
import { KafkaUnavailable } from '../support/kafka.ts'
import { loudly, unique } from '../support/targets.ts'
import { until } from '../support/wait.ts'
import { addNode } from './support/added-node.ts'
import { cleanUp } from './support/cleanup.ts'
import { Ledger } from './support/ledger.ts'
import { assertCounted, inOrder, type Load, startLoad } from './support/mixed-load.ts'
import { Pulse } from './support/mixed-pulse.ts'
import { mustBe, RawKafka, toBatchRecord } from './support/raw-kafka.ts'
import { read } from './support/reader.ts'

const partitions = 4
const replicas = 3
const added = 4
const topicResource = 2
const patienceMs = 60_000
const nodeTimeouts = { 'broker.session.timeout.ms': 4_000, 'broker.heartbeat.interval.ms': 500 }
const client = { sessionTimeoutMs: 10_000, heartbeatMs: 500 }

async function threeNodes(): Promise<KafkaCluster | undefined> {
  if (process.env.FANLANE_TARGET === 'embedded') return undefined
  try {
    return await startKafkaCluster({ nodes: replicas, properties: nodeTimeouts })
  } catch (error) {
    if (!(error instanceof KafkaUnavailable)) throw error
    loudly(`CHANGES OF A CLUSTER NOT RUN ON APACHE KAFKA: ${error.message}`)
    return undefined
  }
}

const cluster = await threeNodes()
if (cluster !== undefined) {
  describe('three nodes of Apache Kafka', { timeout: 240_000 }, () => {
    after(() => cluster.stop())

    test('Q12 I1 I3 I9 · writes refused for want of replicas, the controller killed, a broker added and all partitions moved to it', async (t) => {
      const stage = await open(t, cluster)
      await moves(stage, 'all runs')
      await tooFewReplicas(t, cluster, stage)
      await controllerKilled(t, cluster, stage)
      await movedToNewNode(t, cluster, stage)
      await verify(t, stage)
    })
  })
}

/** Somebody who runs, other than this one. */
async function ask<Answer>(
  of: KafkaCluster,
  work: (raw: RawKafka) => Promise<Answer>,
  not?: KafkaNode,
): Promise<Answer> {
  const node = of.nodes.find((each) => each !== not && each.pid() !== undefined)
  if (node === undefined) throw new Error('no node runs')
  await using raw = await RawKafka.connect([node.address])
  return await work(raw)
}

interface Placement {
  readonly topic: string
  readonly partition: number
  readonly leader: number
  readonly replicas: readonly number[]
  readonly inSync: readonly number[]
}

async function placements(of: KafkaCluster, names: readonly string[]): Promise<readonly Placement[]> {
  const { topics } = await ask(of, (raw) =>
    raw.send(metadataApi, 9, { topics: names.map((name) => ({ name })), allowAutoTopicCreation: false }),
  )
  return topics.flatMap((topic) =>
    topic.partitions.map((each) => ({
      topic: topic.name ?? '',
      partition: each.partitionIndex,
      leader: each.leaderId,
      replicas: each.replicaNodes,
      inSync: each.isrNodes,
    })),
  )
}

interface Stage {
  readonly input: string
  readonly output: string
  readonly ledger: Ledger
  readonly copies: Ledger
  readonly load: Load
  readonly pulses: Readonly<Record<'written' | 'read' | 'copied', Pulse>>
  readonly consumers: readonly Consumer[]
  readonly failures: readonly unknown[]
}

async function open(t: TestContext, of: KafkaCluster): Promise<Stage> {
  const { brokers } = of
  const input = unique('input')
  const output = unique('output')
  await ask(of, async (raw) => {
    const topic = (name: string) => ({ name, numPartitions: partitions, replicationFactor: replicas })
    const { topics } = await raw.send(createTopicsApi, 5, { timeoutMs: 10_000, topics: [input, output].map(topic) })
    for (const { errorCode, name } of topics) mustBe(errorCode, `CreateTopics ${name}`)
  })
  await isWhole(of, [input, output])
  const pulse = (): Pulse => new Pulse(partitions)
  const pulses = { written: pulse(), read: pulse(), copied: pulse() }
  const ledger = new Ledger()
  const group = await read(t, ledger, {
    brokers,
    group: unique('group'),
    topics: [input],
    client,
    work: ({ partition }) => pulses.read.beat(partition),
  })
  const copier = await consume({
    brokers,
    group: unique('copiers'),
    topics: [input],
    client,
    delivery: 'exactly-once',
    logger: notebook(),
    closeMs: 5_000,
    handle: ({ key, value }, context) => context.send({ topic: output, key, value }),
  })
  cleanUp(t, () => copier.close().catch(() => undefined))
  const copies = new Ledger()
  const tail = await read(t, copies, {
    brokers,
    partitions: Array.from({ length: partitions }, (_, partition) => ({ topic: output, partition, offset: 0 })),
    work: ({ partition }) => pulses.copied.beat(partition),
  })
  const consumers = [group.consumer, copier, tail.consumer]
  const failures: unknown[] = []
  for (const each of consumers) each.closed.catch((error: unknown) => failures.push(error))
  const load = await startLoad(t, brokers, input, pulses.written)
  return { input, output, ledger, copies, load, pulses, consumers, failures }
}

async function isWhole(of: KafkaCluster, names: readonly string[]): Promise<void> {
  const isAll = async (): Promise<boolean> => {
    const found = await placements(of, names)
    return (
      found.length === names.length * partitions &&
      found.every(({ inSync, leader }) => inSync.length === replicas && leader > 0)
    )
  }
  await until('all replicas in sync', isAll, patienceMs)
}

function begin({ pulses }: Stage): void {
  for (const pulse of Object.values(pulses)) pulse.begin()
}

/** In every partition something is written, read and copied; counted from `begin`. */
async function moves({ pulses, failures }: Stage, what: string): Promise<void> {
  const isMoving = (): boolean => {
    assert.deepEqual(failures, [])
    return Object.values(pulses).every(({ least }) => least >= 10)
  }
  await until(what, isMoving, patienceMs)
}

function report(t: TestContext, { pulses }: Stage, what: string): void {
  const gaps = Object.entries(pulses).map(([name, { longestMs }]) => `${name} ${longestMs} ms`)
  t.diagnostic(`${what}; the longest time in which nothing was ${gaps.join(', ')}`)
}

async function setMinIsr(of: KafkaCluster, topic: string, count: number): Promise<void> {
  await ask(of, async (raw) => {
    const configs = [{ name: 'min.insync.replicas', value: String(count), configOperation: 0 }]
    const resources = [{ resourceType: topicResource, resourceName: topic, configs }]
    const { responses } = await raw.send(incrementalAlterConfigsApi, 1, { resources })
    mustBe(responses[0]?.errorCode, 'IncrementalAlterConfigs')
  })
}

async function controllerOf(of: KafkaCluster): Promise<KafkaNode> {
  const id = await ask(of, async (raw) => {
    const topics = [{ topicName: '__cluster_metadata', partitions: [{ partitionIndex: 0 }] }]
    const answer = await raw.send(describeQuorumApi, 1, { topics })
    return answer.topics[0]?.partitions[0]?.leaderId
  })
  const node = of.nodes.find((each) => each.id === id)
  assert.ok(node, `the controller is ${id}`)
  return node
}

/** Where the checksum of a batch stands. */
const crcAt = 17

/** All three must have a record, and one is dead: every write is refused until it is back. */
async function tooFewReplicas(t: TestContext, of: KafkaCluster, stage: Stage): Promise<void> {
  const { input, load } = stage
  await setMinIsr(of, input, replicas)
  const controller = await controllerOf(of)
  const victim = of.nodes.find((each) => each !== controller)
  assert.ok(victim)
  await victim.stop('SIGKILL')
  const left = await until(
    'the others do without it',
    async () => {
      const found = await placements(of, [input])
      return found.every(({ inSync, leader }) => !inSync.includes(victim.id) && leader > 0) && found
    },
    patienceMs,
  )
  const [first] = left
  const leader = of.nodes.find(({ id }) => id === first?.leader)
  await using raw = await RawKafka.connect([leader?.address ?? ''])
  // A checksum that is wrong, because the replicas are counted before it is looked at: refused in any case, and never written,
  // while the leader still believes that it leads with all of them, or does not know yet that it leads.
  const records = encodeBatch({ records: [toBatchRecord({ value: 'must not be taken' })] })
  records.writeUInt32BE((records.readUInt32BE(crcAt) ^ 1) >>> 0, crcAt)
  await until('a write is refused for want of replicas', async () => {
    const { responses } = await raw.send(produceApi, 9, {
      acks: -1,
      timeoutMs: 5_000,
      topicData: [{ name: input, partitionData: [{ index: first?.partition ?? 0, records }] }],
    })
    const code = responses[0]?.partitionResponses[0]?.errorCode ?? errorCodes.NONE
    assert.notEqual(errorName(code), 'NONE')
    return errorName(code) === 'NOT_ENOUGH_REPLICAS'
  })
  const before = load.written.length
  begin(stage)
  await victim.start()
  await moves(stage, 'it goes on when the replica is back')
  assert.ok(load.written.length > before)
  report(t, stage, 'too few replicas in sync, counted from the return of the dead one')
  await setMinIsr(of, input, replicas - 1)
  await isWhole(of, [stage.input, stage.output])
}

async function controllerKilled(t: TestContext, of: KafkaCluster, stage: Stage): Promise<void> {
  const controller = await controllerOf(of)
  begin(stage)
  await controller.stop('SIGKILL')
  await until('there is another one', async () => (await controllerOf(of).catch(() => controller)) !== controller)
  await moves(stage, 'it goes on with another controller')
  report(t, stage, `controller, node ${controller.id}, killed`)
  await controller.start()
  await isWhole(of, [stage.input, stage.output])
}

/** The new one leads every partition in the end: whoever led it has no copy any more. */
async function movedToNewNode(t: TestContext, of: KafkaCluster, stage: Stage): Promise<void> {
  const names = [stage.input, stage.output]
  const node = await addNode(of, added)
  cleanUp(t, () => node.stop())
  begin(stage)
  const now = await placements(of, names)
  const byTopic = Map.groupBy(now, ({ topic }) => topic)
  const topics = [...byTopic].map(([name, each]) => ({
    name,
    partitions: each.map(({ partition, leader, replicas: old }) => ({
      partitionIndex: partition,
      replicas: [added, ...old.filter((id) => id !== leader)],
    })),
  }))
  await ask(of, async (raw) => {
    const answer = await raw.send(alterPartitionReassignmentsApi, 0, { timeoutMs: 30_000, topics })
    mustBe(answer.errorCode, 'AlterPartitionReassignments')
    for (const { partitions: each } of answer.responses) for (const { errorCode } of each) mustBe(errorCode, 'moving')
  })
  const isMoved = async (): Promise<boolean> =>
    (await placements(of, names)).every(
      ({ leader, replicas: has, inSync }) =>
        has[0] === added && has.length === replicas && inSync.length === replicas && leader > 0,
    )
  await until('every partition has moved', isMoved, patienceMs)
  await moves(stage, 'it goes on with the new node')
  const led = (await placements(of, names)).filter(({ leader }) => leader === added).length
  assert.ok(led > 0, 'the new one leads something')
  report(t, stage, `a broker added, ${now.length} partitions moved, it leads ${led} of them`)
}

async function verify(t: TestContext, stage: Stage): Promise<void> {
  const { input, ledger, copies, load, consumers, failures } = stage
  await load.pause()
  const { written } = load
  const counts = Array.from({ length: partitions }, () => 0)
  for (const { partition } of written) counts[partition] = (counts[partition] ?? 0) + 1
  await until('all is read', () => ledger.hasAll(input, counts), patienceMs)
  await until('all is copied', () => copies.of('end').length >= written.length, patienceMs)
  await Promise.all(consumers.map((each) => each.close()))
  assert.deepEqual(failures, [])
  ledger.assertComplete(input, counts)
  ledger.assertKeyOrder()
  const ends = ledger.of('end')
  const once = [...new Map(ends.map((entry) => [`${entry.partition}@${entry.offset}`, entry])).values()]
  assertCounted(once, written.length, 'the input')
  const seen = new Set(inOrder(once))
  assert.deepEqual(
    inOrder(written).filter((each) => !seen.has(each)),
    [],
    'each is where it was said to be',
  )
  assertCounted(copies.of('end'), written.length, 'the output')
  t.diagnostic(`${written.length} records, ${ends.length - once.length} of them handled twice, outputs once`)
}
