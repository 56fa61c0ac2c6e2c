/**
 * Ids in a SQLite file, by `node:sqlite`: they survive the process, and several processes of one machine may share them.
 *
 * Two things are here. `sqliteDedup` is a store for `consume({ dedup })`: it knows of the effect only what the handler says,
 * so a crash between the effect and the mark repeats the effect. `sqliteOnce` writes the id inside your own transaction:
 * effect and id are in the file together or not at all.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { FanlaneError, OptionError } from '../errors.ts'
import type { DedupAnswer, DedupClaim, DedupStore } from '../ports/dedup.ts'
import { KEEP_MS, tableName, wholeMs } from './names.ts'

export type { DedupAnswer, DedupClaim, DedupStore } from '../ports/dedup.ts'
export { type NamedRecord, recordId } from './record-id.ts'

export interface SqliteDedupOptions {
  /** The file; made if it is not there. */
  readonly path: string
  /** Default `fanlane_dedup`. */
  readonly table?: string
  /** For how long an id is remembered as done. Default a week. */
  readonly keepMs?: number
}

export interface SqliteDedup extends DedupStore {
  close(): Promise<void>
}

/** Claims and marks are small transactions: this long another process may hold the file before we give up. */
const BUSY_MS = 1_000
const PRUNE_EVERY_MS = 60_000
const PRUNE_ROWS_MAX = 10_000
const NOW_MS = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`

/** A connection of its own: your transactions on yours are not in its way, nor it in theirs. */
export function sqliteDedup(options: SqliteDedupOptions): SqliteDedup {
  const { path } = options
  if (typeof path !== 'string' || path === '') {
    throw new OptionError(
      'OPTION_INVALID',
      'path',
      "Option 'path' must name a file: sqliteDedup({ path: 'dedup.db' }).",
    )
  }
  return new InFile(path, tableName(options.table ?? 'fanlane_dedup'), wholeMs('keepMs', options.keepMs ?? KEEP_MS))
}

class InFile implements SqliteDedup {
  readonly #db: DatabaseSync
  readonly #keepMs: number
  readonly #claim: StatementSync
  readonly #look: StatementSync
  readonly #mark: StatementSync
  readonly #release: StatementSync
  readonly #prune: StatementSync
  readonly #now: StatementSync
  #pruneAtMs = 0

  constructor(path: string, table: string, keepMs: number) {
    this.#db = new DatabaseSync(path)
    this.#keepMs = keepMs
    // Readers and one writer at a time do not block each other. NORMAL: a crash of the process loses nothing; a power cut may
    // lose the last marks, which then run again.
    this.#db.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL`)
    // No owner: it is done. Until: the claim, or the memory of it.
    this.#db.exec(`CREATE TABLE IF NOT EXISTS ${table} (id TEXT PRIMARY KEY, owner TEXT, until INTEGER NOT NULL) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS ${table}_until ON ${table} (until)`)
    this.#claim = this.#db.prepare(
      `INSERT INTO ${table} (id, owner, until) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE
       SET owner = excluded.owner, until = excluded.until WHERE until <= ? OR owner = excluded.owner`,
    )
    this.#look = this.#db.prepare(`SELECT owner FROM ${table} WHERE id = ?`)
    this.#mark = this.#db.prepare(
      `INSERT INTO ${table} (id, owner, until) VALUES (?, NULL, ?) ON CONFLICT (id) DO UPDATE
       SET owner = NULL, until = excluded.until`,
    )
    this.#release = this.#db.prepare(`DELETE FROM ${table} WHERE id = ? AND owner = ?`)
    this.#prune = this.#db.prepare(
      `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE until <= ? LIMIT ${PRUNE_ROWS_MAX})`,
    )
    this.#now = this.#db.prepare(`SELECT ${NOW_MS} AS now`)
  }

  async begin(ids: readonly string[], { owner, ms }: DedupClaim): Promise<readonly DedupAnswer[]> {
    return this.#together((nowMs) => {
      if (nowMs >= this.#pruneAtMs) {
        this.#prune.run(nowMs)
        this.#pruneAtMs = nowMs + PRUNE_EVERY_MS
      }
      return ids.map((id) => {
        if (this.#claim.run(id, owner, nowMs + ms, nowMs).changes > 0) return 'new'
        return this.#look.get(id)?.owner === null ? 'done' : 'taken'
      })
    })
  }

  async done(ids: readonly string[]): Promise<void> {
    this.#together((nowMs) => {
      for (const id of ids) this.#mark.run(id, nowMs + this.#keepMs)
    })
  }

  async release(ids: readonly string[], owner: string): Promise<void> {
    this.#together(() => {
      for (const id of ids) this.#release.run(id, owner)
    })
  }

  async close(): Promise<void> {
    if (this.#db.isOpen) this.#db.close()
  }

  /** Synchronous from BEGIN to COMMIT: calls of one process cannot mix. */
  #together<Result>(work: (nowMs: number) => Result): Result {
    this.#db.exec('BEGIN IMMEDIATE')
    try {
      const result = work(this.#now.get()?.now as number)
      this.#db.exec('COMMIT')
      return result
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      throw error
    }
  }
}

export interface SqliteOnceOptions {
  /** Default `fanlane_once`. */
  readonly table?: string
}

export interface SqliteOnce {
  /** The table, if it is not there. Call it once, when you set up your own tables. */
  createTable(database: DatabaseSync): void
  /**
   * True: nobody has done this id; it counts as done if your transaction commits. False: it was done before. Call it first in
   * the transaction, and do nothing more if it is false.
   */
  once(transaction: DatabaseSync, id: string): boolean
  /** Forget ids that are older; returns how many. Keep them for as long as a record can come again. */
  prune(database: DatabaseSync, olderThanMs: number): number
}

export function sqliteOnce(options: SqliteOnceOptions = {}): SqliteOnce {
  const table = tableName(options.table ?? 'fanlane_once')
  return {
    createTable(database) {
      database.exec(`CREATE TABLE IF NOT EXISTS ${table} (id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID`)
    },
    once(transaction, id) {
      if (typeof id !== 'string' || id === '') throw idInvalid(id)
      if (!transaction.isTransaction) throw outsideTransaction()
      const insert = `INSERT INTO ${table} (id, at) VALUES (?, ${NOW_MS}) ON CONFLICT DO NOTHING`
      return transaction.prepare(insert).run(id).changes > 0
    },
    prune(database, olderThanMs) {
      const { changes } = database
        .prepare(`DELETE FROM ${table} WHERE at < ${NOW_MS} - ?`)
        .run(wholeMs('olderThanMs', olderThanMs))
      return Number(changes)
    },
  }
}

function idInvalid(id: unknown): FanlaneError {
  return new FanlaneError('DEDUP_ID_INVALID', `An id must be a text that is not empty; it is ${String(id)}.`)
}

function outsideTransaction(): FanlaneError {
  return new FanlaneError(
    'TRANSACTION_NEEDED',
    'once() is for inside a transaction, together with the effect: BEGIN IMMEDIATE, once(), your writes, COMMIT.',
  )
}
