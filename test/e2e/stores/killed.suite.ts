/**
 * Killed with -9 in the middle and started again on the same store: the form that joins the user's transaction applies every effect
 * exactly once; a store beside the effect repeats at most what was running. All stores live and die in one process.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { startPostgres } from '../../../scripts/servers/postgres.ts'
import { startRedis } from '../../../scripts/servers/redis.ts'
import { postgresOnce } from '../../../src/stores/postgres.ts'
import { sqliteOnce } from '../../../src/stores/sqlite.ts'
import { type Target, unique } from '../../support/targets.ts'
import { until, within } from '../../support/wait.ts'
import { RawKafka } from '../../wire/support/raw-kafka.ts'
import type { Keep, KilledSpec } from './killed-main.ts'
import { started } from './servers.ts'

const main = fileURLToPath(new URL('killed-main.ts', import.meta.url))
const partitions = 2
const perPartition = 200
const concurrency = 16
const handlersMax = 120
/** Each life is killed when every consumer has run so many handlers in it. */
const handlersMin = 50
const livesOn: Readonly<Record<Target['name'], number>> = { 'embedded broker': 1, 'Apache Kafka': 3 }
const title = { sqlite: 'SQLite', postgres: 'PostgreSQL', redis: 'Redis' }

/** Servers are started before the suite is registered: what is missing is skipped, loudly. */
export async function killedSuite(): Promise<(target: Target) => void> {
  const [postgres, redis] = await Promise.all([started('PostgreSQL', startPostgres), started('Redis', startRedis)])
  return (target) => {
    const directory = mkdtempSync(join(tmpdir(), 'fanlane-killed-'))
    const keeps: Keep[] = []
    const add = (how: Keep['how'], kind: Keep['kind'], at: string | undefined): void => {
      if (at === undefined) return
      const runsFile = join(directory, `${how}-${kind}`)
      keeps.push({ how, kind, at, group: unique('group'), topic: unique('effects'), runsFile })
    }
    const app = join(directory, 'app.db')
    add('once', 'sqlite', app)
    add('once', 'postgres', postgres?.url)
    add('store', 'sqlite', join(directory, 'dedup.db'))
    add('store', 'postgres', postgres?.url)
    add('store', 'redis', redis?.url)
    const lives = livesOn[target.name]

    before(async () => {
      const db = new DatabaseSync(app)
      db.exec('PRAGMA journal_mode = WAL; CREATE TABLE effects (value TEXT)')
      sqliteOnce().createTable(db)
      db.close()
      if (postgres !== null) {
        await inPostgres(postgres.url, async (client) => {
          await client.query('CREATE TABLE effects (value text)')
          await postgresOnce().createTable(client)
        })
      }
      await fill(target, keeps)
      const { brokers } = target
      await liveAndDie({ brokers, partitions, concurrency, claimMs: 2_000, handlersMax, keeps }, lives)
    })

    for (const keep of keeps) {
      const { how, kind, topic } = keep
      if (how === 'once') {
        test(`R8 · ${title[kind]}, in the same transaction: every effect exactly once, over kill -9`, async () => {
          const effects = kind === 'sqlite' ? fromSqlite(app) : await fromPostgres(keep.at)
          assert.deepEqual(effects.toSorted(), valuesOf(topic))
          assert.ok(runsOf(keep).length > effects.length, 'no record came again: the kill has shown nothing')
        })
      } else {
        test(`R8 I1 · ${title[kind]} beside the effect: nothing lost, twice only what was running at the kill`, () => {
          const runs = runsOf(keep)
          assert.deepEqual([...new Set(runs)].sort(), valuesOf(topic))
          const again = runs.length - valuesOf(topic).length
          assert.ok(again <= lives * concurrency, `${again} ran again`)
        })
      }
    }

    after(async () => {
      rmSync(directory, { recursive: true, force: true })
      await postgres?.stop()
      await redis?.stop()
    })
  }
}

async function fill({ brokers }: Target, keeps: readonly Keep[]): Promise<void> {
  const raw = await RawKafka.connect(brokers)
  for (const { topic, runsFile } of keeps) {
    writeFileSync(runsFile, '')
    await raw.createTopic(topic, partitions)
    for (let partition = 0; partition < partitions; partition++) {
      const records = Array.from({ length: perPartition }, (_, at) => ({
        key: `k${at % 40}`,
        value: value(topic, partition, at),
      }))
      await raw.produce(topic, partition, records)
    }
  }
  await raw[Symbol.asyncDispose]()
}

/** Killed as often as planned, then left alone until everything is done. */
async function liveAndDie(spec: KilledSpec, lives: number): Promise<void> {
  for (let life = 0; life < lives; life++) {
    const before = spec.keeps.map((keep) => runsOf(keep).length)
    const child = start(spec)
    const ended = new Promise((resolve) => child.once('exit', resolve))
    const target = spec.keeps.map(({ topic }, at) => Math.min((before[at] ?? 0) + handlersMin, valuesOf(topic).length))
    await until('every consumer has run some handlers', () => {
      assert.equal(child.exitCode, null, 'it ended before it was killed')
      return spec.keeps.every((keep, at) => runsOf(keep).length >= (target[at] ?? 0))
    }).finally(() => child.kill('SIGKILL'))
    await ended
  }
  const last = start({ ...spec, handlersMax: null })
  const exit = new Promise((resolve) => last.once('exit', resolve))
  const code = await within('the last life does the rest', exit).finally(() => last.kill('SIGKILL'))
  assert.equal(code, 0)
}

function start(spec: KilledSpec): ChildProcess {
  return fork(main, [JSON.stringify(spec)], { execArgv: ['--disable-warning=ExperimentalWarning'] })
}

const value = (topic: string, partition: number, at: number): string => `${topic}/${partition}/${at}`

function valuesOf(topic: string): string[] {
  const all = Array.from({ length: partitions }, (_, partition) =>
    Array.from({ length: perPartition }, (__, at) => value(topic, partition, at)),
  )
  return all.flat().sort()
}

function runsOf({ runsFile }: Keep): string[] {
  return readFileSync(runsFile, 'utf8').split('\n').filter(Boolean)
}

function fromSqlite(path: string): string[] {
  const db = new DatabaseSync(path)
  const rows = db.prepare('SELECT value FROM effects').all()
  db.close()
  return rows.map((row) => String(row.value))
}

async function fromPostgres(url: string): Promise<string[]> {
  return inPostgres(url, async (client) => {
    const { rows } = await client.query<{ value: string }>('SELECT value FROM effects')
    return rows.map((row) => row.value)
  })
}

async function inPostgres<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
