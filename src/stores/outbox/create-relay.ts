/** Where an outbox, a producer and a clock become a relay. */
import { EventEmitter } from 'node:events'
import { OptionError } from '../../errors.ts'
import type { Clock } from '../../ports/clock.ts'
import { openProducer, type ProducerOptions } from '../../producer/index.ts'
import { SystemClock } from '../../system-clock.ts'
import { wholeMs } from '../names.ts'
import type { RelayProducer } from './publishing.ts'
import { type RelayEvents, RelayLoop, type RelaySnapshot, ROUND_BYTES_MAX } from './relay.ts'
import type { OutboxTable } from './table.ts'

export interface RelayOptions {
  /** `postgresOutbox(…)` or `sqliteOutbox(…)`; you close it, after the relay. */
  readonly outbox: OutboxTable
  /** Where to publish: an idempotent producer is made, and closed with the relay. Default KAFKA_BROKERS. */
  readonly brokers?: string | readonly string[]
  /** TLS, SASL … of that producer. */
  readonly client?: NonNullable<ProducerOptions['client']>
  /** Instead of brokers: your own producer, which you close. */
  readonly producer?: RelayProducer
  /** Different for every relay that runs at the same time. One that is kept over restarts takes over at once what a crash left. */
  readonly name?: string
  /** How often an empty outbox is looked at. Default 100. */
  readonly pollMs?: number
  /** A relay that died holds its part of the work for so long. Default 10,000. */
  readonly leaseMs?: number
  /** Rows of a shard that are taken at once. Default 500. */
  readonly rowsMax?: number
  readonly clock?: Clock
}

export interface Relay extends AsyncDisposable {
  /** Plain data: state, backlog, counts, trouble. */
  snapshot(): RelaySnapshot
  /** There is something new: look now, not at the next poll. */
  wake(): void
  on<Name extends keyof RelayEvents>(name: Name, listener: (about: RelayEvents[Name]) => void): this
  /** Ends the round under way, then everything the relay has made. */
  close(): Promise<void>
}

const KNOWN: ReadonlySet<string> = new Set<keyof RelayOptions>([
  'outbox',
  'brokers',
  'client',
  'producer',
  'name',
  'pollMs',
  'leaseMs',
  'rowsMax',
  'clock',
])

export async function createRelay(options: RelayOptions): Promise<Relay> {
  check(options)
  const { outbox, clock = new SystemClock() } = options
  const pollMs = wholeMs('pollMs', options.pollMs ?? 100)
  const leaseMs = wholeMs('leaseMs', options.leaseMs ?? 10_000)
  const rowsMax = wholeMs('rowsMax', options.rowsMax ?? 500)
  const { producer, release } = await producerOf(options, clock)
  return new ObservedRelay(
    (tell) =>
      new RelayLoop({ outbox, producer, clock, name: options.name ?? '', pollMs, leaseMs, rowsMax, release, tell }),
  )
}

/** What is said where nobody listens. */
const UNHEARD: Readonly<Partial<Record<keyof RelayEvents, string>>> = {
  failing: 'The outbox relay is failing, and tries again',
  stuck: 'A row of the outbox is refused, and holds back the rows of its key',
}

type Tell = <Name extends keyof RelayEvents>(name: Name, about: RelayEvents[Name]) => void

class ObservedRelay implements Relay {
  readonly #loop: RelayLoop
  readonly #events: EventEmitter = new EventEmitter()

  constructor(start: (tell: Tell) => RelayLoop) {
    this.#loop = start((name, about) => this.#tell(name, about))
  }

  snapshot(): RelaySnapshot {
    return this.#loop.snapshot()
  }

  wake(): void {
    this.#loop.wake()
  }

  on<Name extends keyof RelayEvents>(name: Name, listener: (about: RelayEvents[Name]) => void): this {
    this.#events.on(name, listener)
    return this
  }

  close(): Promise<void> {
    return this.#loop.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** A listener that throws must not stop the relay. Trouble that nobody listens for is said all the same. */
  #tell<Name extends keyof RelayEvents>(name: Name, about: RelayEvents[Name]): void {
    try {
      if (this.#events.emit(name, about)) return
      const unheard = UNHEARD[name]
      if (unheard === undefined) return
      const error = name === 'stuck' ? (about as RelayEvents['stuck']).error : about
      process.emitWarning(`${unheard}: ${messageOf(error)}`, { code: 'FANLANE_RELAY' })
    } catch (error) {
      process.emitWarning(`A listener of '${name}' failed: ${messageOf(error)}`, { code: 'FANLANE_RELAY' })
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || String(error) : String(error)
}

interface Ownership {
  readonly producer: RelayProducer
  readonly release: () => Promise<void>
}

async function producerOf({ producer, brokers, client }: RelayOptions, clock: Clock): Promise<Ownership> {
  if (producer !== undefined) return { producer, release: () => Promise.resolve() }
  const own = await openProducer(
    {
      ...(brokers === undefined ? {} : { brokers }),
      ...(client === undefined ? {} : { client }),
      acks: 'all',
      idempotent: true,
      // A round in one batch for each partition, see relay.ts.
      batchBytes: ROUND_BYTES_MAX + 256 * 1024,
      deliveryTimeoutMs: 30_000,
    },
    { clock },
  )
  return { producer: own, release: () => own.close() }
}

function check(options: RelayOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw new OptionError('OPTION_INVALID', '', 'createRelay() takes an object: createRelay({ outbox, brokers }).')
  }
  for (const name in options) {
    if (!KNOWN.has(name)) {
      throw new OptionError('OPTION_UNKNOWN', name, `Unknown option '${name}'. Known: ${[...KNOWN].join(', ')}.`)
    }
  }
  if (typeof (options.outbox as Partial<OutboxTable> | undefined)?.take !== 'function') {
    const wanted = 'createRelay({ outbox: postgresOutbox({ pool }), brokers })'
    throw new OptionError('OPTION_INVALID', 'outbox', `Option 'outbox' must be an outbox: ${wanted}.`)
  }
  if (options.producer !== undefined && options.brokers !== undefined) {
    throw new OptionError('OPTION_CONTRADICTION', 'producer', "Give 'brokers' or 'producer', not both.")
  }
  if (options.name !== undefined && (typeof options.name !== 'string' || options.name === '')) {
    throw new OptionError('OPTION_INVALID', 'name', "Option 'name' must be a text that is not empty.")
  }
}
