/**
 * A small exactly-once consumer: what it reads it writes to `out`, together with its positions, one transaction after the
 * other. It does what the control plane does with each outcome, and nothing else.
 */
import type { NativeClient } from '../../../../../src/clients/native/native-client.ts'
import type { CommitEntry, LeaseName, Publication, TransactionOutcome } from '../../../../../src/kernel/events.ts'
import { asEpoch, asOffset, asPosition, type TopicPartition } from '../../../../../src/kernel/ids.ts'
import type { LogClientListener, OutgoingRecord, RawRecord } from '../../../../../src/ports/log-client.ts'
import type { ProcessClock } from '../../../../../src/testing/sim/process-clock.ts'
import { type ClientChoices, simClient } from './client.ts'
import type { World } from './world.ts'

interface Held {
  readonly lease: LeaseName
  position: number | null
  pending: RawRecord[]
}

export class TxnConsumer implements LogClientListener {
  readonly process: ProcessClock
  readonly client: NativeClient
  readonly told: string[] = []
  readonly outcomes: TransactionOutcome['kind'][] = []
  readonly held: Map<number, Held> = new Map()
  #transacting: Promise<void> = Promise.resolve()
  #nextEpoch = 1

  constructor(world: World, name: string, choices: ClientChoices) {
    this.process = world.clock.process(name)
    const transport = world.transport(this.process)
    this.client = simClient(name, this.process, transport, { transactionalId: name, ...choices })
    this.process.soon(() => void this.#start())
  }

  get owned(): string {
    return [...this.held.keys()].sort().join('')
  }

  assigned(partitions: readonly TopicPartition[]): void {
    this.told.push(`assigned ${partitions.length}`)
    void this.#open(partitions)
  }

  async revoked(partitions: readonly TopicPartition[]): Promise<void> {
    this.told.push(`revoked ${partitions.length}`)
    await this.#transacting
    for (const { partition } of partitions) this.#forget(partition)
  }

  lost(partitions: readonly TopicPartition[]): void {
    this.told.push(`lost ${partitions.length}`)
    for (const { partition } of partitions) this.#forget(partition)
  }

  failed(error: unknown): void {
    this.told.push(`failed ${(error as { code?: string }).code ?? error}`)
  }

  #forget(partition: number): void {
    const held = this.held.get(partition)
    if (held !== undefined) this.client.stopFetch([held.lease])
    this.held.delete(partition)
  }

  async #open(partitions: readonly TopicPartition[]): Promise<void> {
    const leases = partitions.map(({ topic, partition }) => ({ topic, partition, epoch: asEpoch(this.#nextEpoch++) }))
    for (const lease of leases) this.held.set(lease.partition, { lease, position: null, pending: [] })
    await this.#read(leases)
  }

  /** Some are told sooner than others. */
  async #read(leases: readonly LeaseName[]): Promise<void> {
    const starts = await this.client.readPositions(leases)
    for (const start of starts) {
      const held = this.held.get(start.partition)
      if (held?.lease.epoch !== start.epoch) continue
      held.position = start.position
      this.client.fetch([{ ...held.lease, position: start.position }])
    }
    const left = leases.filter(({ epoch }) => !starts.some((start) => start.epoch === epoch))
    if (starts.length > 0 && left.length > 0) await this.#read(left)
  }

  async #start(): Promise<void> {
    await this.client.start(this)
    void this.#poll()
    while (this.outcomes.at(-1) !== 'fenced') {
      await this.#sleep(20)
      this.#transacting = this.#transact()
      await this.#transacting
    }
  }

  async #poll(): Promise<void> {
    for (;;) {
      for (const batch of await this.client.poll()) {
        const held = [...this.held.values()].find(({ lease }) => lease.epoch === batch.epoch)
        if (held === undefined) continue
        for (let index = 0; index < batch.count; index++) held.pending.push(batch.record(index))
        held.position = batch.nextPosition
      }
    }
  }

  async #transact(): Promise<void> {
    const taken = [...this.held.values()].filter(({ pending }) => pending.length > 0)
    if (taken.length === 0) return
    const counts = taken.map(({ pending }) => pending.length)
    const publications = taken.flatMap(({ lease, pending }) => pending.map((record) => publicationOf(lease, record)))
    const outcome = await this.client.transact(taken.map(entryOf), publications)
    this.outcomes.push(outcome.kind)
    if (outcome.kind === 'committed') for (const [at, { pending }] of taken.entries()) pending.splice(0, counts[at])
    if (outcome.kind !== 'unknown') return
    const lost = taken.filter(({ lease }) => this.held.get(lease.partition)?.lease === lease).map(({ lease }) => lease)
    for (const { partition } of lost) this.#forget(partition)
    for (const lease of lost) this.held.set(lease.partition, { lease, position: null, pending: [] })
    // First the producer, then the positions: the other way round, the transaction could still commit in between.
    await this.client.resetProducer()
    const still = lost.filter((lease) => this.held.get(lease.partition)?.lease === lease)
    await this.#open(still)
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.process.at(this.process.now() + ms, resolve)
    })
  }
}

function entryOf({ lease, position }: Held): CommitEntry {
  return { ...lease, position: asPosition(position ?? 0), metadata: '', leaderEpoch: -1 }
}

function publicationOf(lease: LeaseName, { offset, key, value }: RawRecord): Publication {
  const output: OutgoingRecord = { topic: 'out', key, value, headers: [], size: value?.length ?? 0 }
  return { work: { ...lease, offset: asOffset(offset), attempt: 1 }, sends: [output] }
}
