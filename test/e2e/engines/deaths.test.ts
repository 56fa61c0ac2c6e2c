/** Every way in which a worker can die: its records are tried again, others are not touched, the guilty one is found. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { codeOf, type Deed, deeds, ledger, offsetsOf, stage } from './stage.ts'
import { KINDS, type Kind } from './support.ts'

interface Way {
  readonly deed: string
  readonly kinds: readonly Kind[]
  readonly says: RegExp
  readonly cause?: RegExp
  readonly memoryMb?: number
}

const ways: Readonly<Record<string, Way>> = {
  'calls process.exit': { deed: 'exit', kinds: KINDS, says: /exit code 7/ },
  'is killed with -9': { deed: 'kill', kinds: ['processes'], says: /SIGKILL/ },
  'throws where nobody catches': { deed: 'stray', kinds: KINDS, says: /nobody catches this/, cause: /nobody catches/ },
  'leaves a rejection to nobody': { deed: 'rejected', kinds: KINDS, says: /nobody catches this/ },
  'runs out of memory': { deed: 'memory', kinds: KINDS, says: /memory/, memoryMb: 48 },
}

const crowd = (count: number, value = 'ok'): Deed[] =>
  Array.from({ length: count }, (_, at) => ({ key: `crowd${at % 40}`, value }))

for (const [what, { deed, kinds, says, cause, memoryMb }] of Object.entries(ways)) {
  for (const kind of kinds) {
    test(`P1 R4 R5 · ${kind}: a record whose worker ${what}, each time, ends as a dead letter; the rest is done, in order`, async (t) => {
      const records = [...crowd(60), { key: 'bad', value: deed }, { key: 'bad', value: 'ok' }, ...crowd(60)]
      const engine = { kind, workers: 2, ...(memoryMb === undefined ? {} : { memoryMb }) }
      const { idle, letters, ended, consumer, topic, assertOrder } = await stage(t, kind, records, { engine })
      await idle()
      assert.deepEqual(
        letters.map((letter) => [letter.work.offset, letter.work.attempt, codeOf(letter)]),
        [[60, 3, 'WORKER_DIED']],
      )
      const error = letters[0]?.error as Error
      assert.match(error.message, says)
      if (cause !== undefined) assert.match((error.cause as Error).message, cause)
      assert.equal(ended().size, records.length - 1)
      assert.equal(consumer.snapshot().totals.exhausted, 1)
      assertOrder()
      assert.ok(ledger.of('start', { topic }).filter(({ offset }) => offset === 60).length === 3, 'three attempts')
    })
  }
}

for (const kind of KINDS) {
  describe(`workers that die: ${kind}`, { timeout: 240_000 }, () => {
    test(`P1 I8 · ${kind}: a handler that blocks longer than handlerTimeoutMs loses its worker; it has ended before it is tried again`, async (t) => {
      const records = [...crowd(20), { key: 'bad', value: 'block' }, ...crowd(20)]
      const { idle, letters, ended, notes } = await stage(t, kind, records, {
        handlerTimeoutMs: 200,
        retry: { attempts: 2, initialMs: 1 },
      })
      await idle()
      assert.deepEqual(
        letters.map((letter) => [letter.work.offset, codeOf(letter)]),
        [[20, 'WORKER_BLOCKED']],
      )
      assert.match(String(letters[0]?.error), /handlerTimeoutMs \(200\)/)
      assert.equal(ended().size, 40)
      const deaths = notes.lines.filter(({ message }) => message.startsWith('a worker died'))
      assert.deepEqual(
        deaths.map(({ fields }) => fields.blocked),
        [true, true],
      )
    })

    test(`P1 R5 · ${kind}: in a crowd that waits, the guilty one is found, and no innocent is lost on its last attempt`, async (t) => {
      const records = deeds(...Array.from({ length: 60 }, (_, at) => (at === 33 ? 'stray' : 'slow')))
      const { idle, letters, ended } = await stage(t, kind, records, { retry: { attempts: 1 } })
      await idle()
      assert.deepEqual(offsetsOf(letters), [33])
      assert.equal(codeOf(letters[0] as never), 'WORKER_DIED')
      assert.equal(ended().size, 59)
    })

    test(`P1 R5 · ${kind}: of a batch, the record that kills its worker is found; the others are done`, async (t) => {
      const records = deeds(...Array.from({ length: 30 }, (_, at) => (at === 17 ? 'exit' : 'ok')))
      const { idle, letters, ended } = await stage(t, kind, records, {
        batch: { max: 10, min: 10, by: 'any' },
        retry: { attempts: 2, initialMs: 1 },
      })
      await idle()
      assert.deepEqual(offsetsOf(letters), [17])
      assert.equal(ended().size, 29)
    })

    test(`P1 I1 · ${kind}: at-most-once stays at most once when workers die`, async (t) => {
      const records = deeds(...Array.from({ length: 40 }, (_, at) => (at % 10 === 5 ? 'exit' : 'ok')))
      const { idle, topic } = await stage(t, kind, records, { delivery: 'at-most-once', retry: { attempts: 1 } })
      await idle()
      const starts = ledger.of('start', { topic }).map(({ offset }) => offset)
      assert.equal(new Set(starts).size, starts.length, 'nothing started twice')
    })

    test(`P1 · ${kind}: a worker that dies once costs one attempt of one record, and its deferred one is told too`, async (t) => {
      const { idle, letters, retries, ended } = await stage(t, kind, deeds('exitOnce', 'ok'))
      await idle()
      assert.deepEqual(letters, [])
      assert.deepEqual(
        retries.map((retry) => [retry.work.offset, retry.work.attempt, codeOf(retry)]),
        [[0, 1, 'WORKER_DIED']],
      )
      assert.equal(ended().size, 2)
      const deferred = await stage(t, kind, deeds('deferExit'), { retry: { attempts: 2, initialMs: 1 } })
      await deferred.idle()
      assert.deepEqual(deferred.letters.map(codeOf), ['WORKER_DIED'])
    })
  })
}
