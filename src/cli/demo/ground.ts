/** What the demo's two consumers read: a stream of orders on an embedded broker, and what can be asked about it afterwards. */
import type { Admin } from '../../admin/admin.ts'
import { type RunningBroker, startBroker } from '../../broker/index.ts'
import { consume } from '../../consume.ts'
import { createAdmin } from '../../create-admin.ts'
import { createProducer } from '../../create-producer.ts'
import { decodeMap } from '../../kernel/offset-map/index.ts'
import type { RawRecord } from '../../ports/log-client.ts'
import type { Logger } from '../../ports/logger.ts'
import type { Producer } from '../../producer/index.ts'
import type { OrderStream } from './orders.ts'

export const TOPIC = 'orders'
const PARTITIONS = 4

/** What is committed in one partition, next to where its log ends. */
export interface Committed {
  readonly partition: number
  readonly position: number
  /** Finished after the position, as the map in the commit says. */
  readonly finishedAhead: number
  readonly logEnd: number
}

export class Ground {
  readonly #broker: RunningBroker
  readonly #producer: Producer
  readonly #admin: Admin
  readonly #stream: OrderStream
  /** Orders that are in the log. */
  length = 0

  private constructor(broker: RunningBroker, producer: Producer, admin: Admin, stream: OrderStream) {
    this.#broker = broker
    this.#producer = producer
    this.#admin = admin
    this.#stream = stream
  }

  /** In a thread of its own, so that the broker does not take its time from the consumers. */
  static async prepare(stream: OrderStream): Promise<Ground> {
    const broker = await startBroker({ isolate: true, topics: { [TOPIC]: PARTITIONS } })
    const { brokers } = broker
    return new Ground(broker, await createProducer({ brokers }), await createAdmin({ brokers }), stream)
  }

  get brokers(): readonly string[] {
    return this.#broker.brokers
  }

  /** Write orders until there are so many. */
  async feed(wanted: number): Promise<void> {
    const count = wanted - this.length
    if (count <= 0) return
    const orders = Array.from({ length: count }, () => this.#stream.next())
    this.length += count
    await this.#producer.send(
      orders.map((order) => ({ topic: TOPIC, key: order.customer, value: JSON.stringify(order) })),
    )
  }

  /** Read back from the broker: position and map as they are stored, and where the logs end. */
  async committed(group: string): Promise<readonly Committed[]> {
    const partitions = Array.from({ length: PARTITIONS }, (_, partition) => ({ topic: TOPIC, partition }))
    const ends = await this.#admin.listOffsets(partitions.map((each) => ({ ...each, at: 'latest' })))
    const stored = await this.#admin.committed(group, partitions)
    return partitions.map(({ partition }) => {
      const { offset, metadata } = stored.find((each) => each.partition === partition) ?? { offset: null, metadata: '' }
      const map = decodeMap(offset ?? 0, metadata)
      return {
        partition,
        position: offset ?? 0,
        finishedAhead: map.kind === 'map' ? map.entries : 0,
        logEnd: ends.find((each) => each.partition === partition)?.offset ?? 0,
      }
    })
  }

  /** The first letter of a dead-letter topic, as any other consumer would read it. */
  async firstLetter(topic: string): Promise<RawRecord | null> {
    const letters: RawRecord[] = []
    const consumer = await consume({
      brokers: this.brokers,
      // As many as the source has.
      partitions: Array.from({ length: PARTITIONS }, (_, partition) => ({ topic, partition, offset: 0 })),
      logger: silent,
      handle: (record) => {
        letters.push(record as RawRecord)
      },
    })
    await consumer.idle()
    await consumer.close()
    return letters[0] ?? null
  }

  async close(): Promise<void> {
    await this.#producer.close()
    await this.#admin.close()
    await this.#broker.close()
  }
}

export const silent: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore }

function ignore(): void {
  // Retries and dead letters are part of the show: they are counted, not logged.
}
