/** The dedup store in a real PostgreSQL, and ids inside the user's own transactions. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { postgresDedup, postgresOnce } from '../../../src/stores/postgres.ts'
import { dedupStoreChecks } from '../../../src/testing/index.ts'
import { within } from '../../support/wait.ts'
import { onPostgres } from './servers.ts'

await onPostgres((url) => {
  const pool = new pg.Pool({ connectionString: url, max: 20 })
  const store = postgresDedup({ pool })
  after(async () => {
    await store.close()
    await pool.query('SELECT 1')
    await pool.end()
  })
  const another = (): ReturnType<typeof postgresDedup> => postgresDedup({ url })
  for (const { name, run } of dedupStoreChecks(() => store, { another })) test(`R8 · PostgreSQL: ${name}`, run)

  test('R8 · PostgreSQL: many who make the table at the same time', async () => {
    const table = 'made_at_once'
    const stores = Array.from({ length: 8 }, () => postgresDedup({ pool, table }))
    const answers = await Promise.all(stores.map((each, at) => each.begin(['a'], { owner: `${at}`, ms: 60_000 })))
    assert.equal(answers.filter(([answer]) => answer === 'new').length, 1)
  })

  test('R8 · PostgreSQL: ids are forgotten after keepMs', async () => {
    const brief = postgresDedup({ pool, table: 'brief', keepMs: 1 })
    await brief.done(['a'])
    const end = performance.now() + 10_000
    while ((await brief.begin(['a'], { owner: 'one', ms: 60_000 }))[0] !== 'new') assert.ok(performance.now() < end)
  })

  test('R8 · PostgreSQL: without the table, or without a server: an error, and it works when it is there', async () => {
    const bare = postgresDedup({ pool, table: 'later', createTable: false })
    await assert.rejects(bare.begin(['a'], { owner: 'one', ms: 1_000 }), { code: '42P01' })
    await pool.query('CREATE TABLE later (id text PRIMARY KEY, owner text, until timestamptz NOT NULL)')
    assert.deepEqual(await bare.begin(['a'], { owner: 'one', ms: 1_000 }), ['new'])
    const lost = postgresDedup({ url: 'postgres://nobody@127.0.0.1:1/none' })
    await assert.rejects(lost.begin(['a'], { owner: 'one', ms: 1_000 }), { code: 'ECONNREFUSED' })
    await lost.close()
  })

  test('R8 · PostgreSQL: once is once, and only if the transaction commits', async () => {
    const once = postgresOnce()
    await once.createTable(pool)
    await once.createTable(pool)
    const client = await pool.connect()
    const apply = async (id: string, end: 'COMMIT' | 'ROLLBACK'): Promise<boolean> => {
      await client.query('BEGIN')
      const first = await once.once(client, id)
      await client.query(end)
      return first
    }
    assert.equal(await apply('a', 'ROLLBACK'), true)
    assert.equal(await apply('a', 'COMMIT'), true)
    assert.equal(await apply('a', 'COMMIT'), false)
    await assert.rejects(once.once(pool, 'b'), { code: 'TRANSACTION_NEEDED' })
    await assert.rejects(once.once(client, ''), { code: 'DEDUP_ID_INVALID' })
    assert.equal(await once.prune(pool, 60_000), 0)
    await pool.query("UPDATE fanlane_once SET at = at - interval '2 minutes'")
    assert.equal(await once.prune(pool, 60_000), 1)
    client.release()
  })

  test('R8 · PostgreSQL: two transactions with one id: the second waits, and hears what became of the first', async () => {
    const once = postgresOnce({ table: 'waited' })
    await once.createTable(pool)
    const [one, two] = await Promise.all([pool.connect(), pool.connect()])
    for (const [end, expected] of [
      ['COMMIT', false],
      ['ROLLBACK', true],
    ] as const) {
      await one.query('BEGIN')
      await two.query('BEGIN')
      assert.equal(await once.once(one, end), true)
      const second = once.once(two, end)
      await one.query(end)
      assert.equal(await within('the second is told', second), expected)
      await two.query('ROLLBACK')
    }
    one.release()
    two.release()
  })
})
