/**
 * An outbox in PostgreSQL.
 *
 * The trap: a row gets its id when it is written and is seen when its transaction commits. Two transactions that write the same
 * key at the same time may commit in the other order, and a relay that reads by id would publish the later one first. So
 * `write` locks the key (an advisory lock, until the transaction ends): the second writer of a key waits for the first, and for each
 * key the order of ids is the order of commits. Writers of different keys do not meet.
 */
import { crc32 } from 'node:zlib'
import { FanlaneError } from '../../errors.ts'
import { tableName, wholeMs } from '../names.ts'
import { openDatabase, type PostgresDatabase, type PostgresSource, type Queryable } from '../postgres-database.ts'
import { fromHeaders, type OutboxRecord, RECORD_BYTES_MAX, SHARDS, toInputs } from './record.ts'
import type { Backlog, OutboxRow, OutboxTable, TakeLimits, TakenShard } from './table.ts'

export interface PostgresOutboxOptions extends PostgresSource {
  /** Default `fanlane_outbox`. */
  readonly table?: string
  /** Larger records are refused when they are written. Default 1,000,000. */
  readonly recordBytesMax?: number
}

export interface PostgresOutbox extends OutboxTable {
  /** The tables, if they are not there. Call it once, when you set up your own. */
  createTable(database: Queryable): Promise<void>
  /**
   * Inside your transaction: published if it commits. Returns the ids that consumers see in `fanlane-outbox-id`. Waits for other
   * transactions that have written the same keys and are not over.
   */
  write(transaction: Queryable, records: OutboxRecord | readonly OutboxRecord[]): Promise<readonly string[]>
  /** Closes the connections that it made. */
  close(): Promise<void>
}

/** Locks live in shared memory that all transactions of the server share: beyond so many keys the whole outbox is locked. */
const LOCKS_MAX = 256

interface StoredRow {
  readonly id: string
  readonly uid: string
  readonly topic: string
  readonly part: number | null
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: string
}

export function postgresOutbox(options: PostgresOutboxOptions): PostgresOutbox {
  const bytesMax = wholeMs('recordBytesMax', options.recordBytesMax ?? RECORD_BYTES_MAX)
  return new InPostgres(openDatabase(options, null), tableName(options.table ?? 'fanlane_outbox'), bytesMax)
}

const LEASE = `clock_timestamp() + $2::bigint * interval '1 millisecond'`

class InPostgres implements PostgresOutbox {
  readonly #database: PostgresDatabase
  readonly #table: string
  readonly #recordBytesMax: number
  /** Two numbers that name our locks among those of others. */
  readonly #lockClass: number

  constructor(database: PostgresDatabase, table: string, recordBytesMax: number) {
    this.#database = database
    this.#table = table
    this.#recordBytesMax = recordBytesMax
    this.#lockClass = (crc32(`fanlane/${table}`) | 0) & ~1
  }

  async createTable(database: Queryable): Promise<void> {
    const table = this.#table
    // One at a time: two who make the same table at the same moment get in each other's way.
    await database.query(`DO $$ BEGIN
      PERFORM pg_advisory_xact_lock(${this.#lockClass}, -1);
      CREATE TABLE IF NOT EXISTS ${table} (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, uid uuid NOT NULL,
        shard int NOT NULL, topic text NOT NULL, part int, key bytea, value bytea, headers text NOT NULL,
        created timestamptz NOT NULL DEFAULT clock_timestamp());
      CREATE INDEX IF NOT EXISTS ${table.replace('.', '_')}_shard ON ${table} (shard, id);
      CREATE TABLE IF NOT EXISTS ${table}_shards (shard int PRIMARY KEY, owner text,
        until timestamptz NOT NULL DEFAULT '-infinity');
      INSERT INTO ${table}_shards (shard) SELECT generate_series(0, ${SHARDS - 1}) ON CONFLICT DO NOTHING;
    END $$`)
  }

  async write(transaction: Queryable, records: OutboxRecord | readonly OutboxRecord[]): Promise<readonly string[]> {
    if ('totalCount' in transaction) throw poolGiven()
    const inputs = toInputs(records, this.#recordBytesMax)
    if (inputs.length === 0) return []
    await this.#lock(
      transaction,
      inputs.flatMap(({ lane }) => lane ?? []),
    )
    const uids = inputs.map(({ uid }) => uid)
    await transaction.query(
      `INSERT INTO ${this.#table} (uid, shard, topic, part, key, value, headers)
       SELECT uid, shard, topic, part, key, value, headers FROM
       unnest($1::uuid[], $2::int[], $3::text[], $4::int[], $5::bytea[], $6::bytea[], $7::text[]) WITH ORDINALITY
       AS r (uid, shard, topic, part, key, value, headers, n) ORDER BY n`,
      [
        uids,
        inputs.map(({ shard }) => shard),
        inputs.map(({ topic }) => topic),
        inputs.map(({ partition }) => partition),
        inputs.map(({ key }) => key),
        inputs.map(({ value }) => value),
        inputs.map(({ headers }) => headers),
      ],
    )
    return uids
  }

  /** In one order for everybody. A transaction that writes twice can still wait for one that waits for it: PostgreSQL ends one. */
  async #lock(transaction: Queryable, lanes: readonly string[]): Promise<void> {
    const keys = [...new Set(lanes.map((lane) => crc32(lane) | 0))].sort((one, other) => one - other)
    if (keys.length === 0) return
    const all = this.#lockClass | 1
    if (keys.length > LOCKS_MAX) {
      await transaction.query('SELECT pg_advisory_xact_lock($1, 0)', [all])
      return
    }
    await transaction.query('SELECT pg_advisory_xact_lock_shared($1, 0)', [all])
    await transaction.query('SELECT pg_advisory_xact_lock($1, k) FROM unnest($2::int[]) AS k', [this.#lockClass, keys])
  }

  async take(owner: string, limits: TakeLimits): Promise<readonly TakenShard[]> {
    const table = this.#table
    const { rows: shards } = await this.#database.query<{ shard: number }>(
      `UPDATE ${table}_shards AS s SET owner = $1, until = ${LEASE} FROM (
         SELECT shard FROM ${table}_shards AS c WHERE (until <= clock_timestamp() OR owner = $1)
         AND EXISTS (SELECT 1 FROM ${table} AS o WHERE o.shard = c.shard)
         ORDER BY until LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED) AS free
       WHERE s.shard = free.shard RETURNING s.shard`,
      [owner, limits.leaseMs, limits.shardsMax],
    )
    return Promise.all(shards.map(async ({ shard }) => ({ shard, rows: await this.#rows(shard, limits) })))
  }

  async renew(owner: string, shards: readonly number[], leaseMs: number): Promise<void> {
    await this.#database.query(
      `UPDATE ${this.#table}_shards SET until = ${LEASE} WHERE owner = $1 AND shard = ANY ($3::int[])`,
      [owner, leaseMs, shards],
    )
  }

  async settle(owner: string, shard: number, published: readonly string[]): Promise<void> {
    await this.#database.query(
      `WITH gone AS (DELETE FROM ${this.#table} WHERE id = ANY ($3::bigint[]))
       UPDATE ${this.#table}_shards SET owner = NULL, until = clock_timestamp() WHERE owner = $1 AND shard = $2`,
      [owner, shard, published],
    )
  }

  async backlog(countMax: number): Promise<Backlog> {
    const table = this.#table
    const { rows } = await this.#database.query<{ pending: number; age: number }>(
      `SELECT (SELECT count(*)::int FROM (SELECT 1 FROM ${table} LIMIT $1) AS rows_now) AS pending, coalesce(extract(epoch FROM
         clock_timestamp() - (SELECT created FROM ${table} ORDER BY id LIMIT 1)) * 1000, 0)::float8 AS age`,
      [countMax],
    )
    return { pending: rows[0]?.pending ?? 0, oldestAgeMs: Math.max(0, Math.round(rows[0]?.age ?? 0)) }
  }

  close(): Promise<void> {
    return this.#database.close()
  }

  async #rows(shard: number, { rowsMax, bytesMax }: TakeLimits): Promise<readonly OutboxRow[]> {
    const { rows } = await this.#database.query<StoredRow>(
      `SELECT id, uid, topic, part, key, value, headers FROM (
         SELECT *, sum(size) OVER (ORDER BY id) - size AS before FROM (
           SELECT *, coalesce(octet_length(key), 0) + coalesce(octet_length(value), 0) + length(headers) AS size
           FROM ${this.#table} WHERE shard = $1 ORDER BY id LIMIT $2) AS next) AS sized
       WHERE before = 0 OR before + size <= $3 ORDER BY id`,
      [shard, rowsMax, bytesMax],
    )
    return rows.map(({ part, headers, ...row }) => ({ ...row, partition: part, headers: fromHeaders(headers) }))
  }
}

function poolGiven(): FanlaneError {
  return new FanlaneError(
    'TRANSACTION_NEEDED',
    'write() was given a pool, which may use another connection for every query. Give the client that your transaction runs on: const client = await pool.connect().',
  )
}
