/**
 * Apache Kafka as a target of the conformance scripts. Time is real here: `advance` waits. Names get a number for every script,
 * so that all of them can share one cluster.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { produceApi } from '../../../src/protocol/generated/00-produce.ts'
import { deleteRecordsApi } from '../../../src/protocol/generated/21-delete-records.ts'
import { electLeadersApi } from '../../../src/protocol/generated/43-elect-leaders.ts'
import { alterPartitionReassignmentsApi } from '../../../src/protocol/generated/45-alter-partition-reassignments.ts'
import { listTransactionsApi } from '../../../src/protocol/generated/66-list-transactions.ts'
import { encodeBatch } from '../../../src/protocol/record-batch/writer.ts'
import type { Request, Response, ResponseOf } from '../../../src/testing/sim/cluster/requests.ts'
import { RawClient } from '../../support/raw-client.ts'
import { until, within } from '../../support/wait.ts'
import type { Control, Script, TopicKind } from '../script.ts'
import type { Exchange, ScriptTarget } from '../script-runner.ts'
import { internalTopics, type KafkaForScripts } from './kafka-cluster.ts'
import { type Names, translate } from './translate.ts'

const replicasOf: Readonly<Record<TopicKind, readonly number[]>> = {
  plain: [1],
  compacted: [1],
  far: [3],
  replicated: [3, 2],
}
const configsOf: Readonly<Record<TopicKind, Readonly<Record<string, string>>>> = {
  plain: {},
  far: {},
  replicated: { 'unclean.leader.election.enable': 'true', 'min.insync.replicas': '1' },
  compacted: {
    'cleanup.policy': 'compact',
    'segment.ms': '500',
    'min.cleanable.dirty.ratio': '0.0001',
    'min.compaction.lag.ms': '0',
    'delete.retention.ms': '0',
  },
}

/** A request that is not answered within this time has at least arrived. */
const arrivalMs = 60
const answerMs = 15_000
const fillBatches = 60
const fillRecords = 20_000

let scripts = 0
const run = Date.now().toString(36)

type Move = Control & { kind: 'moveCoordinator' }

export class KafkaTarget implements ScriptTarget {
  readonly #kafka: KafkaForScripts
  readonly #clients = new Map<string, { readonly client: RawClient; busy: boolean }[]>()
  #suffix = ''
  #heldNode: number | undefined

  constructor(kafka: KafkaForScripts) {
    this.#kafka = kafka
  }

  get #names(): Names {
    const end = `-${this.#suffix}`
    return {
      topic: (name) => name + end,
      scriptTopic: (name) => (name.endsWith(end) ? name.slice(0, -end.length) : name),
      id: (name) => name + end,
    }
  }

  async open(script: Script): Promise<void> {
    this.#suffix = `${run}-${++scripts}`
    for (const which of ['group', 'transaction'] as const) {
      const [partition] = await this.#kafka.leaders(internalTopics[which])
      if (partition?.leader !== 1) await this.#move({ kind: 'moveCoordinator', of: which, loading: false })
    }
    for (const [name, spec] of Object.entries(script.topics ?? {})) {
      const { kind, partitions } = typeof spec === 'string' ? { kind: spec, partitions: 1 } : spec
      const assignments = Array.from({ length: partitions }, () => replicasOf[kind])
      await this.#kafka.createTopic(this.#names.topic(name), assignments, configsOf[kind])
      for (let partition = 0; partition < partitions; partition++) await this.#untilReadable(name, partition)
    }
  }

  /** A leader that was just elected may not know it yet. */
  #untilReadable(topic: string, partition: number): Promise<true> {
    return until(`${topic}-${partition} can be read`, async () => {
      const answer = await this.#fetch(topic, partition, 'read_committed')
      return answer.partitions[0]?.errorCode === 'NONE'
    })
  }

  async #fetch(
    topic: string,
    partition: number,
    isolationLevel: 'read_committed' | 'read_uncommitted',
  ): Promise<ResponseOf<'Fetch'>> {
    const from = { topic, partition, currentLeaderEpoch: -1, fetchOffset: 0, partitionMaxBytes: 10_000_000 }
    const exchange = await this.send('target', {
      kind: 'Fetch',
      maxWaitMs: 0,
      maxBytes: 10_000_000,
      isolationLevel,
      partitions: [from],
    })
    return (await exchange.answer()) as ResponseOf<'Fetch'>
  }

  async send(actor: string, request: Request): Promise<Exchange> {
    const free = await this.#clientOf(actor, await this.#nodeFor(request), request)
    const { api, version, request: body, understand } = translate(request, this.#names)
    let answered = false
    const answer = free.client.send(api, version, body).then((decoded): Response => {
      answered = true
      free.busy = false
      return understand(decoded)
    })
    const settled = answer.then(
      () => undefined,
      () => undefined,
    )
    await Promise.race([settled, sleep(arrivalMs)])
    return {
      get answered() {
        return answered
      },
      answer: () => within(`${request.kind} is answered`, answer, answerMs),
    }
  }

  async #nodeFor(request: Request): Promise<number> {
    if ('node' in request) return request.node
    if ('partitions' in request && request.partitions !== null) {
      const [first] = request.partitions
      if (first !== undefined) return this.#leaderOf(first.topic, first.partition)
    }
    return 1
  }

  async #leaderOf(topic: string, partition: number): Promise<number> {
    const leaders = await this.#kafka.leaders(this.#names.topic(topic))
    return leaders[partition]?.leader ?? 1
  }

  async #clientOf(
    actor: string,
    node: number,
    request: Request,
  ): Promise<{ readonly client: RawClient; busy: boolean }> {
    const clientId = 'clientId' in request ? request.clientId : actor
    const key = `${actor}/${clientId}@${node}`
    const list = this.#clients.get(key) ?? []
    this.#clients.set(key, list)
    const free = list.find(({ busy }) => !busy)
    if (free !== undefined) {
      free.busy = true
      return free
    }
    const made = { client: await RawClient.connect(this.#kafka.address(node), clientId), busy: true }
    list.push(made)
    return made
  }

  async advance(ms: number): Promise<void> {
    await sleep(ms)
  }

  otherNode(node: number): number {
    return node === 1 ? 2 : 1
  }

  async control(control: Control): Promise<void> {
    switch (control.kind) {
      case 'append':
        return this.#append(control)
      case 'deleteRecordsBefore': {
        const partitions = [{ partitionIndex: control.partition, offset: BigInt(control.offset) }]
        const node = await this.#leaderOf(control.topic, control.partition)
        await this.#kafka.ask(node, deleteRecordsApi, 2, {
          topics: [{ name: this.#names.topic(control.topic), partitions }],
          timeoutMs: 5_000,
        })
        return
      }
      case 'compact':
        return this.#untilCompacted(control)
      case 'holdMarkers': {
        const [offsets] = await this.#kafka.leaders(internalTopics.group)
        this.#heldNode = control.of === 'group' ? (offsets?.leader ?? 1) : await this.#leaderOf(control.of.topic, 0)
        this.#kafka.proxies[this.#heldNode - 1]?.pause()
        return
      }
      case 'releaseMarkers':
        this.#release()
        return this.#untilMarked()
      case 'awaitMarkers':
        return this.#untilMarked()
      case 'loseFollower':
        await this.#stopNode(2)
        return this.#untilInSync(control.topic, control.partition, [3])
      case 'electFollower':
        return this.#electFollower(control)
      case 'moveCoordinator':
        return this.#move(control)
      case 'awaitLoaded':
        return this.#untilLoaded()
    }
  }

  async #append(control: Control & { kind: 'append' }): Promise<void> {
    const answer = await this.send('feeder', {
      kind: 'Produce',
      transactionalId: null,
      partitions: [
        {
          topic: control.topic,
          partition: control.partition,
          producerId: -1,
          producerEpoch: -1,
          baseSequence: -1,
          isTransactional: false,
          records: control.records.map((record) => ({ ...record, size: record.value.length })),
        },
      ],
    }).then((exchange) => exchange.answer())
    const code = (answer as ResponseOf<'Produce'>).partitions[0]?.errorCode
    if (code !== 'NONE') throw new Error(`not appended: ${code}`)
  }

  async #untilCompacted({ topic, partition, offsets }: Control & { kind: 'compact' }): Promise<void> {
    const isGone = async (): Promise<boolean> => {
      const answer = await this.#fetch(topic, partition, 'read_uncommitted')
      const there = answer.partitions[0]?.batches.flatMap((b) =>
        b.kind === 'data' ? b.records.map((r) => r.offset) : [],
      )
      return !offsets.some((offset) => there?.includes(offset))
    }
    await until('compaction', isGone, 60_000)
  }

  async #untilMarked(): Promise<void> {
    await until('all markers are written', async () => {
      const [partition] = await this.#kafka.leaders(internalTopics.transaction)
      const answer = await this.#kafka.ask(partition?.leader ?? 1, listTransactionsApi, 0, {
        stateFilters: ['PrepareCommit', 'PrepareAbort'],
      })
      const mine = answer.transactionStates.filter(({ transactionalId }) =>
        transactionalId.endsWith(`-${this.#suffix}`),
      )
      return answer.errorCode === errorCodes.NONE && mine.length === 0
    })
  }

  async #untilInSync(topic: string, partition: number, nodes: readonly number[]): Promise<void> {
    await until(`${nodes.join(', ')} are in sync`, async () => {
      const found = (await this.#kafka.leaders(this.#names.topic(topic), [1, 3]))[partition]
      return found !== undefined && [...found.inSync].sort().join() === nodes.join()
    })
  }

  async #electFollower({ topic, partition }: Control & { kind: 'electFollower' }): Promise<void> {
    await this.#stopNode(3)
    await this.#kafka.startNode(2, 2)
    await until(
      'the follower leads',
      async () => (await this.#kafka.leaders(this.#names.topic(topic), [1, 2]))[partition]?.leader === 2,
      90_000,
    )
    await this.#kafka.startNode(3, 3)
    await this.#untilReadable(topic, partition)
  }

  async #stopNode(node: number): Promise<void> {
    for (const [key, list] of this.#clients) {
      if (!key.endsWith(`@${node}`)) continue
      for (const { client } of list) await client.close()
      this.#clients.delete(key)
    }
    await this.#kafka.stopNode(node)
  }

  async #move({ of, loading }: Move): Promise<void> {
    const topic = internalTopics[of]
    const [partition] = await this.#kafka.leaders(topic)
    const from = partition?.leader ?? 1
    const to = this.otherNode(from)
    if (loading) await this.#fill(topic, from)
    const topics = [{ name: topic, partitions: [{ partitionIndex: 0, replicas: [to, from] }] }]
    await this.#kafka.ask(1, alterPartitionReassignmentsApi, 0, { timeoutMs: 5_000, topics })
    await until('the reassignment is done', async () => {
      const [now] = await this.#kafka.leaders(topic)
      return now?.replicas[0] === to && now.inSync.length === 2
    })
    await this.#kafka.ask(1, electLeadersApi, 2, {
      electionType: 0,
      topicPartitions: [{ topic, partitions: [0] }],
      timeoutMs: 10_000,
    })
    await until(`the ${of} coordinator has moved`, async () => {
      const [old, next] = [await this.#coordinatorSays(of, from), await this.#coordinatorSays(of, to)]
      if (old !== 'NOT_COORDINATOR' || next === 'NOT_COORDINATOR') return false
      if (loading && next !== 'COORDINATOR_LOAD_IN_PROGRESS') throw new Error(`loaded too soon: ${next}`)
      return loading || next !== 'COORDINATOR_LOAD_IN_PROGRESS'
    })
  }

  /** A question that changes nothing; the metadata is known before the coordinators have acted on it. */
  async #coordinatorSays(of: 'group' | 'transaction', node: number): Promise<string> {
    const request: Request =
      of === 'group'
        ? { kind: 'OffsetFetch', node, groupId: 'nobody', requireStable: true, partitions: [] }
        : { kind: 'EndTxn', node, transactionalId: 'nobody', producerId: 1, producerEpoch: 0, committed: true }
    const answer = await (await this.send('target', request)).answer()
    return (answer as ResponseOf<'EndTxn'>).errorCode
  }

  async #untilLoaded(): Promise<void> {
    for (const which of ['group', 'transaction'] as const) {
      await until(
        `the ${which} coordinator has loaded`,
        async () => {
          const [partition] = await this.#kafka.leaders(internalTopics[which])
          if (partition === undefined || partition.leader < 1) return false
          const says = await this.#coordinatorSays(which, partition.leader)
          return says === 'NONE' || says === 'INVALID_PRODUCER_ID_MAPPING'
        },
        90_000,
      )
    }
  }

  /** So much state that loading it takes seconds: tombstones, written straight into the log, as only an admin client may. */
  async #fill(topic: string, node: number): Promise<void> {
    const client = await RawClient.connect(this.#kafka.address(node), '__admin_client')
    const type = topic === internalTopics.group ? 2 : 0
    const keys = Array.from({ length: 50 }, (_, i) => {
      const name = Buffer.from(`nobody-${i}`)
      const head = Buffer.alloc(4)
      head.writeInt16BE(type, 0)
      head.writeInt16BE(name.length, 2)
      return Buffer.concat([head, name])
    })
    for (let batch = 0; batch < fillBatches; batch++) {
      const list = Array.from({ length: fillRecords }, (_, i) => ({
        key: keys[i % keys.length] as Buffer,
        value: null,
        timestampMs: Date.now(),
      }))
      const partitionData = [{ index: 0, records: encodeBatch({ records: list }) }]
      const answer = await client.send(produceApi, 11, {
        acks: -1,
        timeoutMs: 20_000,
        topicData: [{ name: topic, partitionData }],
      })
      const code = answer.responses[0]?.partitionResponses[0]?.errorCode
      if (code !== errorCodes.NONE) throw new Error(`${topic} was not filled: error ${code}`)
    }
    await client.close()
  }

  #release(): void {
    if (this.#heldNode !== undefined) this.#kafka.proxies[this.#heldNode - 1]?.resume()
    this.#heldNode = undefined
  }

  async close(): Promise<void> {
    this.#release()
    for (const list of this.#clients.values()) for (const { client } of list) await client.close()
    this.#clients.clear()
  }
}
