/** The producer of a run: so many records, spread over the faults, each acknowledgement written down. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createProducer, type Producer } from '../../src/index.ts'
import { workload } from './workload.ts'

export interface Acknowledged {
  readonly value: string
  readonly partition: number
  readonly offset: number
}

const everyMs = 20
/** Where a step takes longer than was thought, records still come, so that there is something to recover with. */
const tricklePerSecond = { small: 60, large: 4 }
/** A broker that is down for long must not fill our memory. */
const unacknowledgedMax = 5_000
const headChars = 60

export interface LoadOptions {
  readonly address: string
  readonly topic: string
  readonly seed: number
  readonly records: number
  readonly keys: number
  readonly valueBytes: number
  readonly steps: number
  readonly stepMs: number
}

export class Load {
  readonly acknowledged: Acknowledged[] = []
  readonly #options: LoadOptions
  readonly #producer: Producer
  readonly #source: ReturnType<typeof workload>
  #sent = 0
  #step = 0
  #stepSince: number = performance.now()
  #allowedBefore = 0
  #share: number
  #isHurrying = false
  #isAborted = false
  #failure: unknown = null
  readonly #running: Promise<void>

  private constructor(producer: Producer, options: LoadOptions) {
    this.#producer = producer
    this.#options = options
    // So much before the first fault.
    this.#share = options.records / (options.steps + 1)
    this.#source = workload(options.seed, options.keys, options.valueBytes)
    this.#running = this.#run()
    this.#running.catch(() => undefined)
  }

  static async start(options: LoadOptions): Promise<Load> {
    const producer = await createProducer({
      brokers: options.address,
      acks: 'all',
      deliveryTimeoutMs: 600_000,
      client: { clientId: 'load' },
    })
    return new Load(producer, options)
  }

  /** Nothing comes any more that a partition could show its recovery with. */
  get isSpent(): boolean {
    return this.#sent >= this.#options.records
  }

  /** A fault begins: its share of what is left may come, and a trickle after that. */
  nextStep(): void {
    this.#allowedBefore = this.#allowed()
    this.#share = (this.#options.records - this.#allowedBefore) / (this.#options.steps - this.#step + 1)
    this.#step++
    this.#stepSince = performance.now()
  }

  /** Everything that is left, as fast as it goes; resolves when all of it is acknowledged. */
  async finish(): Promise<void> {
    this.#isHurrying = true
    await this.#running
    await this.#producer.close()
  }

  async abort(): Promise<void> {
    this.#isAborted = true
    await this.#running.catch(() => undefined)
    await this.#producer.close().catch(() => undefined)
  }

  #allowed(): number {
    const { records, stepMs, valueBytes } = this.#options
    if (this.#isHurrying) return records
    const elapsedMs = performance.now() - this.#stepSince
    const perSecond = valueBytes > 0 ? tricklePerSecond.large : tricklePerSecond.small
    const trickle = (Math.max(0, elapsedMs - stepMs) / 1_000) * perSecond
    const share = this.#share * Math.min(1, elapsedMs / stepMs)
    return Math.min(records, this.#allowedBefore + share + trickle)
  }

  async #run(): Promise<void> {
    const { records, topic, valueBytes } = this.#options
    const inFlightMax = valueBytes > 0 ? 16 : unacknowledgedMax
    const pending = new Set<Promise<void>>()
    while (this.#sent < records || pending.size > 0) {
      if (this.#failure !== null) throw this.#failure
      if (this.#isAborted) return
      const room = inFlightMax - (this.#sent - this.acknowledged.length)
      const count = Math.floor(Math.min(this.#allowed() - this.#sent, room))
      if (count > 0) {
        const batch = Array.from({ length: count }, () => ({ topic, ...this.#source.next().value }))
        this.#sent += count
        const sending = this.#producer.send(batch).then(
          (places) => {
            for (const [index, { partition, offset }] of places.entries()) {
              const value = batch[index]?.value.slice(0, headChars) ?? ''
              this.acknowledged.push({ value, partition, offset })
            }
            pending.delete(sending)
          },
          (error: unknown) => {
            this.#failure = error
          },
        )
        pending.add(sending)
      }
      await sleep(everyMs)
    }
  }
}
