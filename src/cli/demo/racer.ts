/** One of the two consumers of the demo, with its handler and what is counted about it. */
import { consume } from '../../consume.ts'
import { json, text } from '../../consumer/codecs.ts'
import type { Consumer } from '../../consumer/consumer.ts'
import type { ConsumedRecord, HandlerContext } from '../../engines/handler.ts'
import { FanlaneError } from '../../errors.ts'
import type { WorkId } from '../../kernel/events.ts'
import type { Clock } from '../../ports/clock.ts'
import { silent, TOPIC } from './ground.ts'
import { OrderChecker } from './order-checker.ts'
import type { Order } from './orders.ts'

const HANDLER_MS = 5
const RETRY = { attempts: 3, initialMs: 40 }

export interface RacerOptions {
  readonly brokers: readonly string[]
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
  /** Orders that will never go through, by where they lie: a dead letter tells no more. */
  readonly #poison: Map<string, Order> = new Map()
  readonly #started: PromiseWithResolvers<void> = Promise.withResolvers<void>()
  /** The first order has come to its handler. */
  readonly underWay: Promise<void> = this.#started.promise
  /** Orders that are over: handled, or in the dead-letter topic. */
  over = 0
  retries = 0
  deadLetters = 0

  constructor(options: RacerOptions) {
    this.#options = options
    this.deadLetterTopic = `${TOPIC}.${options.group}.dlq`
  }

  async start(): Promise<void> {
    const { brokers, group, order, concurrency } = this.#options
    const consumer = await consume<string, Order>({
      brokers,
      group,
      topics: [TOPIC],
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
    consumer.on('dead-letter', ({ work }: { readonly work: WorkId }) => {
      const order = this.#poison.get(nameOf(work))
      if (order === undefined) return
      this.deadLetters++
      this.#over(order)
    })
    this.#consumer = consumer
  }

  /** Drains, commits, leaves. Rejects if the consumer had to stop. */
  async close(): Promise<void> {
    await this.#consumer?.close()
  }

  get group(): string {
    return this.#options.group
  }

  async #handle(record: ConsumedRecord<string, Order>, { attempt }: HandlerContext): Promise<void> {
    const { value: order } = record
    if (order === null) throw new FanlaneError('NO_ORDER', 'The demo writes no tombstones.')
    this.#started.resolve()
    this.checker.started(order)
    const { clock } = this.#options
    await new Promise<void>((resolve) => clock.at(clock.now() + HANDLER_MS, resolve))
    if (order.fate === 'poison') {
      this.#poison.set(nameOf(record), order)
      throw new FanlaneError('CARD_UNREADABLE', 'the card cannot be read')
    }
    if (order.fate === 'fails-once' && attempt === 1) throw new FanlaneError('TIMED_OUT', 'the bank did not answer')
    this.#over(order)
  }

  #over(order: Order): void {
    this.over++
    this.checker.over(order)
  }
}

function nameOf({ partition, offset }: { readonly partition: number; readonly offset: number }): string {
  return `${partition}@${offset}`
}
