/**
 * A simulated cluster, a network that a test can tamper with, and small consumers: they read, count, commit, and give up
 * what is taken. No control plane, so that what is seen here is the client's doing.
 */
import type { NativeClient } from '../../../../../src/clients/native/native-client.ts'
import type { CommitEntry, CommitOutcome, LeaseName } from '../../../../../src/kernel/events.ts'
import { asEpoch, asPosition, type TopicPartition } from '../../../../../src/kernel/ids.ts'
import type { LogClientListener } from '../../../../../src/ports/log-client.ts'
import type { ClusterOptions } from '../../../../../src/testing/sim/cluster/options.ts'
import type {
  Request,
  RequestKind,
  RequestOf,
  Response,
  ResponseOf,
} from '../../../../../src/testing/sim/cluster/requests.ts'
import { SimCluster } from '../../../../../src/testing/sim/cluster/sim-cluster.ts'
import type { ProcessClock } from '../../../../../src/testing/sim/process-clock.ts'
import { VirtualClock } from '../../../../../src/testing/sim/virtual-clock.ts'
import { Delivery, type Fate as Fated, type Weather } from '../../../../../src/testing/sim/wire/delivery.ts'
import type { SimTransport } from '../../../../../src/testing/sim/wire/transport.ts'
import { type ClientChoices, simClient } from './client.ts'

/** What the network does to one request. `lateMs`: it arrives that much later, and all behind it on its connection. */
export type Fate = 'deliver' | 'lose-request' | 'lose-answer' | { readonly lateMs: number }

export class World implements Weather {
  readonly clock: VirtualClock
  readonly cluster: SimCluster
  readonly #delivery: Delivery
  readonly #random: () => number
  fate: (request: Request, sender: string) => Fate = () => 'deliver'
  /** Sees every request that arrives, and its answer. */
  watch: (request: Request, answer: Response, sender: string) => void = () => undefined

  constructor(seed = 1, options: Partial<ClusterOptions> = {}) {
    this.clock = new VirtualClock(seed)
    this.cluster = new SimCluster({ topics: { in: 4, out: 2 }, ...options })
    this.#delivery = new Delivery(this.clock, this.cluster, this)
    this.#random = this.clock.stream('network')
  }

  transport(process: ProcessClock): SimTransport {
    return this.#delivery.transport(process)
  }

  fateOf<K extends RequestKind>(request: RequestOf<K>, _timeoutMs: number, sender: string): Fated {
    const fate = this.fate(request, sender)
    return {
      isLost: fate === 'lose-request',
      lateMs: typeof fate === 'object' ? fate.lateMs : 0,
      isAnswerLost: () => fate === 'lose-answer',
    }
  }

  delay(): number {
    return 0.2 + this.#random() * 3
  }

  arrives<K extends RequestKind>(request: RequestOf<K>): RequestOf<K> {
    return request
  }

  answers<K extends RequestKind>(request: RequestOf<K>, response: ResponseOf<K>, sender: string): void {
    this.watch(request, response, sender)
  }

  /** Straight to the cluster, and the answer at once. */
  ask<K extends RequestKind>(kind: K, fields: Omit<RequestOf<K>, 'kind'>): ResponseOf<K> {
    let answer: ResponseOf<K> | null = null
    this.cluster.request(this.clock.now(), { kind, ...fields } as RequestOf<K>, (response) => {
      answer = response
    })
    this.#delivery.armTick()
    if (answer === null) throw new Error(`${kind} was not answered at once`)
    return answer
  }

  append(topic: string, partition: number, ...values: readonly string[]): void {
    const records = values.map((value) => ({ key: value[0] ?? null, value, size: value.length + 1 }))
    this.cluster.append(this.clock.now(), topic, partition, records)
    this.#delivery.armTick()
  }

  committed(partition: number, topic = 'in'): number {
    return this.cluster.committed('g', topic, partition)?.offset ?? -1
  }

  /** What a read_committed reader sees of a partition. */
  async readAll(topic: string, partition: number): Promise<readonly string[]> {
    const reader = this.consumer(`reader-${topic}-${partition}`, { group: `r-${topic}-${partition}`, topics: [topic] })
    await this.clock.runUntil(this.clock.now() + 5_000)
    reader.process.kill()
    return reader.seen.filter((name) => name.startsWith(`${partition}:`)).map((name) => name.split('=')[1] ?? '')
  }

  consumer(name: string, choices: ClientChoices = {}): Consumer {
    return new Consumer(this, name, choices)
  }

  async run(ms: number): Promise<void> {
    await this.clock.runUntil(this.clock.now() + ms)
  }

  /** Let simulated time go on until the promise is there. */
  async during<T>(promise: Promise<T>): Promise<T> {
    let isThere = false
    const mark = (): void => {
      isThere = true
    }
    promise.then(mark, mark)
    await this.until('a promise is kept', () => isThere)
    return promise
  }

  async until(what: string, condition: () => boolean, limitMs = 120_000): Promise<void> {
    if (!(await this.clock.runUntil(condition, limitMs))) throw new Error(`It did not happen: ${what}`)
  }
}

interface Held {
  readonly lease: LeaseName
  position: number | null
  leaderEpoch: number
}

let epochs = 1

export class Consumer implements LogClientListener {
  readonly process: ProcessClock
  readonly client: NativeClient
  readonly told: string[] = []
  /** `partition:offset=value`, in the order of reading. */
  readonly seen: string[] = []
  readonly outcomes: CommitOutcome[] = []
  readonly held: Map<number, Held> = new Map()
  /** What giving up a partition takes. */
  drainMs = 0
  #isClosed = false

  constructor(world: World, name: string, choices: ClientChoices) {
    this.process = world.clock.process(name)
    this.client = simClient(name, this.process, world.transport(this.process), choices)
    this.process.soon(() => void this.#run())
  }

  get owned(): string {
    return [...this.held.keys()].sort().join('')
  }

  assigned(partitions: readonly TopicPartition[]): void {
    this.told.push(`assigned ${numbers(partitions)}`)
    const leases = partitions.map(({ topic, partition }) => ({ topic, partition, epoch: asEpoch(epochs++) }))
    for (const lease of leases) this.held.set(lease.partition, { lease, position: null, leaderEpoch: -1 })
    void this.#open(leases)
  }

  /** Some are told sooner than others. */
  async #open(leases: readonly LeaseName[]): Promise<void> {
    const starts = await this.client.readPositions(leases)
    for (const { topic, partition, epoch, position, leaderEpoch } of starts) {
      const held = this.held.get(partition)
      if (held?.lease.epoch !== epoch) continue
      held.position = position
      held.leaderEpoch = leaderEpoch
      this.client.fetch([{ topic, partition, epoch, position }])
    }
    const left = leases.filter(({ epoch }) => !starts.some((start) => start.epoch === epoch))
    if (starts.length > 0 && left.length > 0) await this.#open(left)
  }

  async revoked(partitions: readonly TopicPartition[]): Promise<void> {
    this.told.push(`revoked ${numbers(partitions)}`)
    const held = partitions.flatMap(({ partition }) => this.held.get(partition) ?? [])
    this.client.stopFetch(held.map(({ lease }) => lease))
    await this.#sleep(this.drainMs)
    await this.commit(held)
    for (const { lease } of held) if (this.held.get(lease.partition)?.lease === lease) this.held.delete(lease.partition)
  }

  lost(partitions: readonly TopicPartition[]): void {
    this.told.push(`lost ${numbers(partitions)}`)
    for (const { partition } of partitions) this.held.delete(partition)
  }

  failed(error: unknown): void {
    this.told.push(`failed ${(error as { code?: string }).code ?? error}`)
  }

  entries(held: Iterable<Held> = this.held.values()): CommitEntry[] {
    return [...held].flatMap(({ lease, position, leaderEpoch }) =>
      position === null ? [] : [{ ...lease, position: asPosition(position), metadata: '', leaderEpoch }],
    )
  }

  async commit(held: Iterable<Held> = this.held.values()): Promise<readonly CommitOutcome[]> {
    const entries = this.entries(held)
    const outcomes = entries.length === 0 ? [] : await this.client.commit(entries)
    this.outcomes.push(...outcomes)
    return outcomes
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.commit()
    await this.client.close({ leave: true })
  }

  async #run(): Promise<void> {
    await this.client.start(this)
    void this.#commitForEver()
    while (!this.#isClosed) {
      for (const batch of await this.client.poll()) {
        const held = [...this.held.values()].find(({ lease }) => lease.epoch === batch.epoch)
        if (held === undefined) continue
        for (let index = 0; index < batch.count; index++) {
          const { partition, offset, value } = batch.record(index)
          this.seen.push(`${partition}:${offset}=${value?.toString('latin1')}`)
        }
        held.position = batch.nextPosition
        held.leaderEpoch = batch.leaderEpoch
      }
    }
  }

  async #commitForEver(): Promise<void> {
    while (!this.#isClosed) {
      await this.#sleep(200)
      await this.commit()
    }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.process.at(this.process.now() + ms, resolve)
    })
  }
}

function numbers(partitions: readonly TopicPartition[]): string {
  return partitions
    .map(({ partition }) => partition)
    .sort()
    .join('')
}

/** What a read_committed reader finds in the output topic. */
export function outputs(world: World): readonly string[] {
  return [0, 1].flatMap((partition) => world.cluster.readCommitted('out', partition).map(({ value }) => String(value)))
}
