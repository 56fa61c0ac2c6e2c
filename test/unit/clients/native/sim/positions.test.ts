import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { lease, Script } from './script.ts'

describe('reading positions', () => {
  test('a pending transaction is waited out, a moved coordinator found, silence repeated', async () => {
    const script = new Script()
    await script.start()
    script.reply('OffsetFetch', 'UNSTABLE_OFFSET_COMMIT', 'silence', 'UNSTABLE_OFFSET_COMMIT')
    const before = script.count('OffsetFetch')
    const starts = await script.during(script.client.readPositions([lease(0, 10)]))
    assert.equal(starts.length, 1)
    assert.equal(script.count('OffsetFetch') - before, 4)
    assert.equal(script.last('OffsetFetch').requireStable, true)
  })

  test('one that is given up meanwhile is not waited for', async () => {
    const script = new Script()
    await script.start()
    script.reply('OffsetFetch', 'UNSTABLE_OFFSET_COMMIT')
    const reading = script.client.readPositions([lease(0, 10)])
    await script.until(() => script.count('OffsetFetch') === 2)
    script.client.rejoin()
    assert.deepEqual(await script.during(reading), [])
  })
})
