/** One of the two consumers of the demo, and what is counted about it: by itself, and by a companion in another process. */
import type { Consumer } from '../../consumer/consumer.ts'
import type { Clock } from '../../ports/clock.ts'
import { OrderChecker } from './order-checker.ts'
import { deadLetterTopicOf, startWorker, type Told, type WorkerOptions } from './worker.ts'

export class Racer {
  readonly checker: OrderChecker = new OrderChecker()
  readonly options: WorkerOptions
  readonly #clock: Clock
  #consumer: Consumer | null = null
  readonly #started: PromiseWithResolvers<void> = Promise.withResolvers<void>()
  /** The first order has come to its handler. */
  readonly underWay: Promise<void> = this.#started.promise
  /** Orders that are over: handled, or in the dead-letter topic. Each counts once, however often it ran. */
  over = 0
  retries = 0
  deadLetters = 0

  constructor(options: WorkerOptions, clock: Clock) {
    this.options = options
    this.#clock = clock
  }

  get group(): string {
    return this.options.group
  }

  get deadLetterTopic(): string {
    return deadLetterTopicOf(this.group)
  }

  async start(): Promise<void> {
    this.#consumer = await startWorker(this.options, this.#clock, (told) => this.told(told))
  }

  told(told: Told): void {
    switch (told.kind) {
      case 'started':
        this.#started.resolve()
        return this.checker.started(told.order)
      case 'over':
        if (this.checker.over(told.order)) this.over++
        return
      case 'retry':
        this.retries++
        return
      case 'dead-letter':
        this.deadLetters++
    }
  }

  /** Drains, commits, leaves. Rejects if the consumer had to stop. */
  async close(): Promise<void> {
    await this.#consumer?.close()
  }
}
