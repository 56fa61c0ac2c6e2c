/** The dedup store in a real Redis. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Redis } from 'ioredis'
import { redisDedup } from '../../../src/stores/redis.ts'
import { dedupStoreChecks } from '../../../src/testing/index.ts'
import { onRedis } from './servers.ts'

await onRedis((url) => {
  const client = new Redis(url)
  const store = redisDedup({ client, keepMs: 600_000 })
  after(async () => {
    await store.close()
    assert.equal(client.status, 'ready', 'a client that was given is left alone')
    client.disconnect()
  })
  const another = (): ReturnType<typeof redisDedup> => redisDedup({ url, keepMs: 600_000 })
  for (const { name, run } of dedupStoreChecks(() => store, { another })) test(`R8 · Redis: ${name}`, run)

  test('R8 · Redis: every key has an end, claims and done ids alike', async () => {
    const own = redisDedup({ client, prefix: 'ends:', keepMs: 5_000 })
    await own.begin(['a', 'b'], { owner: 'one', ms: 3_000 })
    await own.done(['b'])
    const [claimed, done] = [await client.pttl('ends:a'), await client.pttl('ends:b')]
    assert.ok(claimed > 0 && claimed <= 3_000, String(claimed))
    assert.ok(done > 3_000 && done <= 5_000, String(done))
  })

  test('R8 · Redis: nobody there: an error within a short time, not a hang', async () => {
    const lost = redisDedup({ url: 'redis://127.0.0.1:1' })
    await assert.rejects(lost.begin(['a'], { owner: 'one', ms: 1_000 }))
    await assert.rejects(lost.done(['a']))
    await lost.close()
  })
})
