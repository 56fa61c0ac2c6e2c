/** The checks of a dedup store on the two that need no server, and what is special about each. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { memoryDedup } from '../../../src/stores/memory.ts'
import { postgresDedup, postgresOnce } from '../../../src/stores/postgres.ts'
import { recordId } from '../../../src/stores/record-id.ts'
import { redisDedup } from '../../../src/stores/redis.ts'
import { sqliteDedup, sqliteOnce } from '../../../src/stores/sqlite.ts'
import { dedupStoreChecks } from '../../../src/testing/index.ts'

const directory = mkdtempSync(join(tmpdir(), 'fanlane-stores-'))
after(() => rmSync(directory, { recursive: true, force: true }))

describe('the dedup store in memory', () => {
  const store = memoryDedup()
  for (const { name, run } of dedupStoreChecks(() => store)) test(`R8 · memory: ${name}`, run)

  test('R8 · memory: at its bound the oldest done ids are forgotten first, claims never', async () => {
    const small = memoryDedup({ idsMax: 3 })
    await small.begin(['claimed'], { owner: 'one', ms: 60_000 })
    await small.done(['a', 'b', 'c'])
    await small.done(['a'])
    await small.done(['d'])
    assert.equal(small.size, 3)
    const answers = await small.begin(['a', 'b', 'c', 'd', 'claimed'], { owner: 'two', ms: 60_000 })
    assert.deepEqual(answers, ['done', 'new', 'done', 'done', 'taken'])
  })

  test('R8 · memory: claims that lapsed do not pile up', async () => {
    let nowMs = 0
    const small = memoryDedup({ idsMax: 2, clock: { now: () => nowMs } })
    await small.begin(['a', 'b', 'c'], { owner: 'crashed', ms: 10 })
    nowMs = 11
    assert.deepEqual(await small.begin(['d'], { owner: 'one', ms: 10 }), ['new'])
    await small.release(['a', 'b', 'c'], 'crashed')
    assert.deepEqual(await small.begin(['a'], { owner: 'one', ms: 10 }), ['new'])
  })
})

describe('the dedup store in SQLite', () => {
  const path = join(directory, 'dedup.db')
  const store = sqliteDedup({ path })
  after(() => store.close())
  const another = (): ReturnType<typeof sqliteDedup> => sqliteDedup({ path })
  for (const { name, run } of dedupStoreChecks(() => store, { another })) test(`R8 · SQLite: ${name}`, run)

  test('R8 · SQLite: ids are forgotten after keepMs', async () => {
    const brief = sqliteDedup({ path: join(directory, 'brief.db'), keepMs: 1 })
    await brief.done(['a'])
    const end = performance.now() + 10_000
    while ((await brief.begin(['a'], { owner: 'one', ms: 60_000 }))[0] !== 'new') assert.ok(performance.now() < end)
    await brief.close()
    await brief.close()
    await assert.rejects(brief.begin(['a'], { owner: 'one', ms: 1 }), /not open/)
  })

  test('R8 · SQLite: once is once, and only if the transaction commits', () => {
    const db = new DatabaseSync(join(directory, 'app.db'))
    const once = sqliteOnce()
    once.createTable(db)
    once.createTable(db)
    db.exec('CREATE TABLE account (balance INTEGER); INSERT INTO account VALUES (0)')
    const apply = (id: string, end: 'COMMIT' | 'ROLLBACK'): boolean => {
      db.exec('BEGIN IMMEDIATE')
      const first = once.once(db, id)
      if (first) db.exec('UPDATE account SET balance = balance + 1')
      db.exec(end)
      return first
    }
    assert.equal(apply('a', 'ROLLBACK'), true)
    assert.equal(apply('a', 'COMMIT'), true)
    assert.equal(apply('a', 'COMMIT'), false)
    assert.equal(apply('b', 'COMMIT'), true)
    assert.deepEqual({ ...db.prepare('SELECT balance FROM account').get() }, { balance: 2 })
    assert.throws(() => once.once(db, 'c'), { code: 'TRANSACTION_NEEDED' })
    assert.throws(() => once.once(db, ''), { code: 'DEDUP_ID_INVALID' })
    assert.equal(once.prune(db, 60_000), 0)
    db.exec('UPDATE fanlane_once SET at = at - 120000')
    assert.equal(once.prune(db, 60_000), 2)
    db.close()
  })
})

describe('options of stores', () => {
  test('R8 · what is wrong is refused when the store is made', () => {
    assert.throws(() => memoryDedup({ idsMax: 0 }), { code: 'OPTION_INVALID', option: 'idsMax' })
    assert.throws(() => memoryDedup({ idsMax: Number.NaN }), { code: 'OPTION_INVALID' })
    assert.throws(() => sqliteDedup({ path: '' }), { code: 'OPTION_INVALID', option: 'path' })
    for (const table of ['a; DROP TABLE b', '', 'a.b.c', '1a', 'x'.repeat(80), '"a"']) {
      assert.throws(() => sqliteDedup({ path: ':memory:', table }), { code: 'OPTION_INVALID', option: 'table' })
      assert.throws(() => postgresOnce({ table }), { code: 'OPTION_INVALID', option: 'table' })
    }
    for (const keepMs of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.throws(() => sqliteDedup({ path: ':memory:', keepMs }), { code: 'OPTION_INVALID', option: 'keepMs' })
    }
    assert.throws(() => redisDedup({}), { code: 'OPTION_INVALID', option: 'client' })
    assert.throws(() => postgresDedup({}), { code: 'OPTION_INVALID', option: 'pool' })
  })

  test('R8 · the default id tells another record at the same offset apart', () => {
    const at = { topic: 'orders', partition: 3, offset: 41, timestamp: 1_700_000_000_000 }
    assert.equal(recordId('billing', at), 'billing/orders/3/41/1700000000000')
    assert.notEqual(recordId('billing', at), recordId('billing', { ...at, timestamp: at.timestamp + 1 }))
    assert.notEqual(recordId('billing', at), recordId('shipping', at))
  })
})
