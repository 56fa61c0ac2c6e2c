/** The outbox in a SQLite file and its relay, with a producer that does what the test says. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { FanlaneError } from '../../../src/errors.ts'
import { DeliveryError } from '../../../src/producer/index.ts'
import {
  createRelay,
  OUTBOX_ID_HEADER,
  type OutboxRecord,
  type Relay,
  type RelayOptions,
  type RelayProducer,
  type RelayRecord,
  type SqliteOutbox,
  sqliteOutbox,
} from '../../../src/stores/outbox/index.ts'
import { until } from '../../support/wait.ts'

interface Stage {
  readonly db: DatabaseSync
  readonly path: string
  readonly outbox: SqliteOutbox
  commit(...records: OutboxRecord[]): readonly string[]
  relay(producer: RelayProducer, options?: Partial<RelayOptions>): Promise<Relay>
}

function stage(t: TestContext): Stage {
  const directory = mkdtempSync(join(tmpdir(), 'fanlane-outbox-'))
  const path = join(directory, 'app.db')
  const db = new DatabaseSync(path)
  const outbox = sqliteOutbox({ path })
  outbox.createTable(db)
  const relays: Relay[] = []
  t.after(async () => {
    for (const relay of relays) await relay.close()
    await outbox.close()
    db.close()
    rmSync(directory, { recursive: true, force: true })
  })
  return {
    db,
    path,
    outbox,
    commit(...records) {
      db.exec('BEGIN IMMEDIATE')
      const ids = outbox.write(db, records)
      db.exec('COMMIT')
      return ids
    },
    async relay(producer, options = {}) {
      const relay = await createRelay({ outbox, producer, pollMs: 5, ...options })
      relays.push(relay)
      return relay
    },
  }
}

/** A topic that remembers; `fail` may refuse. */
class Topic implements RelayProducer {
  readonly records: RelayRecord[] = []
  fail: (record: RelayRecord) => FanlaneError | null = () => null

  async send(records: readonly RelayRecord[]): Promise<readonly unknown[]> {
    const results = records.map((record) => {
      const error = this.fail(record)
      if (error === null) this.records.push(record)
      return error ?? { partition: 0, offset: 0 }
    })
    const first = results.find((result) => result instanceof FanlaneError)
    if (first === undefined) return results
    throw records.length === 1 ? first : new DeliveryError(first, results as never)
  }

  get values(): string[] {
    return this.records.map(({ value }) => String(value))
  }
}

const empty = (db: DatabaseSync): boolean => db.prepare('SELECT count(*) AS n FROM fanlane_outbox').get()?.n === 0
const idOf = ({ headers }: RelayRecord): string =>
  String(headers.find(([name]) => name === OUTBOX_ID_HEADER)?.[1] ?? 'none')

describe('the outbox in SQLite', () => {
  test('X7 · what is committed is published, in order per key, with its id; what is rolled back is not', async (t) => {
    const { db, outbox, commit, relay } = stage(t)
    db.exec('BEGIN')
    outbox.write(db, { topic: 'orders', key: 'a', value: 'never' })
    db.exec('ROLLBACK')
    const ids = [
      ...commit({ topic: 'orders', key: 'a', value: '1', headers: { trace: 'x', none: null } }),
      ...commit({ topic: 'orders', key: 'b', value: '2' }, { topic: 'orders', key: 'a', value: null, partition: 3 }),
      ...commit({ topic: 'other', value: Buffer.from([0, 255]) }),
    ]
    const topic = new Topic()
    const running = await relay(topic)
    await until('all are published', () => empty(db))
    assert.deepEqual(topic.records.map(idOf).sort(), [...ids].sort())
    const ofA = topic.records.filter(({ key }) => String(key) === 'a')
    assert.deepEqual(
      ofA.map(({ value }) => value?.toString() ?? null),
      ['1', null],
    )
    assert.equal(ofA[1]?.partition, 3)
    assert.deepEqual(ofA[0]?.headers.map(([name, value]) => [name, value?.toString() ?? null]).slice(0, 2), [
      ['trace', 'x'],
      ['none', null],
    ])
    const bytes = topic.records.find((record) => record.topic === 'other')
    assert.deepEqual([bytes?.key, bytes?.value], [null, Buffer.from([0, 255])])
    assert.equal(running.snapshot().published, 4)
  })

  test('X7 · rows are deleted after the acknowledgement: a relay that dies in between repeats, with the same ids', async (t) => {
    const { db, path, commit, relay } = stage(t)
    const ids = commit({ topic: 'orders', key: 'a', value: '1' }, { topic: 'orders', key: 'a', value: '2' })
    const topic = new Topic()
    // Written, but the answer never comes: as far as the table knows, this relay is dead.
    const dying = sqliteOutbox({ path })
    const taken = await dying.take('dead', { leaseMs: 30, shardsMax: 4, rowsMax: 10, bytesMax: 1_000 })
    await topic.send(
      taken.flatMap(({ rows }) =>
        rows.map(({ topic: name, key, value, uid }) => ({
          topic: name,
          key,
          value,
          headers: [[OUTBOX_ID_HEADER, Buffer.from(uid)] as const],
        })),
      ),
    )
    await dying.close()
    await relay(topic)
    await until('the next one takes over', () => empty(db))
    assert.deepEqual(topic.values, ['1', '2', '1', '2'])
    assert.deepEqual(topic.records.map(idOf), [...ids, ...ids])
  })

  test('X7 · no broker: the relay says so, goes on trying, and recovers; nothing is lost or out of order', async (t) => {
    const { db, commit, relay } = stage(t)
    const topic = new Topic()
    topic.fail = () => new FanlaneError('DELIVERY_TIMEOUT', 'nobody answers', { retriable: true })
    commit(...Array.from({ length: 50 }, (_, at) => ({ topic: 'orders', key: `k${at % 3}`, value: `${at}` })))
    const running = await relay(topic)
    const told: string[] = []
    running.on('failing', (error) => told.push(`failing ${(error as FanlaneError).code}`))
    running.on('recovered', () => told.push('recovered'))
    const failing = await until('it is failing', () => {
      const now = running.snapshot()
      return now.state === 'failing' && now.failures >= 3 && now
    })
    assert.equal((failing.error as FanlaneError).code, 'DELIVERY_TIMEOUT')
    assert.equal(failing.pending, 50)
    assert.ok(failing.oldestAgeMs >= 0)
    topic.fail = () => null
    running.wake()
    await until('all are published', () => empty(db))
    await until('it is idle', () => running.snapshot().state === 'idle')
    assert.equal(running.snapshot().error, null)
    assert.deepEqual(told, ['failing DELIVERY_TIMEOUT', 'recovered'])
    for (const key of ['k0', 'k1', 'k2']) {
      const values = topic.records.filter((record) => String(record.key) === key).map(({ value }) => Number(value))
      assert.deepEqual(
        values,
        values.toSorted((one, other) => one - other),
      )
    }
  })

  test('X7 · a row that no broker takes holds back its key, and nobody else; deleted, the key goes on', async (t) => {
    const { db, commit, relay } = stage(t)
    const topic = new Topic()
    topic.fail = ({ value }) => (String(value) === 'poison' ? new FanlaneError('MESSAGE_TOO_LARGE', 'too large') : null)
    commit({ topic: 'orders', key: 'bad', value: 'poison' })
    const running = await relay(topic)
    const stuck = new Promise<unknown>((resolve) => running.on('stuck', resolve))
    await stuck
    commit({ topic: 'orders', key: 'bad', value: 'behind' })
    commit(...Array.from({ length: 64 }, (_, at) => ({ topic: 'orders', key: `good${at}`, value: 'good' })))
    running.wake()
    await until('the others are published', () => topic.records.length === 64)
    assert.ok(!topic.values.includes('behind'))
    assert.equal(running.snapshot().stuck.length, 1)
    db.exec("DELETE FROM fanlane_outbox WHERE value = CAST('poison' AS BLOB)")
    await until('the key goes on', () => topic.values.includes('behind'))
    await until('nothing is stuck', () => running.snapshot().stuck.length === 0)
  })

  test('X7 · two relays share the work; per key, first occurrences are in order', async (t) => {
    const { db, path, commit, relay } = stage(t)
    const topic = new Topic()
    const slow = (): RelayProducer => ({
      send: async (records) => {
        await new Promise((resolve) => setImmediate(resolve))
        return topic.send(records)
      },
    })
    const second = sqliteOutbox({ path })
    t.after(() => second.close())
    const relays = [await relay(slow()), await relay(slow(), { outbox: second })]
    for (let round = 0; round < 40; round++) {
      commit(...Array.from({ length: 10 }, (_, at) => ({ topic: 'o', key: `k${at}`, value: `${round}` })))
      for (const each of relays) each.wake()
      await new Promise((resolve) => setImmediate(resolve))
    }
    await until('all are published', () => empty(db))
    for (let key = 0; key < 10; key++) {
      const values = topic.records
        .filter((record) => String(record.key) === `k${key}`)
        .map(({ value }) => Number(value))
      assert.deepEqual(
        [...new Set(values)],
        Array.from({ length: 40 }, (_, at) => at),
      )
    }
    assert.ok(relays.every((each) => each.snapshot().failures === 0))
  })

  test('X7 · a round is bounded in rows and in bytes; one large row goes alone', async (t) => {
    const { outbox, commit } = stage(t)
    commit(...Array.from({ length: 30 }, () => ({ topic: 'o', key: 'same', value: 'x'.repeat(100) })))
    const limits = { leaseMs: 1_000, shardsMax: 4, rowsMax: 10, bytesMax: 1_000_000 }
    const [byRows] = await outbox.take('me', limits)
    assert.equal(byRows?.rows.length, 10)
    const [byBytes] = await outbox.take('me', { ...limits, bytesMax: 350 })
    assert.equal(byBytes?.rows.length, 3)
    const [alone] = await outbox.take('me', { ...limits, bytesMax: 1 })
    assert.equal(alone?.rows.length, 1)
    assert.deepEqual(await outbox.take('other', limits), [], 'a shard is with one relay at a time')
  })

  test('X7 · what cannot be published is refused where it is written', (t) => {
    const { db, outbox, path } = stage(t)
    const good = { topic: 'o', value: 'v' }
    assert.throws(() => outbox.write(db, good), { code: 'TRANSACTION_NEEDED' })
    db.exec('BEGIN')
    const bad: unknown[] = [
      null,
      {},
      { topic: '', value: 'v' },
      { topic: 'a b', value: 'v' },
      { topic: 'x'.repeat(250), value: 'v' },
      { topic: 'o' },
      { topic: 'o', value: { a: 1 } },
      { topic: 'o', value: 'v', key: 7 },
      { topic: 'o', value: 'v', partition: -1 },
      { topic: 'o', value: 'v', partition: 1.5 },
      { topic: 'o', value: 'v', headers: 'x' },
      { topic: 'o', value: 'v', headers: { a: 1 } },
      { topic: 'o', value: 'x'.repeat(1_000_001) },
    ]
    for (const record of bad) {
      assert.throws(() => outbox.write(db, record as OutboxRecord), { code: 'RECORD_INVALID' }, JSON.stringify(record))
    }
    assert.deepEqual(outbox.write(db, []), [])
    db.exec('COMMIT')
    assert.throws(() => sqliteOutbox({ path, table: 'x; --' }), { code: 'OPTION_INVALID' })
    assert.throws(() => sqliteOutbox({ path, recordBytesMax: 0 }), { code: 'OPTION_INVALID' })
  })

  test('X7 · options of the relay', async (t) => {
    const { outbox } = stage(t)
    const producer = new Topic()
    const refused = (options: unknown, code: string): Promise<void> =>
      assert.rejects(createRelay(options as RelayOptions), { code })
    await refused(null, 'OPTION_INVALID')
    await refused({}, 'OPTION_INVALID')
    await refused({ outbox: {} }, 'OPTION_INVALID')
    await refused({ outbox, producer, brokers: 'x:1' }, 'OPTION_CONTRADICTION')
    await refused({ outbox, producer, polMs: 1 }, 'OPTION_UNKNOWN')
    await refused({ outbox, producer, name: '' }, 'OPTION_INVALID')
    for (const pollMs of [0, -1, Number.NaN]) await refused({ outbox, producer, pollMs }, 'OPTION_INVALID')
  })

  test('X7 · closing ends the round under way; closed twice is closed; listeners that throw do no harm', async (t) => {
    const { db, commit, relay } = stage(t)
    const topic = new Topic()
    const running = await relay(topic)
    running.on('published', () => {
      throw new Error('a listener')
    })
    commit({ topic: 'o', key: 'a', value: '1' })
    await until('published', () => empty(db))
    commit({ topic: 'o', key: 'a', value: '2' })
    await until('published', () => empty(db))
    await Promise.all([running.close(), running.close()])
    assert.equal(running.snapshot().state, 'closed')
    commit({ topic: 'o', key: 'a', value: '3' })
    assert.deepEqual(topic.values, ['1', '2'])
  })
})
