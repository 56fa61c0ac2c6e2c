/** What a handler may do, on the other side of the wall: the same as on this one. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { json, PermanentError, text } from '../../../src/index.ts'
import type { MemoryLog } from '../../../src/testing/index.ts'
import { until } from '../../support/wait.ts'
import { codeOf, deeds, stage } from './stage.ts'
import { handlerFile, KINDS } from './support.ts'

const sorted = (log: MemoryLog): string[] =>
  log
    .records('out', 0)
    .map(({ value }) => String(value))
    .sort()

for (const kind of KINDS) {
  describe(`the context of a handler: ${kind}`, { timeout: 240_000 }, () => {
    test(`P1 R3 · ${kind}: send, defer, attempt and log work across the wall`, async (t) => {
      const records = deeds('send a', 'defer', 'deferFail', 'log', 'retryable', 'ok')
      const { idle, log, notes, letters, retries, consumer } = await stage(t, kind, records)
      await idle()
      const sent = log.records('out', 0).map(({ key, value, headers }) => [String(key), String(value), headers[0]?.key])
      assert.deepEqual(sent, [['k', 'a 1', 'source']])
      assert.deepEqual(
        letters.map(({ work, error }) => [work.offset, (error as Error).message]),
        [[2, 'later, but no']],
      )
      assert.deepEqual(
        retries.map(({ work }) => [work.offset, work.attempt]),
        [
          [4, 1],
          [4, 2],
        ],
      )
      const lines = notes.lines.filter(({ message }) => message.startsWith('line '))
      assert.deepEqual(
        lines.map(({ level, fields, message }) => [level, fields.line, message, fields.error instanceof TypeError]),
        [1, 2, 3].map((line) => ['info', line, `line ${line}`, true]),
      )
      assert.equal(consumer.snapshot().totals.done, 5)
    })

    test(`P1 R4 · ${kind}: errors keep their class, code, cause and fields, so that retries are judged by them`, async (t) => {
      const seen: unknown[] = []
      const { idle, letters } = await stage(t, kind, deeds('permanent', 'own', 'text'), {
        retry: {
          attempts: 2,
          initialMs: 1,
          isPermanent: (error) => {
            seen.push(error)
            return (error as { readonly code?: unknown }).code === 'E_OWN'
          },
        },
      })
      await idle()
      const by = new Map(letters.map((letter) => [letter.work.offset as number, letter]))
      const permanent = by.get(0)?.error
      assert.ok(permanent instanceof PermanentError)
      assert.equal(permanent.code, 'E_PERMANENT')
      assert.ok(permanent.cause instanceof TypeError)
      assert.match(permanent.stack ?? '', /deeds\.ts/)
      assert.equal(by.get(0)?.work.attempt, 1)
      const own = by.get(1)?.error as Error & { readonly detail: unknown }
      assert.deepEqual([own.name, own.message, own.detail], ['OwnError', 'mine', { deep: [1, 2n] }])
      assert.equal(by.get(1)?.work.attempt, 1, 'isPermanent was asked')
      assert.equal(by.get(2)?.error, 'only text')
      assert.ok(!seen.includes(permanent), 'a PermanentError needs no question')
    })

    test(`P1 R7 · ${kind}: a skip reaches the signal of a running handler, and a close does not wait for a deaf one`, async (t) => {
      const { consumer, notes } = await stage(t, kind, deeds('wait', 'deaf'), { closeMs: 300, drainMs: 100 })
      await until('both run', () => consumer.snapshot().partitions[0]?.inFlight === 2)
      await consumer.skip({ topic: consumer.snapshot().partitions[0]?.topic ?? '', partition: 0, offset: 0 })
      await until('the first is skipped', () => consumer.snapshot().totals.skipped === 1)
      await consumer.close()
      assert.deepEqual(
        notes.lines.filter(({ level }) => level === 'error'),
        [],
      )
    })

    test(`P1 · ${kind}: an async handler over handlerTimeoutMs is told by its signal, and its worker lives`, async (t) => {
      const { idle, letters, dead } = await stage(t, kind, deeds('wait', 'ok'), {
        handlerTimeoutMs: 100,
        retry: { attempts: 1 },
      })
      await idle()
      assert.deepEqual(letters.map(codeOf), ['ABORTED_TIMEOUT'])
      assert.deepEqual(dead(), [])
    })

    test(`P1 P8 · ${kind}: text() and json() are made again in the worker; a module brings its own codecs`, async (t) => {
      const values = ['{"n":1}', 'not json']
      const described = await stage(t, kind, deeds(...values), {
        handler: handlerFile('decoded'),
        decode: { key: text(), value: json() },
      })
      await described.idle()
      assert.deepEqual(sorted(described.log), ['string k0 {"n":1}'])
      assert.deepEqual(described.letters.map(codeOf), ['DECODE_FAILED'])
      const own = await stage(t, kind, deeds(...values), { handler: handlerFile('decoding') })
      await own.idle()
      assert.deepEqual(sorted(own.log), ['object k0 "own 7"', 'object k1 "own"'])
    })
  })
}

test('P1 · the async engine runs handler modules too, with their codecs, and engines can be exchanged', async (t) => {
  const { idle, log, letters } = await stage(t, 'threads', deeds('{"n":1}', 'not json'), {
    engine: 'async',
    handler: handlerFile('decoding'),
  })
  await idle()
  assert.deepEqual(sorted(log), ['object k0 "own 7"', 'object k1 "own"'])
  assert.deepEqual(letters, [])
})
