/** What an admin's errors say, and which options it does not take. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AdminError, settled } from '../../../src/admin/index.ts'
import { createAdmin } from '../../../src/create-admin.ts'
import { FanlaneError, OptionError } from '../../../src/errors.ts'

const failure = (name: string, code: string, retriable = false) => ({
  name,
  error: new FanlaneError(code, `${name} failed with ${code}.`, { retriable }),
})

describe('AdminError', () => {
  test('one failure: its own code and message', () => {
    const error = new AdminError('CreateTopics', [failure('a', 'TOPIC_ALREADY_EXISTS')], ['b'])
    assert.equal(error.code, 'TOPIC_ALREADY_EXISTS')
    assert.equal(error.message, 'a failed with TOPIC_ALREADY_EXISTS.')
    assert.ok(error instanceof FanlaneError && !error.retriable)
  })

  test('several: counted, and no more shown than can be read', () => {
    const failures = ['a', 'b', 'c', 'd', 'e'].map((name) => failure(name, 'TIMEOUT', true))
    const error = new AdminError('ListOffsets', failures, ['f'])
    assert.deepEqual([error.code, error.retriable, error.failures.length], ['TIMEOUT', true, 5])
    assert.equal(
      error.message,
      '5 of 6 failed in ListOffsets. a failed with TIMEOUT. b failed with TIMEOUT. c failed with TIMEOUT. And 2 more, see failures.',
    )
    assert.equal(new AdminError('X', [failure('a', 'A'), failure('b', 'B')], []).code, 'SEVERAL_FAILURES')
  })

  test('settled() gives both halves, and throws what is something else', async () => {
    const failures = [failure('a', 'A')]
    assert.deepEqual(await settled(Promise.resolve([1])), { results: [1], failures: [] })
    assert.deepEqual(await settled(Promise.reject(new AdminError('X', failures, [2]))), { results: [2], failures })
    await assert.rejects(settled(Promise.reject(new Error('else'))), /else/)
  })
})

describe('createAdmin', () => {
  test('options that are unknown or wrong are refused by name, with what was meant', async () => {
    const refused = async (options: object, option: string, message: RegExp) => {
      await assert.rejects(createAdmin(options as never), (error) => {
        assert.ok(error instanceof OptionError)
        assert.equal(error.option, option)
        assert.match(error.message, message)
        assert.doesNotMatch(error.message, /hunter2/)
        return true
      })
    }
    await refused({ broker: 'a:1' }, 'broker', /Did you mean 'brokers'\?/)
    await refused({ brokers: [] }, 'brokers', /must be a non-empty string, or a list with at least one entry/)
    await refused({ brokers: 'a:1', timeoutMs: Number.NaN }, 'timeoutMs', /whole number from 1/)
    await refused({ client: { clientID: 'x' } }, 'client.clientID', /Did you mean 'client\.clientId'\?/)
    await refused({ client: { sasl: 'hunter2' } }, 'client.sasl', /must be \{ mechanism, username, password \}/)
    await refused({ brokers: 'a:1', client: { sasl: { mechanism: 'hunter2' } } }, 'sasl.mechanism', /one of plain/)
    await refused({ brokers: 'a:99999' }, 'brokers', /a:99999/)
    await refused(Object.create({ nonsense: 1 }), 'nonsense', /Known options: brokers, timeoutMs, client/)
  })
})
