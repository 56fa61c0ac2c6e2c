/**
 * An outbox in a SQLite file. SQLite has one writer at a time, so ids rise in the order in which transactions commit. The relay's
 * statements are short transactions on a connection of its own; nothing is locked while it publishes.
 */
import type { DatabaseSync } from 'node:sqlite'
import { FanlaneError, OptionError } from '../../errors.ts'
import { tableName, wholeMs } from '../names.ts'
import { fromHeaders, type OutboxRecord, RECORD_BYTES_MAX, SHARDS, toInputs } from './record.ts'
import type { Backlog, OutboxRow, OutboxTable, TakeLimits, TakenShard } from './table.ts'

export interface SqliteOutboxOptions {
  /** The file that your transactions write to. */
  readonly path: string
  /** Default `fanlane_outbox`. */
  readonly table?: string
  /** Larger records are refused when they are written. Default 1,000,000. */
  readonly recordBytesMax?: number
}

export interface SqliteOutbox extends OutboxTable {
  /** The tables, if they are not there. Call it once, when you set up your own. */
  createTable(database: DatabaseSync): void
  /** Inside your transaction: published if it commits. Returns the ids that consumers see in `fanlane-outbox-id`. */
  write(transaction: DatabaseSync, records: OutboxRecord | readonly OutboxRecord[]): readonly string[]
  /** Closes the connection of the relay. */
  close(): Promise<void>
}

const BUSY_MS = 1_000
const NOW_MS = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`

interface StoredRow {
  readonly id: number
  readonly uid: string
  readonly topic: string
  readonly part: number | null
  readonly key: Uint8Array | null
  readonly value: Uint8Array | null
  readonly headers: string
}

export function sqliteOutbox(options: SqliteOutboxOptions): SqliteOutbox {
  const { path } = options
  if (typeof path !== 'string' || path === '') {
    throw new OptionError('OPTION_INVALID', 'path', "Option 'path' must name a file: sqliteOutbox({ path: 'app.db' }).")
  }
  const bytesMax = wholeMs('recordBytesMax', options.recordBytesMax ?? RECORD_BYTES_MAX)
  return new InFile(path, tableName(options.table ?? 'fanlane_outbox'), bytesMax)
}

class InFile implements SqliteOutbox {
  readonly #path: string
  readonly #table: string
  readonly #recordBytesMax: number
  #own: DatabaseSync | null = null

  constructor(path: string, table: string, recordBytesMax: number) {
    this.#path = path
    this.#table = table
    this.#recordBytesMax = recordBytesMax
  }

  createTable(database: DatabaseSync): void {
    const table = this.#table
    // AUTOINCREMENT: an id is never given twice, so a row that is gone is not followed by another one with its number.
    database.exec(`CREATE TABLE IF NOT EXISTS ${table} (id INTEGER PRIMARY KEY AUTOINCREMENT, uid TEXT NOT NULL,
        shard INTEGER NOT NULL, topic TEXT NOT NULL, part INTEGER, key BLOB, value BLOB, headers TEXT NOT NULL,
        created INTEGER NOT NULL);
      CREATE INDEX IF NOT EXISTS ${table}_shard ON ${table} (shard, id);
      CREATE TABLE IF NOT EXISTS ${table}_shards (shard INTEGER PRIMARY KEY, owner TEXT, until INTEGER NOT NULL DEFAULT 0)`)
    const insert = database.prepare(`INSERT INTO ${table}_shards (shard) VALUES (?) ON CONFLICT DO NOTHING`)
    for (let shard = 0; shard < SHARDS; shard++) insert.run(shard)
  }

  write(transaction: DatabaseSync, records: OutboxRecord | readonly OutboxRecord[]): readonly string[] {
    if (!transaction.isTransaction) throw outsideTransaction()
    const insert = transaction.prepare(
      `INSERT INTO ${this.#table} (uid, shard, topic, part, key, value, headers, created) VALUES (?, ?, ?, ?, ?, ?, ?, ${NOW_MS})`,
    )
    return toInputs(records, this.#recordBytesMax).map(({ uid, shard, topic, partition, key, value, headers }) => {
      insert.run(uid, shard, topic, partition, key, value, headers)
      return uid
    })
  }

  async take(owner: string, limits: TakeLimits): Promise<readonly TakenShard[]> {
    const table = this.#table
    const db = this.#open()
    const shards = together(db, () =>
      db
        .prepare(
          `UPDATE ${table}_shards SET owner = ?1, until = ${NOW_MS} + ?2 WHERE shard IN (
             SELECT shard FROM ${table}_shards AS s WHERE (until <= ${NOW_MS} OR owner = ?1)
             AND EXISTS (SELECT 1 FROM ${table} AS o WHERE o.shard = s.shard) ORDER BY until LIMIT ?3) RETURNING shard`,
        )
        .all(owner, limits.leaseMs, limits.shardsMax),
    )
    return shards.map(({ shard }) => ({ shard: shard as number, rows: this.#rows(db, shard as number, limits) }))
  }

  async renew(owner: string, shards: readonly number[], leaseMs: number): Promise<void> {
    const renew = this.#open().prepare(
      `UPDATE ${this.#table}_shards SET until = ${NOW_MS} + ? WHERE shard = ? AND owner = ?`,
    )
    for (const shard of shards) renew.run(leaseMs, shard, owner)
  }

  async settle(owner: string, shard: number, published: readonly string[]): Promise<void> {
    const db = this.#open()
    together(db, () => {
      const remove = db.prepare(`DELETE FROM ${this.#table} WHERE id = ?`)
      for (const id of published) remove.run(Number(id))
      db.prepare(`UPDATE ${this.#table}_shards SET owner = NULL, until = ${NOW_MS} WHERE shard = ? AND owner = ?`).run(
        shard,
        owner,
      )
    })
  }

  async backlog(countMax: number): Promise<Backlog> {
    const table = this.#table
    const row = this.#open()
      .prepare(
        `SELECT (SELECT count(*) FROM (SELECT 1 FROM ${table} LIMIT ?)) AS pending,
           coalesce(${NOW_MS} - (SELECT created FROM ${table} ORDER BY id LIMIT 1), 0) AS age`,
      )
      .get(countMax)
    return { pending: row?.pending as number, oldestAgeMs: Math.max(0, row?.age as number) }
  }

  async close(): Promise<void> {
    this.#own?.close()
    this.#own = null
  }

  #rows(db: DatabaseSync, shard: number, { rowsMax, bytesMax }: TakeLimits): readonly OutboxRow[] {
    const rows: OutboxRow[] = []
    let bytes = 0
    const stored = db.prepare(
      `SELECT id, uid, topic, part, key, value, headers FROM ${this.#table} WHERE shard = ? ORDER BY id LIMIT ?`,
    )
    for (const row of stored.iterate(shard, rowsMax) as Iterable<unknown> as Iterable<StoredRow>) {
      bytes += (row.key?.length ?? 0) + (row.value?.length ?? 0) + row.headers.length
      if (rows.length > 0 && bytes > bytesMax) break
      rows.push({
        id: String(row.id),
        uid: row.uid,
        topic: row.topic,
        partition: row.part,
        key: row.key === null ? null : Buffer.from(row.key),
        value: row.value === null ? null : Buffer.from(row.value),
        headers: fromHeaders(row.headers),
      })
    }
    return rows
  }

  #open(): DatabaseSync {
    if (this.#own !== null) return this.#own
    // Not imported above: those who have their outbox in PostgreSQL are not to hear that SQLite is experimental.
    const sqlite = process.getBuiltinModule('node:sqlite')
    const db = new sqlite.DatabaseSync(this.#path)
    // WAL: reading does not wait for whoever writes.
    db.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL`)
    this.#own = db
    return db
  }
}

/** Synchronous from BEGIN to COMMIT. */
function together<Result>(db: DatabaseSync, work: () => Result): Result {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

function outsideTransaction(): FanlaneError {
  return new FanlaneError(
    'TRANSACTION_NEEDED',
    'An outbox is written inside the transaction whose effect it tells of: BEGIN IMMEDIATE, your writes, write(), COMMIT.',
  )
}
