/** The records of a run: most are there from the beginning, the rest arrive while things go wrong. */
import { encodeMap } from '../../../kernel/offset-map/index.ts'
import type { ProducedRecord } from '../cluster/log-messages.ts'
import type { RequestKind, RequestOf, ResponseOf } from '../cluster/requests.ts'
import type { SimCluster } from '../cluster/sim-cluster.ts'
import type { VirtualClock } from '../virtual-clock.ts'
import { outputsOf } from './behaviour.ts'
import type { Ledger } from './ledger.ts'
import type { Network } from './network.ts'
import { padded, unpadded } from './padding.ts'
import { GROUP, INPUT_TOPIC } from './process.ts'
import type { Scenario } from './scenario.ts'

type Input = (index: number) => { readonly key: string | null; readonly value: string }

interface Keyed {
  readonly key: string | null
  readonly value: string
}

interface Drawn {
  readonly partition: number
  readonly record: ProducedRecord & Keyed
}

/** Bytes of a record: limits in bytes are met as often as limits in records. */
const SIZE_MIN = 20
const SIZE_SPREAD = 80
/** What a record takes besides its key and its value: lengths and deltas of one byte each. */
const RECORD_BYTES = 7

/** Of transactions in the input. */
const PRODUCERS = 2

export class Workload {
  readonly #scenario: Scenario
  readonly #clock: VirtualClock
  readonly #cluster: SimCluster
  readonly #ledger: Ledger
  readonly #random: () => number
  readonly #input: Input | undefined
  #index = 0
  #transactions = 0

  constructor(scenario: Scenario, clock: VirtualClock, cluster: SimCluster, ledger: Ledger, input?: Input) {
    this.#scenario = scenario
    this.#clock = clock
    this.#cluster = cluster
    this.#ledger = ledger
    this.#random = clock.stream('workload')
    this.#input = input
  }

  fill(network: Network): void {
    const later = Math.floor(this.#scenario.records * this.#scenario.laterShare)
    this.#before(this.#scenario.records - later)
    for (let count = 0; count < later; count++) {
      this.#clock.at(this.#random() * this.#scenario.safetyMs, () => {
        this.#append(this.#draw())
        network.armTick()
      })
    }
  }

  /** What is there before anybody reads. Compaction takes records away, but never the last of a partition. */
  #before(records: number): void {
    const compacted = new Map<number, Set<number>>()
    const written: (Drawn & { readonly offset: number })[] = []
    const open = new OpenBatches(this.#cluster)
    const chance = this.#clock.stream('batches')
    for (let count = 0; count < records; count++) {
      const drawn = this.#draw()
      const { partition } = drawn
      if (this.#isTransactional()) {
        open.write(partition)
        this.#appendTransaction(drawn)
        continue
      }
      const offset = open.add(drawn)
      if (chance() < 0.5) open.write(partition)
      written.push({ ...drawn, offset })
      if (this.#random() >= this.#scenario.faults.holes) continue
      const holes = compacted.get(partition) ?? new Set()
      compacted.set(partition, holes.add(offset))
    }
    for (let partition = 0; partition < this.#scenario.partitions; partition++) open.write(partition)
    for (const [partition, holes] of compacted) {
      holes.delete(this.#cluster.bounds(INPUT_TOPIC, partition).end - 1)
      this.#cluster.removeRecords(INPUT_TOPIC, partition, holes)
    }
    for (const { partition, offset, record } of written) {
      if (compacted.get(partition)?.has(offset) !== true) this.#exists(partition, offset, record)
    }
  }

  /** One more record, in this partition. */
  appendTo(partition: number): void {
    const { record } = this.#draw()
    this.#append({ partition, record })
  }

  #append(drawn: Drawn): void {
    if (this.#isTransactional()) return this.#appendTransaction(drawn)
    const { partition, record } = drawn
    // The ledger first: a waiting fetch is answered inside the append.
    this.#exists(partition, this.#cluster.bounds(INPUT_TOPIC, partition).end, drawn.record)
    this.#cluster.append(this.#clock.now(), INPUT_TOPIC, partition, [record])
  }

  #isTransactional(): boolean {
    return this.#random() < this.#scenario.faults.transactionalInput
  }

  /** Its marker is a hole in the log, often the last thing in it. Half of them are aborted: nobody may ever see those. */
  #appendTransaction({ partition, record }: Drawn): void {
    const committed = this.#random() < 0.5
    const write = (transactionalId: string): boolean =>
      writeTransaction(this.#cluster, this.#clock.now(), transactionalId, partition, record, committed, () => {
        if (committed) this.#exists(partition, this.#cluster.bounds(INPUT_TOPIC, partition).end, record)
      })
    // Most often a producer that has been here before: what it aborted then says nothing of what it writes now.
    const number = this.#transactions++
    if (!write(`input-${number % PRODUCERS}`)) write(`input-alone-${number}`)
  }

  #exists(partition: number, offset: number, { key, value }: Keyed): void {
    this.#ledger.exists(partition, offset, key, outputsOf(this.#scenario, partition, offset), unpadded(value))
  }

  #draw(): Drawn {
    const { keys, nullKeyShare, partitions } = this.#scenario
    // Squared: some keys and partitions have more than others.
    const number = Math.floor(this.#random() ** 2 * keys)
    const drawn = this.#random() < nullKeyShare ? null : number === 0 ? '' : `key-${number}`
    const index = this.#index++
    const given = this.#input?.(index)
    const key = given === undefined ? drawn : given.key
    const partition = key === null ? Math.floor(this.#random() * partitions) : hashOf(key) % partitions
    const size = SIZE_MIN + Math.floor(this.#random() * SIZE_SPREAD)
    const value = given?.value ?? padded(`r${index}`, size - RECORD_BYTES - (key?.length ?? 0))
    return { partition, record: { key, value, size } }
  }
}

/** Records that go into the log together: whoever starts in the middle of a batch gets all of it. */
class OpenBatches {
  readonly #cluster: SimCluster
  readonly #records: Map<number, ProducedRecord[]> = new Map()

  constructor(cluster: SimCluster) {
    this.#cluster = cluster
  }

  /** The offset that it will have. */
  add({ partition, record }: Drawn): number {
    const records = this.#records.get(partition) ?? []
    this.#records.set(partition, records)
    return this.#cluster.bounds(INPUT_TOPIC, partition).end + records.push(record) - 1
  }

  write(partition: number): void {
    const records = this.#records.get(partition) ?? []
    this.#records.delete(partition)
    if (records.length > 0) this.#cluster.append(0, INPUT_TOPIC, partition, records)
  }
}

function hashOf(key: string): number {
  let hash = 0
  for (let at = 0; at < key.length; at++) hash = (Math.imul(hash, 31) + key.charCodeAt(at)) >>> 0
  return hash
}

/** Somebody else has committed for this group before: other tools, older versions, bits that fell over. */
export function strangeCommits(scenario: Scenario, clock: VirtualClock, cluster: SimCluster): void {
  const random = clock.stream('strange')
  for (let partition = 0; partition < scenario.partitions; partition++) {
    if (random() < 0.3) continue
    const { start } = cluster.bounds(INPUT_TOPIC, partition)
    const request = {
      kind: 'OffsetCommit',
      node: coordinatorOf(cluster, 'group', GROUP),
      groupId: GROUP,
      generationId: -1,
      memberId: '',
      groupInstanceId: null,
      partitions: [
        {
          topic: INPUT_TOPIC,
          partition,
          committedOffset: start,
          committedLeaderEpoch: -1,
          committedMetadata: strange(start, random),
        },
      ],
    } as const
    cluster.request(clock.now(), request, () => undefined)
  }
}

/** Most requests are answered at once. */
function ask<Kind extends RequestKind>(cluster: SimCluster, nowMs: number, request: RequestOf<Kind>): ResponseOf<Kind> {
  let answer: ResponseOf<Kind> | null = null
  cluster.request(nowMs, request, (response: ResponseOf<Kind>) => {
    answer = response
  })
  if (answer === null) throw new Error(`${request.kind} was not answered at once`)
  return answer
}

function coordinatorOf(cluster: SimCluster, keyType: 'group' | 'transaction', key: string): number {
  return ask(cluster, 0, { kind: 'FindCoordinator', keyType, key } as const).nodeId
}

function writeTransaction(
  cluster: SimCluster,
  nowMs: number,
  transactionalId: string,
  partition: number,
  record: ProducedRecord,
  committed: boolean,
  beforeProduce: () => void,
): boolean {
  const node = coordinatorOf(cluster, 'transaction', transactionalId)
  const init = {
    kind: 'InitProducerId',
    node,
    transactionalId,
    transactionTimeoutMs: 10_000,
    producerId: -1,
    producerEpoch: -1,
  } as const
  const { producerId, producerEpoch, errorCode } = ask(cluster, nowMs, init)
  // A coordinator that loads takes nothing, and one whose markers are still on their way nothing more of this producer.
  if (errorCode !== 'NONE') return false
  const own = { transactionalId, producerId, producerEpoch }
  const name = { topic: INPUT_TOPIC, partition }
  ask(cluster, nowMs, { kind: 'AddPartitionsToTxn', node, ...own, partitions: [name] } as const)
  beforeProduce()
  const batch = { ...name, producerId, producerEpoch, baseSequence: 0, isTransactional: true, records: [record] }
  ask(cluster, nowMs, { kind: 'Produce', transactionalId, partitions: [batch] } as const)
  ask(cluster, nowMs, { kind: 'EndTxn', node, ...own, committed } as const)
  return true
}

function strange(offset: number, random: () => number): string {
  const ours = encodeMap(offset, [1, 3, 2, 1], {
    maxChars: 40,
    alphabet: random() < 0.5 ? 'wide' : 'base64',
    truncate: false,
  })
  const text = ours?.text ?? ''
  const at = Math.floor(random() * text.length)
  const flipped = text.charCodeAt(at) ^ (1 << Math.floor(random() * 16))
  const tries = [
    'NO_METADATA',
    '{"v":1}',
    'AQAAAZ',
    text.slice(0, at),
    text.slice(0, at) + String.fromCharCode(flipped) + text.slice(at + 1),
  ]
  return tries[Math.floor(random() * tries.length)] ?? ''
}
