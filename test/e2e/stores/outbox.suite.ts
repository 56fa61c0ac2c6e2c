/**
 * The outbox from end to end: writers in concurrent transactions, two relays that are killed with -9 at random, and a reader of
 * somebody else's make. Nothing that committed is lost, nothing that was rolled back appears, per key the first occurrences are in
 * the order of commits, and duplicates have the same id.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Kafka, logLevel } from 'kafkajs'
import pg from 'pg'
import { startPostgres } from '../../../scripts/servers/postgres.ts'
import { createRelay, OUTBOX_ID_HEADER, postgresOutbox, sqliteOutbox } from '../../../src/stores/outbox/index.ts'
import { type Target, unique } from '../../support/targets.ts'
import { until } from '../../support/wait.ts'
import { cleanUp } from '../../wire/support/cleanup.ts'
import { RawKafka } from '../../wire/support/raw-kafka.ts'
import type { RelaySpec } from './relay-main.ts'
import { started } from './servers.ts'

const main = fileURLToPath(new URL('relay-main.ts', import.meta.url))
const partitions = 3
const keys = 8
const writers = 8
const perWriter = 60

interface Seen {
  readonly key: string
  readonly value: string
  readonly id: string
}

export async function outboxSuite(): Promise<(target: Target) => void> {
  const postgres = await started('PostgreSQL', startPostgres)
  return (target) => {
    const { brokers } = target
    let raw: RawKafka
    before(async () => {
      raw = await RawKafka.connect(brokers)
    })

    if (postgres !== null) {
      test('X7 · PostgreSQL: concurrent transactions, two relays killed at random: nothing lost, order per key', async (t) => {
        const topic = unique('orders')
        const table = unique('outbox').replaceAll('-', '_')
        await raw.createTopic(topic, partitions)
        const pool = new pg.Pool({ connectionString: postgres.url, max: writers + 2 })
        cleanUp(t, () => pool.end())
        const outbox = postgresOutbox({ pool, table })
        await Promise.all([outbox.createTable(pool), outbox.createTable(pool)])
        await pool.query(`CREATE TABLE ${table}_truth (n bigserial, key text, value text)`)
        const relays = startRelays(t, { brokers, kind: 'postgres', at: postgres.url, table })
        const ids = new Map<string, string>()

        const write = async (writer: number): Promise<void> => {
          for (let round = 0; round < perWriter; round++) {
            const client = await pool.connect()
            const chosen = [...new Set([random(keys), random(keys)])].map((key) => `key-${key}`)
            const records = chosen.map((key) => ({ topic, key, value: `${writer}/${round}/${key}` }))
            await client.query('BEGIN')
            const written = await outbox.write(client, records)
            // Between an id and its commit: where a relay that trusts ids would be led astray.
            await sleep(random(6))
            const isCommitted = random(8) > 0
            for (const { key, value } of records) {
              await client.query(`INSERT INTO ${table}_truth (key, value) VALUES ($1, $2)`, [key, value])
            }
            await client.query(isCommitted ? 'COMMIT' : 'ROLLBACK')
            client.release()
            if (isCommitted) for (const [at, { value }] of records.entries()) ids.set(value, String(written[at]))
          }
        }
        const killing = killAtRandom(relays)
        await Promise.all(Array.from({ length: writers }, (_, at) => write(at)))
        await killing.stop()
        const isEmpty = async (): Promise<boolean> =>
          (await pool.query(`SELECT 1 FROM ${table} LIMIT 1`)).rows.length === 0
        await until('the outbox is empty', isEmpty)
        const { rows } = await pool.query<Omit<Seen, 'id'>>(`SELECT key, value FROM ${table}_truth ORDER BY n`)
        check(rows, ids, await readAll(t, target, raw, topic))
      })

      test('X7 · PostgreSQL: more keys in one transaction than there is room for locks', async (t) => {
        const topic = unique('many')
        const table = unique('outbox').replaceAll('-', '_')
        await raw.createTopic(topic, partitions)
        const outbox = postgresOutbox({ url: postgres.url, table })
        const pool = new pg.Pool({ connectionString: postgres.url })
        cleanUp(t, () => pool.end())
        await outbox.createTable(pool)
        const client = await pool.connect()
        await client.query('BEGIN')
        const records = Array.from({ length: 12_000 }, (_, at) => ({ topic, key: `k${at}`, value: `${at}` }))
        await outbox.write(client, records)
        await client.query('COMMIT')
        client.release()
        await assert.rejects(outbox.write(pool, records), { code: 'TRANSACTION_NEEDED' })
        const relay = await createRelay({ outbox, brokers, pollMs: 5 })
        await until('all are published', () => relay.snapshot().published === records.length)
        await relay.close()
        assert.deepEqual(await outbox.backlog(10), { pending: 0, oldestAgeMs: 0 })
        await outbox.close()
      })

      test('X7 · PostgreSQL: the database goes away and comes back: the relay says so and goes on', async (t) => {
        const topic = unique('away')
        const table = unique('outbox').replaceAll('-', '_')
        await raw.createTopic(topic, 1)
        const pool = new pg.Pool({ connectionString: postgres.url })
        cleanUp(t, () => pool.end())
        const outbox = postgresOutbox({ url: postgres.url, table })
        const relay = await createRelay({ outbox, brokers, pollMs: 5 })
        cleanUp(t, async () => {
          await relay.close()
          await outbox.close()
        })
        const told: string[] = []
        relay.on('failing', (error) => told.push((error as { code?: string }).code ?? 'none'))
        await until('there is no table yet', () => relay.snapshot().state === 'failing')
        assert.deepEqual(told, ['42P01'])
        await outbox.createTable(pool)
        await until('it is well', () => relay.snapshot().state === 'idle')
        await pool.query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = $1 AND query LIKE $2',
          ['client backend', `%${table}%`],
        )
        const client = await pool.connect()
        await client.query('BEGIN')
        await outbox.write(client, { topic, key: 'k', value: 'v' })
        await client.query('COMMIT')
        client.release()
        await until('it is published', () => relay.snapshot().published === 1)
      })
    }

    test('X7 · SQLite: two relays killed at random: nothing lost, order per key', async (t) => {
      const topic = unique('orders')
      await raw.createTopic(topic, partitions)
      const directory = mkdtempSync(join(tmpdir(), 'fanlane-outbox-'))
      cleanUp(t, async () => rmSync(directory, { recursive: true, force: true }))
      const at = join(directory, 'app.db')
      const db = new DatabaseSync(at)
      cleanUp(t, async () => db.close())
      db.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL')
      const outbox = sqliteOutbox({ path: at, table: 'outbox' })
      outbox.createTable(db)
      const killing = killAtRandom(startRelays(t, { brokers, kind: 'sqlite', at, table: 'outbox' }))
      const truth: Omit<Seen, 'id'>[] = []
      const ids = new Map<string, string>()
      for (let round = 0; round < 200; round++) {
        const records = [random(keys), random(keys)].map((key, n) => ({ key: `key-${key}`, value: `${round}/${n}` }))
        db.exec('BEGIN IMMEDIATE')
        const written = outbox.write(
          db,
          records.map((record) => ({ topic, ...record })),
        )
        const isCommitted = random(8) > 0
        db.exec(isCommitted ? 'COMMIT' : 'ROLLBACK')
        if (isCommitted) {
          truth.push(...records)
          for (const [n, { value }] of records.entries()) ids.set(value, String(written[n]))
        }
        await sleep(random(8))
      }
      await killing.stop()
      await until('the outbox is empty', () => db.prepare('SELECT count(*) AS n FROM outbox').get()?.n === 0)
      check(truth, ids, await readAll(t, target, raw, topic))
    })

    // Behind those of the tests above.
    after(async () => {
      await raw[Symbol.asyncDispose]()
      await postgres?.stop()
    })
  }
}

const random = (below: number): number => Math.floor(Math.random() * below)

function check(truth: readonly Omit<Seen, 'id'>[], ids: ReadonlyMap<string, string>, seen: readonly Seen[]): void {
  for (const { value, id } of seen) assert.equal(id, ids.get(value), `${value} was committed, and has one id`)
  for (let key = 0; key < keys; key++) {
    const name = `key-${key}`
    const expected = truth.filter((row) => row.key === name).map(({ value }) => value)
    const published = [...new Set(seen.filter((row) => row.key === name).map(({ value }) => value))]
    assert.deepEqual(published, expected, `${name}: first occurrences, in the order of commits`)
  }
}

interface RelayProcess {
  child: ChildProcess
  published: number
  failing?: string
}

interface Relays {
  readonly all: RelayProcess[]
  start(at: number): void
}

function startRelays(t: TestContext, spec: RelaySpec): Relays {
  const all: RelayProcess[] = []
  const start = (at: number): void => {
    const child = fork(main, [JSON.stringify(spec)], { execArgv: ['--disable-warning=ExperimentalWarning'] })
    const relay: RelayProcess = { child, published: 0 }
    child.on('message', (news: { published?: number; failing?: string }) => {
      if (news.failing !== undefined) relay.failing = news.failing
      relay.published = news.published ?? relay.published
    })
    all[at] = relay
  }
  start(0)
  start(1)
  cleanUp(t, async () => {
    for (const { child } of all) child.kill('SIGKILL')
  })
  return { all, start }
}

/** One of the two dies whenever it has published something new, and is started again; the last ones live. */
function killAtRandom({ all, start }: Relays): { stop(): Promise<void> } {
  let isOver = false
  let killed = 0
  const run = async (): Promise<void> => {
    while (!isOver || killed === 0) {
      await sleep(20)
      const at = random(2)
      const relay = all[at]
      assert.equal(relay?.failing, undefined)
      if (relay === undefined || relay.published < 5 + random(60)) continue
      const ended = new Promise((resolve) => relay.child.once('exit', resolve))
      relay.child.kill('SIGKILL')
      await ended
      killed++
      start(at)
    }
  }
  const running = run()
  running.catch(() => undefined)
  return {
    async stop() {
      isOver = true
      await running
    },
  }
}

/** Everything in the topic, read by another client, partition by partition in the order of the log. */
async function readAll(t: TestContext, target: Target, raw: RawKafka, topic: string): Promise<readonly Seen[]> {
  const kafka = new Kafka({ brokers: [...target.brokers], clientId: 'reader', logLevel: logLevel.NOTHING })
  const consumer = kafka.consumer({ groupId: unique('reader') })
  cleanUp(t, () => consumer.disconnect())
  const counts = await Promise.all(
    Array.from({ length: partitions }, async (_, partition) => (await raw.offsets(topic, partition)).length),
  )
  const total = counts.reduce((sum, count) => sum + count, 0)
  const seen: Seen[] = []
  await consumer.connect()
  await consumer.subscribe({ topic, fromBeginning: true })
  await consumer.run({
    eachMessage: async ({ message }) => {
      const id = String(message.headers?.[OUTBOX_ID_HEADER])
      seen.push({ key: String(message.key), value: String(message.value), id })
    },
  })
  await until(`all ${total} are read`, () => seen.length >= total)
  return seen
}
