/**
 * Consumers in a process that is there to be killed: each applies the effect of every record, and either writes the id in the same
 * transaction (`once`), or has a dedup store beside it (`store`).
 */
import { appendFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { consume } from '../../../src/consume.ts'
import type { ConsumedRecord } from '../../../src/engines/handler.ts'
import type { DedupStore } from '../../../src/ports/dedup.ts'
import { postgresDedup, postgresOnce } from '../../../src/stores/postgres.ts'
import { recordId } from '../../../src/stores/record-id.ts'
import { redisDedup } from '../../../src/stores/redis.ts'
import { sqliteDedup, sqliteOnce } from '../../../src/stores/sqlite.ts'

export interface Keep {
  readonly how: 'once' | 'store'
  readonly kind: 'sqlite' | 'postgres' | 'redis'
  readonly at: string
  readonly group: string
  readonly topic: string
  /** A line for every handler that ran. */
  readonly runsFile: string
}

export interface KilledSpec {
  readonly brokers: readonly string[]
  readonly partitions: number
  readonly concurrency: number
  readonly claimMs: number
  /** So many handlers run in this life; the next ones wait to be killed. Null: all of them run. */
  readonly handlersMax: number | null
  readonly keeps: readonly Keep[]
}

const spec = JSON.parse(process.argv[2] ?? '') as KilledSpec

/** The effect: one more row for this value. Nothing but the ids keeps it from being there twice. */
function effectOf(keep: Keep): (record: ConsumedRecord) => Promise<void> | void {
  if (keep.how === 'store') return () => undefined
  if (keep.kind === 'sqlite') {
    const db = new DatabaseSync(keep.at)
    const once = sqliteOnce()
    return (record) => {
      db.exec('BEGIN IMMEDIATE')
      if (once.once(db, recordId(keep.group, record))) {
        db.prepare('INSERT INTO effects (value) VALUES (?)').run(String(record.value))
      }
      db.exec('COMMIT')
    }
  }
  const pool = new pg.Pool({ connectionString: keep.at, max: 10 })
  const once = postgresOnce()
  return async (record) => {
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      if (await once.once(client, recordId(keep.group, record))) {
        await client.query('INSERT INTO effects (value) VALUES ($1)', [String(record.value)])
      }
      await client.query('COMMIT')
    } catch (error) {
      await client.query('ROLLBACK')
      throw error
    } finally {
      client.release()
    }
  }
}

function storeOf({ kind, at }: Keep): DedupStore {
  if (kind === 'sqlite') return sqliteDedup({ path: at })
  return kind === 'redis' ? redisDedup({ url: at, keepMs: 600_000 }) : postgresDedup({ url: at })
}

const quiet = (): void => undefined
const complain = (fields: object): void => {
  process.stderr.write(`${JSON.stringify(fields)}\n`)
}

async function live(keep: Keep): Promise<void> {
  const { topic, group, runsFile } = keep
  const { handlersMax, brokers, concurrency, claimMs } = spec
  const effect = effectOf(keep)
  let handlers = 0
  const consumer = await consume({
    brokers,
    group,
    partitions: Array.from({ length: spec.partitions }, (_, partition) => ({ topic, partition })),
    concurrency,
    // Hardly ever: a crash then finds nearly everything not committed, and all of it comes again.
    commit: { everyMs: 600_000, everyRecords: 1_000_000 },
    client: { fetchMaxWaitMs: 100 },
    logger: { debug: quiet, info: quiet, warn: quiet, error: complain },
    ...(keep.how === 'store' ? { dedup: { store: storeOf(keep), claimMs } } : {}),
    handle: async (record) => {
      if (handlersMax !== null && ++handlers > handlersMax) await new Promise(() => undefined)
      await sleep(Math.random() * 30)
      appendFileSync(runsFile, `${record.value}\n`)
      await effect(record)
    },
  })
  await consumer.idle()
  await consumer.close()
}

await Promise.all(spec.keeps.map(live))
process.exit(0)
