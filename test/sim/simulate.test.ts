import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { simulate } from '../../src/testing/index.ts'

describe('simulate()', () => {
  test('I1 I3 · a user’s handler under all faults: every record at least once, each key in order', async () => {
    const seen = new Map<string, number[]>()
    const report = await simulate({
      seed: 42,
      records: 300,
      keys: 20,
      faults: 'all',
      input: (index) => ({ key: `customer-${index % 20}`, value: String(index) }),
      consume: {
        order: 'key',
        handle: async (record, _ctx, time) => {
          await time.sleep(5)
          const key = String(record.key)
          seen.set(key, [...(seen.get(key) ?? []), Number(record.value)])
        },
      },
    })
    assert.ok(report.events > 100)
    // First appearances are in order; repeats may come after a crash.
    for (const [key, values] of seen) {
      const firsts = [...new Set(values)]
      assert.deepEqual(
        firsts,
        [...firsts].sort((a, b) => a - b),
        key,
      )
    }
  })

  test('a handler that loses records is found, and the seed is in the message', async () => {
    // It waits in real time: simulated time goes by, and nothing ever finishes.
    const promise = simulate({
      seed: 7,
      records: 5,
      faults: 'none',
      consume: { handle: () => new Promise(() => undefined) },
    })
    await assert.rejects(promise, (error: Error & { code?: string }) => {
      assert.equal(error.code, 'SIMULATION_FAILED')
      assert.match(error.message, /seed 7: I7/)
      return true
    })
  })

  test('the same seed is the same run', async () => {
    const run = () => simulate({ seed: 3, records: 50, consume: { handle: async (_r, _c, time) => time.sleep(3) } })
    assert.deepEqual(await run(), await run())
  })
})
