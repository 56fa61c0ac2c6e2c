/**
 * A transport strategy for NestJS: controllers with `@EventPattern` on the parallel consumer. Nest's pipes, guards,
 * interceptors and filters are around every handler as they are around any other.
 *
 * A record is finished when all handlers of its topic are: promises are awaited, observables to their end. What one of them
 * throws fails the record, and retries and dead letters do the rest. `close()`, which Nest calls at shutdown, drains and
 * commits.
 */
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices'
import { isObservable, lastValueFrom, type Observable } from 'rxjs'
import { FanlaneError, OptionError } from '../../errors.ts'
import {
  type ConsumedRecord,
  type ConsumeOptions,
  type Consumer,
  type ConsumerEvent,
  type ConsumerListener,
  consume,
  type HandlerContext,
  json,
  text,
} from '../../index.ts'
import { FanlaneContext } from './context.ts'
import { LetErrorsThrough, reasonOf } from './errors.ts'
import { Routes } from './routes.ts'

/** For handlers of this transport alone: `@EventPattern('orders', FANLANE)`. */
export const FANLANE: unique symbol = Symbol('fanlane')

/**
 * As for `consume()`, without what Nest decides: topics come from the patterns, handlers from the controllers. Values are JSON
 * and keys are text unless `decode` says otherwise.
 */
export type FanlaneStrategyOptions<Key = unknown, Value = unknown> = Omit<
  ConsumeOptions<Key, Value>,
  'topics' | 'partitions' | 'handle' | 'handleBatch' | 'batch' | 'handler' | 'engine'
>

/** Events of the consumer, for `app.on(…)`. */
export type FanlaneEvents = { [Name in ConsumerEvent]: ConsumerListener<Name> }
export type FanlaneStatus = 'connected' | 'disconnected' | 'crashed'

export class FanlaneStrategy<Key = unknown, Value = unknown>
  extends Server<FanlaneEvents, FanlaneStatus>
  implements CustomTransportStrategy
{
  override readonly transportId: typeof FANLANE = FANLANE
  /** Nest need not log what handlers throw: it ends in a retry, a dead letter, an event. */
  override readonly propagatesEventHandlerErrors: boolean = true
  readonly #options: FanlaneStrategyOptions<Key, Value>
  readonly #routes: Routes = new Routes()
  readonly #listeners: [ConsumerEvent, ConsumerListener<ConsumerEvent>][] = []
  #starting: Promise<Consumer> | null = null
  #consumer: Consumer | null = null
  #filter: LetErrorsThrough | null = null
  #crash: unknown = null

  constructor(options: FanlaneStrategyOptions<Key, Value>) {
    super()
    this.#options = options
  }

  /** `app.useGlobalFilters(strategy.filter)`: without it Nest hides from fanlane what a handler threw. */
  get filter(): LetErrorsThrough {
    this.#filter ??= new LetErrorsThrough()
    return this.#filter
  }

  override addHandler(
    pattern: unknown,
    callback: MessageHandler,
    isEventHandler: boolean = false,
    extras: Record<string, unknown> = {},
  ): void {
    if (!isEventHandler) {
      throw new OptionError(
        'NEST_MESSAGE_PATTERN',
        'pattern',
        `@MessagePattern(${String(pattern)}): records have no caller who waits for an answer. Use @EventPattern, and ctx.send() for an answer in a topic; a handler of another transport names it: @MessagePattern(…, Transport.TCP).`,
      )
    }
    callback.isEventHandler = isEventHandler
    callback.extras = extras
    this.#routes.add(pattern, callback)
    // For getHandlers(), by which tools list what there is. Not chained: Nest would run the chain at the same time.
    if (!this.messageHandlers.has(String(pattern))) this.messageHandlers.set(String(pattern), callback)
  }

  override async listen(callback: (error?: unknown) => unknown): Promise<void> {
    try {
      await this.#start()
    } catch (error) {
      callback(error)
      return
    }
    callback()
  }

  /** Stops intake, waits for running handlers up to `closeMs`, commits, leaves the group. */
  override async close(): Promise<void> {
    const started = await this.#starting?.catch(() => null)
    try {
      await started?.close()
    } catch (error) {
      // Told already, when it happened. Thrown here it would keep Nest from its other shutdown hooks.
      if (error !== this.#crash) throw error
    }
  }

  override on<Name extends keyof FanlaneEvents>(name: Name, listener: FanlaneEvents[Name]): this {
    if (this.#consumer !== null) this.#consumer.on(name, listener as never)
    else this.#listeners.push([name, listener as never])
    return this
  }

  /** The consumer: `app.unwrap<Consumer>()` (Nest 11 and later), `strategy.unwrap()`. */
  override unwrap<Type = Consumer>(): Type {
    if (this.#consumer !== null) return this.#consumer as Type
    throw new FanlaneError('NEST_NOT_LISTENING', 'There is no consumer yet: await app.listen() first.')
  }

  #start(): Promise<Consumer> {
    this.#starting ??= this.#consume()
    return this.#starting
  }

  async #consume(): Promise<Consumer> {
    const { topics } = this.#routes
    if (topics.length === 0) {
      throw new OptionError(
        'NEST_NO_HANDLERS',
        'topics',
        "No controller has an @EventPattern: add one, e.g. @EventPattern('orders'), and the controller to its module.",
      )
    }
    if (this.#filter === null) {
      this.logger.warn('Nest hides what handlers throw: app.useGlobalFilters(strategy.filter) lets it through.')
    }
    const decode = { key: text(), value: json() } as NonNullable<ConsumeOptions<Key, Value>['decode']>
    const consumer = await consume<Key, Value>({
      decode,
      ...this.#options,
      topics,
      handle: (record, context) => this.#handle(record, context),
    })
    this.#consumer = consumer
    for (const [name, listener] of this.#listeners) consumer.on(name, listener)
    this.#tell('connected')
    consumer.closed.then(
      () => this.#tell('disconnected'),
      (error: unknown) => {
        this.#crash = error
        this.logger.error(error)
        this.#tell('crashed')
      },
    )
    return consumer
  }

  async #handle(record: ConsumedRecord<Key, Value>, context: HandlerContext): Promise<void> {
    const handlers = this.#routes.of(record.topic)
    if (handlers.length === 0) {
      throw new FanlaneError('NEST_NO_HANDLERS', `No @EventPattern is for '${record.topic}': it was not finished.`)
    }
    const own = new FanlaneContext<Key, Value>([record, context])
    try {
      await this.#hooked(own, async () => {
        for (const [at, handler] of handlers.entries()) {
          // Told to stop between two of them: the next one does not begin.
          if (at > 0) context.signal.throwIfAborted()
          await finished(await handler(record.value, own))
        }
      })
    } catch (error) {
      throw reasonOf(error)
    }
  }

  /** Nest's hooks for tracing (11 and later); what they return is not the handler's result. */
  #hooked(context: FanlaneContext<Key, Value>, run: () => Promise<void>): Promise<void> {
    if (this.onProcessingStartHook === undefined) return run()
    return new Promise((resolve, reject) => {
      const whole = async (): Promise<void> => {
        try {
          await run()
          resolve()
        } catch (error) {
          reject(error)
        } finally {
          this.onProcessingEndHook?.(this.transportId, context)
        }
      }
      this.onProcessingStartHook(this.transportId, context, whole)
    })
  }

  #tell(status: FanlaneStatus): void {
    // Nest 10 has no status.
    this._status$?.next(status)
  }
}

/** To its end: an observable that goes on has not finished its record. */
async function finished(result: unknown): Promise<void> {
  if (isObservable(result)) await lastValueFrom(result as Observable<unknown>, { defaultValue: undefined })
}
