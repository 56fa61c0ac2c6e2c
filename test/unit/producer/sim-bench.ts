/** The consumer's own writing (publish, transact) on the simulated cluster, over a network that a test can tamper with. */

import { Publisher } from '../../../src/clients/native/produce/publisher.ts'
import { Transactions, type TransactionsParts } from '../../../src/clients/native/produce/transactions.ts'
import { Coordinator } from '../../../src/cluster/coordinator.ts'
import { Metadata } from '../../../src/cluster/metadata.ts'
import type { CommitEntry, LeaseName, Publication } from '../../../src/kernel/events.ts'
import { asEpoch, asOffset, asPosition } from '../../../src/kernel/ids.ts'
import type { OutgoingRecord } from '../../../src/ports/log-client.ts'
import type { CoreOptions } from '../../../src/producer/core.ts'
import type { ClusterOptions } from '../../../src/testing/sim/cluster/options.ts'
import type { Request, RequestKind, RequestOf, ResponseOf } from '../../../src/testing/sim/cluster/requests.ts'
import { SimCluster } from '../../../src/testing/sim/cluster/sim-cluster.ts'
import type { ProcessClock } from '../../../src/testing/sim/process-clock.ts'
import { VirtualClock } from '../../../src/testing/sim/virtual-clock.ts'
import { SimWire } from '../../../src/testing/sim/wire/sim-wire.ts'
import { RequestTimeout, type SimTransport } from '../../../src/testing/sim/wire/transport.ts'
import { coreDefaults } from './fake-cluster.ts'

export type NetworkFate = 'deliver' | 'lose-request' | 'lose-answer' | { readonly lateMs: number }

export class SimBench {
  readonly clock: VirtualClock
  readonly cluster: SimCluster
  fate: (request: Request, sender: string) => NetworkFate = () => 'deliver'
  readonly #random: () => number
  #cancelTick: () => void = () => undefined

  constructor(seed = 1, options: Partial<ClusterOptions> = {}) {
    this.clock = new VirtualClock(seed)
    this.cluster = new SimCluster({ topics: { in: 4, out: 2 }, ...options })
    this.#random = this.clock.stream('network')
  }

  writer(name: string, options: Partial<TransactionsParts> = {}, produce: Partial<CoreOptions> = {}): SimWriter {
    return new SimWriter(this, name, options, produce)
  }

  transport(process: ProcessClock): SimTransport {
    return {
      call: <K extends RequestKind>(request: RequestOf<K>, timeoutMs: number) => {
        const { promise, resolve, reject } = Promise.withResolvers<ResponseOf<K>>()
        const cancel = process.at(process.now() + timeoutMs, () => reject(new RequestTimeout(request.kind)))
        const fate = this.fate(request, process.name)
        if (fate === 'lose-request') return promise
        const lateMs = typeof fate === 'object' ? fate.lateMs : 0
        this.clock.at(this.clock.now() + 0.2 + this.#random() * 3 + lateMs, () => {
          this.cluster.request(this.clock.now(), request, (answer) => {
            if (fate === 'lose-answer') return
            process.at(this.clock.now() + 0.2 + this.#random() * 3, () => {
              cancel()
              resolve(answer as ResponseOf<K>)
            })
          })
          this.#arm()
        })
        return promise
      },
    }
  }

  #arm(): void {
    this.#cancelTick()
    const next = this.cluster.nextDeadline()
    if (next === Number.POSITIVE_INFINITY) return
    this.#cancelTick = this.clock.at(next, () => {
      this.cluster.tick(this.clock.now())
      this.#arm()
    })
  }

  values(topic = 'out'): string[] {
    return [0, 1].flatMap((partition) => this.cluster.readCommitted(topic, partition).map(({ value }) => String(value)))
  }

  committed(partition: number): number {
    return this.cluster.committed('g', 'in', partition)?.offset ?? -1
  }

  /** The first request of this kind meets this. */
  strike(kind: RequestKind, fate: NetworkFate): void {
    this.fate = (request) => {
      if (request.kind !== kind) return 'deliver'
      this.fate = () => 'deliver'
      return fate
    }
  }

  async run(ms: number): Promise<void> {
    await this.clock.runUntil(this.clock.now() + ms)
  }

  async during<T>(promise: Promise<T>, limitMs = 600_000): Promise<T> {
    let isSettled = false
    const settled = (): void => {
      isSettled = true
    }
    promise.then(settled, settled)
    await this.clock.runUntil(() => isSettled, limitMs)
    if (!isSettled) throw new Error(`not settled within ${limitMs} simulated ms`)
    return promise
  }
}

export class SimWriter {
  readonly process: ProcessClock
  readonly wire: SimWire
  readonly publisher: Publisher
  readonly transactions: Transactions
  /** Leases that are over. */
  readonly ended: Set<number> = new Set()

  constructor(bench: SimBench, name: string, options: Partial<TransactionsParts>, produce: Partial<CoreOptions>) {
    this.process = bench.clock.process(name)
    const transport = bench.transport(this.process)
    const wire = new SimWire({ clock: this.process, transport, clientId: name, requestTimeoutMs: 3_000 })
    this.wire = wire
    const metadata = new Metadata(wire)
    const core = { ...coreDefaults, deliveryTimeoutMs: Number.POSITIVE_INFINITY, ...produce }
    this.publisher = new Publisher({
      wire,
      metadata,
      produce: core,
      onError: (error) => {
        throw error
      },
    })
    this.transactions = new Transactions({
      wire,
      metadata,
      backoff: core.backoff,
      groupCoordinator: new Coordinator(wire, 'group', 'g'),
      group: 'g',
      member: {
        memberName: () => ({ memberId: '', generationId: -1, groupInstanceId: null }),
        refused: () => undefined,
        holds: ({ epoch }: LeaseName) => !this.ended.has(epoch),
      },
      transactionalId: name,
      transactionalIdIsGenerated: true,
      transactionTimeoutMs: 15_000,
      produce: core,
      ...options,
    })
  }
}

export function entry(partition: number, position: number, metadata = ''): CommitEntry {
  return { topic: 'in', partition, epoch: asEpoch(1), position: asPosition(position), metadata, leaderEpoch: -1 }
}

export function publication(...values: readonly string[]): Publication {
  const sends = values.map((value): OutgoingRecord => {
    const key = Buffer.from(value.split('/')[0]!)
    return { topic: 'out', key, value: Buffer.from(value), headers: [], size: 100 }
  })
  const work = {
    topic: 'in',
    partition: 0,
    offset: asOffset(Number.parseInt(values[0] ?? '0', 36)),
    epoch: asEpoch(1),
    attempt: 1,
  }
  return { work, sends }
}
