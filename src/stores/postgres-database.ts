/**
 * PostgreSQL as the stores need it: queries, and a few of them in one transaction. The pool is the user's, or made here from a
 * connection string at the first use and closed with the store. Tables are made once, before the first query.
 */
import { FanlaneError, OptionError } from '../errors.ts'

export interface QueryResult<Row> {
  readonly rows: Row[]
  readonly rowCount: number | null
}

/** What is needed of a client or a pool of `pg`. */
export interface Queryable {
  // The rows are whatever the query says: whoever writes the query knows.
  query<Row = Record<string, unknown>>(sql: string, values?: unknown[]): Promise<QueryResult<Row>>
}

/** What is needed of a pool: `pg.Pool` has it. */
export interface PostgresPool extends Queryable {
  connect(): Promise<Queryable & { release(error?: Error | boolean): void }>
}

export interface PostgresSource {
  /** Your pool, which you close; or `url`. */
  readonly pool?: PostgresPool
  /** `postgres://…`: a small pool is made at the first use, and closed with the store. */
  readonly url?: string
}

interface OwnPool extends PostgresPool {
  end(): Promise<void>
}

export interface PostgresDatabase {
  query<Row>(sql: string, values: readonly unknown[]): Promise<QueryResult<Row>>
  close(): Promise<void>
}

const CONNECTIONS_MAX = 4
const CONNECT_MS = 5_000
/** Two who make the same table at the same moment: one of them hears of a name that is taken, and may go on. */
const MADE_MEANWHILE: ReadonlySet<unknown> = new Set(['23505', '42P07', '42710'])

/** `setup`: made before the first query; null: the user has made it. */
export function openDatabase(source: PostgresSource, setup: string | null): PostgresDatabase {
  const { pool, url } = source
  if ((pool === undefined) === (url === undefined)) {
    throw new OptionError('OPTION_INVALID', 'pool', "Give 'pool', a Pool of pg, or 'url': one of the two.")
  }
  return new Database(pool ?? (url as string), setup)
}

class Database implements PostgresDatabase {
  readonly #from: PostgresPool | string
  readonly #setup: string | null
  #pool: Promise<PostgresPool> | null = null
  #own: OwnPool | null = null

  constructor(from: PostgresPool | string, setup: string | null) {
    this.#from = from
    this.#setup = setup
  }

  async query<Row>(sql: string, values: readonly unknown[]): Promise<QueryResult<Row>> {
    const pool = await this.#ready()
    return pool.query<Row>(sql, [...values])
  }

  async close(): Promise<void> {
    const own = this.#own
    this.#own = null
    this.#pool = null
    await own?.end()
  }

  /** What failed is tried again by the next query. */
  #ready(): Promise<PostgresPool> {
    if (this.#pool !== null) return this.#pool
    const opening = this.#open()
    this.#pool = opening
    opening.catch(() => {
      if (this.#pool === opening) this.#pool = null
    })
    return opening
  }

  async #open(): Promise<PostgresPool> {
    if (typeof this.#from === 'string') this.#own ??= await connected(this.#from)
    const pool = this.#own ?? (this.#from as PostgresPool)
    if (this.#setup !== null) await pool.query(this.#setup).catch(unlessMade)
    return pool
  }
}

function unlessMade(error: unknown): void {
  if (!MADE_MEANWHILE.has((error as { readonly code?: unknown }).code)) throw error
}

async function connected(url: string): Promise<OwnPool> {
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new FanlaneError('PEER_MISSING', "The PostgreSQL stores need 'pg': npm install pg, or give 'pool'.", {
      cause,
    })
  })
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_MS,
    allowExitOnIdle: true,
  })
  // An idle connection that breaks is replaced; without a listener it would end the process.
  pool.on('error', () => undefined)
  return pool as OwnPool
}
