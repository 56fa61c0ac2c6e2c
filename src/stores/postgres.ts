/**
 * Ids in PostgreSQL, by `pg` (an optional peer): durable, shared by all processes.
 *
 * Two things are here. `postgresDedup` is a store for `consume({ dedup })`: it knows of the effect only what the handler says,
 * so a crash between the effect and the mark repeats the effect. `postgresOnce` writes the id inside your own transaction:
 * effect and id are in the database together or not at all.
 */
import { FanlaneError } from '../errors.ts'
import type { DedupAnswer, DedupClaim, DedupStore } from '../ports/dedup.ts'
import { KEEP_MS, tableName, wholeMs } from './names.ts'
import { openDatabase, type PostgresDatabase, type PostgresSource, type Queryable } from './postgres-database.ts'

export type { DedupAnswer, DedupClaim, DedupStore } from '../ports/dedup.ts'
export type { Queryable } from './postgres-database.ts'
export { type NamedRecord, recordId } from './record-id.ts'

export interface PostgresDedupOptions extends PostgresSource {
  /** Default `fanlane_dedup`. */
  readonly table?: string
  /** For how long an id is remembered as done. Default a week. */
  readonly keepMs?: number
  /** Make the table at the first use, if it is not there. Default true. */
  readonly createTable?: boolean
}

export interface PostgresDedup extends DedupStore {
  close(): Promise<void>
}

const PRUNE_EVERY_CALLS = 1_000
const PRUNE_ROWS_MAX = 10_000

export function postgresDedup(options: PostgresDedupOptions): PostgresDedup {
  const table = tableName(options.table ?? 'fanlane_dedup')
  const database = openDatabase(options, options.createTable === false ? null : dedupTable(table))
  return new InPostgres(database, table, wholeMs('keepMs', options.keepMs ?? KEEP_MS))
}

/** No owner: it is done. Until: the claim, or the memory of it. */
function dedupTable(table: string): string {
  return `CREATE TABLE IF NOT EXISTS ${table} (id text PRIMARY KEY, owner text, until timestamptz NOT NULL);
    CREATE INDEX IF NOT EXISTS ${table.replace('.', '_')}_until ON ${table} (until)`
}

const inMs = (parameter: string): string => `clock_timestamp() + ${parameter}::bigint * interval '1 millisecond'`

class InPostgres implements PostgresDedup {
  readonly #database: PostgresDatabase
  readonly #table: string
  readonly #keepMs: number
  #calls = 0

  constructor(database: PostgresDatabase, table: string, keepMs: number) {
    this.#database = database
    this.#table = table
    this.#keepMs = keepMs
  }

  async begin(ids: readonly string[], { owner, ms }: DedupClaim): Promise<readonly DedupAnswer[]> {
    if (this.#calls++ % PRUNE_EVERY_CALLS === 0) await this.#prune()
    const table = this.#table
    // In one order for everybody: two calls that share ids wait for each other, and never for ever.
    const { rows: claimed } = await this.#database.query<{ id: string }>(
      `INSERT INTO ${table} AS t (id, owner, until) SELECT id, $2, ${inMs('$3')} FROM unnest($1::text[]) AS id ORDER BY id
       ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, until = excluded.until
       WHERE t.until <= clock_timestamp() OR t.owner = excluded.owner RETURNING id`,
      [ids, owner, ms],
    )
    if (claimed.length === ids.length) return ids.map(() => 'new')
    const isNew = new Set(claimed.map(({ id }) => id))
    const { rows: done } = await this.#database.query<{ id: string }>(
      `SELECT id FROM ${table} WHERE id = ANY ($1::text[]) AND owner IS NULL`,
      [ids.filter((id) => !isNew.has(id))],
    )
    const isDone = new Set(done.map(({ id }) => id))
    // Neither: somebody else has it, or had it a moment ago. Asking again tells.
    return ids.map((id) => (isNew.has(id) ? 'new' : isDone.has(id) ? 'done' : 'taken'))
  }

  async done(ids: readonly string[]): Promise<void> {
    await this.#database.query(
      `INSERT INTO ${this.#table} (id, owner, until) SELECT id, NULL, ${inMs('$2')} FROM unnest($1::text[]) AS id ORDER BY id
       ON CONFLICT (id) DO UPDATE SET owner = NULL, until = excluded.until`,
      [ids, this.#keepMs],
    )
  }

  async release(ids: readonly string[], owner: string): Promise<void> {
    await this.#database.query(
      `DELETE FROM ${this.#table} WHERE id IN
       (SELECT id FROM ${this.#table} WHERE id = ANY ($1::text[]) AND owner = $2 ORDER BY id FOR UPDATE)`,
      [ids, owner],
    )
  }

  close(): Promise<void> {
    return this.#database.close()
  }

  async #prune(): Promise<void> {
    await this.#database.query(
      `DELETE FROM ${this.#table} WHERE id IN (SELECT id FROM ${this.#table} WHERE until <= clock_timestamp()
       LIMIT ${PRUNE_ROWS_MAX} FOR UPDATE SKIP LOCKED)`,
      [],
    )
  }
}

export interface PostgresOnceOptions {
  /** Default `fanlane_once`. */
  readonly table?: string
}

export interface PostgresOnce {
  /** The table, if it is not there. Call it once, when you set up your own tables. */
  createTable(database: Queryable): Promise<void>
  /**
   * True: nobody has done this id; it counts as done if your transaction commits. False: it was done before. Call it first in
   * the transaction, and do nothing more if it is false. Where two transactions ask for one id, the second waits for the first.
   */
  once(transaction: Queryable, id: string): Promise<boolean>
  /** Forget ids that are older; returns how many. Keep them for as long as a record can come again. */
  prune(database: Queryable, olderThanMs: number): Promise<number>
}

export function postgresOnce(options: PostgresOnceOptions = {}): PostgresOnce {
  const table = tableName(options.table ?? 'fanlane_once')
  return {
    async createTable(database) {
      await database.query(
        `CREATE TABLE IF NOT EXISTS ${table} (id text PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp())`,
      )
    },
    async once(transaction, id) {
      if (typeof id !== 'string' || id === '') throw idInvalid(id)
      if ('totalCount' in transaction) throw poolGiven()
      const { rowCount } = await transaction.query(`INSERT INTO ${table} (id) VALUES ($1) ON CONFLICT DO NOTHING`, [id])
      return rowCount === 1
    },
    async prune(database, olderThanMs) {
      const { rowCount } = await database.query(
        `DELETE FROM ${table} WHERE at < clock_timestamp() - $1::bigint * interval '1 millisecond'`,
        [wholeMs('olderThanMs', olderThanMs)],
      )
      return rowCount ?? 0
    },
  }
}

function idInvalid(id: unknown): FanlaneError {
  return new FanlaneError('DEDUP_ID_INVALID', `An id must be a text that is not empty; it is ${String(id)}.`)
}

function poolGiven(): FanlaneError {
  return new FanlaneError(
    'TRANSACTION_NEEDED',
    'once() was given a pool, which may use another connection for every query. Give the client that your transaction runs on: const client = await pool.connect().',
  )
}
