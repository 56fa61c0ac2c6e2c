/**
 * The dead-letter box: what is in the dead-letter topics of a cluster, and the way back. Reads are bounded whatever the size of
 * a topic, and nothing that somebody may have put into a header makes it throw.
 */
import { Admin } from '../admin/admin.ts'
import type { ClientOptions } from '../clients/native/client-options.ts'
import { Metadata } from '../cluster/metadata.ts'
import { Cluster } from '../cluster/net/cluster.ts'
import { OptionError } from '../errors.ts'
import { openProducer } from '../producer/index.ts'
import { SystemClock } from '../system-clock.ts'
import { contentOf, type Letter, type LetterContent } from './letter.ts'
import { type Page, page, type Shelf } from './listing.ts'
import { LogReader } from './log-reader.ts'
import { type RedriveJob, type Redriven, redrive } from './redrive.ts'
import { RedriveState, redriveGroup } from './redrive-state.ts'

export type { Letter, LetterContent } from './letter.ts'

export interface LetterPlace {
  readonly topic: string
  readonly partition: number
  readonly offset: number
}

export interface ListLetters {
  /** Default: all dead-letter topics. */
  readonly topic?: string
  /** Only letters that this group has written. */
  readonly group?: string
  readonly count: number
  /** Where the page before ended. */
  readonly before?: string
}

export interface RedriveLetters {
  readonly topic: string
  /** One letter; default: all that have not been redriven. */
  readonly at?: { readonly partition: number; readonly offset: number }
  /** Only say what would go, and where. */
  readonly dryRun?: boolean
  /** Ends between two transactions: what is done is done. */
  readonly signal?: AbortSignal
  readonly progress?: (done: number, total: number) => void
}

export interface DeadLetterBox {
  /** Dead-letter topics of the cluster: `*.dlq`, or those that were named. */
  topics(): Promise<readonly { readonly topic: string; readonly letters: number }[]>
  /** Newest first, without payloads. May be shorter than `count`, or empty, and yet have a `before`: then go on. */
  list(query: ListLetters): Promise<Page>
  /** null: it is not there (any more). */
  show(at: LetterPlace): Promise<LetterContent | null>
  redrive(query: RedriveLetters): Promise<Redriven>
  close(): Promise<void>
}

export interface DeadLetterBoxOptions {
  readonly brokers: string | readonly string[]
  readonly client?: ClientOptions
  /** Names of dead-letter topics. Default: whatever ends in `.dlq`. */
  readonly topics?: readonly string[]
}

const COUNT_MAX = 1_000
const ADMIN_TIMEOUT_MS = 15_000
/** A redrive that dies leaves a transaction open for so long at most; the next one ends it at once. */
const TRANSACTION_TIMEOUT_MS = 20_000
/** A cluster that does not take a lot for so long is down: run it again when it is up. */
const DELIVERY_TIMEOUT_MS = 30_000

/** Nothing is connected before something is asked. */
export async function openDeadLetterBox(options: DeadLetterBoxOptions): Promise<DeadLetterBox> {
  return new Box(options)
}

class Box implements DeadLetterBox {
  readonly #options: DeadLetterBoxOptions
  readonly #brokers: readonly string[]
  readonly #cluster: Cluster
  readonly #admin: Admin
  readonly #reader: LogReader
  readonly #clock: SystemClock = new SystemClock()

  constructor(options: DeadLetterBoxOptions) {
    this.#options = options
    const { brokers } = options
    this.#brokers = typeof brokers === 'string' ? brokers.split(',').map((each) => each.trim()) : brokers
    this.#cluster = new Cluster({ brokers: this.#brokers, clock: this.#clock, ...this.#connection() })
    this.#admin = new Admin({ wire: this.#cluster, timeoutMs: ADMIN_TIMEOUT_MS })
    this.#reader = new LogReader(this.#cluster, new Metadata(this.#cluster, { autoCreate: false }))
  }

  async topics(): Promise<readonly { readonly topic: string; readonly letters: number }[]> {
    const names = await this.#names()
    const shelves = await this.#shelvesOf(names, false)
    return names.map((topic) => {
      const own = shelves.filter((shelf) => shelf.topic === topic)
      return { topic, letters: own.reduce((sum, { start, end }) => sum + end - start, 0) }
    })
  }

  async list({ topic, group, count, before }: ListLetters): Promise<Page> {
    if (!Number.isSafeInteger(count) || count < 1 || count > COUNT_MAX) {
      throw new OptionError('OPTION_INVALID', 'count', `count must be a whole number from 1 to ${COUNT_MAX}.`)
    }
    const names = topic === undefined ? await this.#names() : [topic]
    const shelves = await this.#shelvesOf(names, false)
    const isWanted = (letter: Letter): boolean => group === undefined || letter.group === group
    return page(this.#reader, shelves, count, before, isWanted)
  }

  async show({ topic, partition, offset }: LetterPlace): Promise<LetterContent | null> {
    checkWhole('partition', partition)
    checkWhole('offset', offset)
    const shelf = (await this.#shelvesOf([topic], false)).find((each) => each.partition === partition)
    if (shelf === undefined || offset < shelf.start || offset >= shelf.end) return null
    const record = await this.#reader.at(shelf, offset)
    return record === null ? null : contentOf(record, shelf.state.isDone(offset))
  }

  async redrive(query: RedriveLetters): Promise<Redriven> {
    if (query.at !== undefined) {
      checkWhole('at.partition', query.at.partition)
      checkWhole('at.offset', query.at.offset)
    }
    const job: RedriveJob = query
    return redrive(
      {
        admin: this.#admin,
        reader: this.#reader,
        shelves: (topic, isStable) => this.#shelvesOf([topic], isStable),
        openProducer: (transactionalId) =>
          openProducer(
            {
              brokers: this.#brokers,
              client: this.#connection(),
              transactionalId,
              transactionTimeoutMs: TRANSACTION_TIMEOUT_MS,
              deliveryTimeoutMs: DELIVERY_TIMEOUT_MS,
            },
            { clock: this.#clock },
          ),
      },
      job,
    )
  }

  async close(): Promise<void> {
    await this.#cluster.close()
  }

  async #names(): Promise<readonly string[]> {
    const all = (await this.#admin.listTopics()).map(({ name }) => name)
    const { topics } = this.#options
    return all.filter((name) => (topics === undefined ? name.endsWith('.dlq') : topics.includes(name)))
  }

  /** Every partition of these topics: where it begins and ends, and how far it has been redriven. */
  async #shelvesOf(topics: readonly string[], requireStable: boolean): Promise<readonly Shelf[]> {
    if (topics.length === 0) return []
    const described = await this.#admin.describeTopics(topics)
    const places = described.flatMap(({ name, partitions }) =>
      partitions.map(({ partition }) => ({ topic: name, partition })),
    )
    const bounds = async (at: 'earliest' | 'latest'): Promise<Map<string, number>> => {
      const isolation = 'read_committed'
      const found = await this.#admin.listOffsets(
        places.map((place) => ({ ...place, at })),
        { isolation },
      )
      return new Map(found.map((each) => [`${each.topic}/${each.partition}`, each.offset ?? 0]))
    }
    const [starts, ends] = [await bounds('earliest'), await bounds('latest')]
    const shelves: Shelf[] = []
    for (const topic of topics) {
      const own = places.filter((place) => place.topic === topic)
      const committed = await this.#admin.committed(redriveGroup(topic), own, { requireStable })
      for (const place of own) {
        const start = starts.get(`${topic}/${place.partition}`) ?? 0
        const stored = committed.find(({ partition }) => partition === place.partition)
        const state = RedriveState.read(stored ?? { offset: null, metadata: '' }, start)
        shelves.push({ ...place, start, end: Math.max(start, ends.get(`${topic}/${place.partition}`) ?? 0), state })
      }
    }
    return shelves
  }

  #connection(): Pick<ClientOptions, 'tls' | 'sasl' | 'requestTimeoutMs' | 'connectTimeoutMs'> & { clientId: string } {
    const {
      clientId = 'fanlane-dead-letters',
      tls,
      sasl,
      requestTimeoutMs,
      connectTimeoutMs,
    } = this.#options.client ?? {}
    return {
      clientId,
      ...(tls === undefined ? {} : { tls }),
      ...(sasl === undefined ? {} : { sasl }),
      ...(requestTimeoutMs === undefined ? {} : { requestTimeoutMs }),
      ...(connectTimeoutMs === undefined ? {} : { connectTimeoutMs }),
    }
  }
}

function checkWhole(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) return
  throw new OptionError('OPTION_INVALID', name, `${name} must be a whole number from 0.`)
}
