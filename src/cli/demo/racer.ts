/** One of the two consumers of the demo, with its handler and what is counted about it. */
import type { MemoryLog } from '../../clients/memory/memory-log.ts'
import { consume } from '../../consume.ts'
import { json, text } from '../../consumer/codecs.ts'
import type { Consumer } from '../../consumer/consumer.ts'
import type { ConsumedRecord, HandlerContext } from '../../engines/handler.ts'
import { FanlaneError } from '../../errors.ts'
import type { WorkId } from '../../kernel/events.ts'
import { decodeMap } from '../../kernel/offset-map/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Logger } from '../../ports/logger.ts'
import { OrderChecker } from './order-checker.ts'
import type { Order } from './orders.ts'

const HANDLER_MS = 5
const RETRY = { attempts: 3, initialMs: 40 }

export interface RacerOptions {
  readonly log: MemoryLog
  readonly topic: string
  readonly group: string
  readonly order: 'key' | 'partition'
  readonly concurrency: number
  readonly clock: Clock
}

export class Racer {
  readonly deadLetterTopic: string
  readonly checker: OrderChecker = new OrderChecker()
  readonly #options: RacerOptions
  #consumer: Consumer | null = null
  /** Orders that are over: handled, or in the dead-letter topic. */
  over = 0
  retries = 0

  constructor(options: RacerOptions) {
    this.#options = options
    this.deadLetterTopic = `${options.topic}.${options.group}.dlq`
  }

  async start(): Promise<void> {
    const { log, topic, group, order, concurrency } = this.#options
    const consumer = await consume<string, Order>({
      log,
      group,
      topics: [topic],
      order,
      concurrency,
      retry: RETRY,
      deadLetter: { topic: () => this.deadLetterTopic },
      decode: { key: text(), value: json() },
      logger: silent,
      handle: (record, ctx) => this.#handle(record, ctx),
    })
    consumer.on('retry', () => {
      this.retries++
    })
    consumer.on('dead-letter', ({ work }: { readonly work: WorkId }) => this.#over(this.#orderAt(work)))
    this.#consumer = consumer
  }

  /** Drains, commits, leaves. Rejects if the consumer had to stop. */
  async close(): Promise<void> {
    await this.#consumer?.close()
  }

  /** What the group has committed in a partition, read back from the log: the position, and what the map says. */
  committed(partition: number): { readonly position: number; readonly finishedAhead: number } {
    const { log, topic, group } = this.#options
    const stored = log.group(group).committed(topic, partition)
    if (stored === null) return { position: 0, finishedAhead: 0 }
    const map = decodeMap(stored.position, stored.metadata)
    return { position: stored.position, finishedAhead: map.kind === 'map' ? map.entries : 0 }
  }

  async #handle({ value: order }: ConsumedRecord<string, Order>, { attempt }: HandlerContext): Promise<void> {
    if (order === null) throw new FanlaneError('NO_ORDER', 'The demo writes no tombstones.')
    this.checker.started(order)
    const { clock } = this.#options
    await new Promise<void>((resolve) => clock.at(clock.now() + HANDLER_MS, resolve))
    if (order.fate === 'poison') throw new FanlaneError('CARD_UNREADABLE', 'the card cannot be read')
    if (order.fate === 'fails-once' && attempt === 1) throw new FanlaneError('TIMED_OUT', 'the bank did not answer')
    this.#over(order)
  }

  #over(order: Order): void {
    this.over++
    this.checker.over(order)
  }

  #orderAt({ topic, partition, offset }: WorkId): Order {
    return JSON.parse(String(this.#options.log.records(topic, partition)[offset]?.value))
  }
}

const silent: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore }

function ignore(): void {
  // Retries and dead letters are part of the show: they are counted, not logged.
}
