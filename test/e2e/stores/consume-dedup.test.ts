/** consume({ dedup }) on a log in memory: what runs, what does not, and what is remembered. */
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { consume } from '../../../src/consume.ts'
import { text } from '../../../src/consumer/codecs.ts'
import type { Consumer } from '../../../src/consumer/consumer.ts'
import type { ConsumeOptions } from '../../../src/consumer/options.ts'
import { OptionError, PermanentError } from '../../../src/errors.ts'
import type { DedupStore } from '../../../src/ports/dedup.ts'
import { type MemoryDedup, memoryDedup } from '../../../src/stores/memory.ts'
import { MemoryLog } from '../../../src/testing/index.ts'
import { until, within } from '../../support/wait.ts'
import { notebook } from '../support.ts'

function logWith(values: readonly string[], partitions = 1): MemoryLog {
  const log = new MemoryLog({ t: partitions, 't.dlq': 1, out: 1 })
  for (const value of values) log.append('t', { key: value, value })
  return log
}

async function start(
  t: TestContext,
  log: MemoryLog,
  options: Partial<ConsumeOptions<string, string>>,
): Promise<Consumer> {
  const consumer = await consume<string, string>({
    log,
    group: 'g',
    topics: ['t'],
    decode: { key: text(), value: text() },
    logger: notebook(),
    retry: { attempts: 2, initialMs: 1 },
    ...options,
  })
  t.after(() => consumer.close())
  return consumer
}

const seekToStart = (consumer: Consumer): Promise<void> => consumer.seek({ topic: 't', partition: 0, offset: 0 })

describe('consume with a dedup store', () => {
  test('R8 · a record that comes again is not run again, in this group; another group has its own', async (t) => {
    const log = logWith(['a', 'b', 'c'])
    const store = memoryDedup()
    const run: string[] = []
    const handle = ({ value }: { value: string | null }): void => {
      run.push(String(value))
    }
    const consumer = await start(t, log, { dedup: store, handle })
    await within('idle', consumer.idle())
    await seekToStart(consumer)
    log.append('t', { key: 'd', value: 'd' })
    await within('idle', consumer.idle())
    assert.deepEqual(run.toSorted(), ['a', 'b', 'c', 'd'])
    const other = await start(t, log, { group: 'other', dedup: store, handle })
    await within('idle', other.idle())
    assert.equal(run.length, 8)
  })

  test('R8 · idOf: what a producer wrote twice runs once, wherever it is', async (t) => {
    const log = new MemoryLog({ t: 4 })
    for (let copy = 0; copy < 3; copy++) {
      for (let n = 0; n < 20; n++) log.append('t', { key: `key-${copy}-${n}`, value: `order-${n}` })
    }
    const run: string[] = []
    const consumer = await start(t, log, {
      dedup: { store: memoryDedup(), idOf: ({ value }) => String(value) },
      handle: async ({ value }) => {
        run.push(String(value))
        await new Promise((resolve) => setImmediate(resolve))
      },
    })
    await within('idle', consumer.idle())
    assert.equal(run.length, 20)
    assert.equal(new Set(run).size, 20)
    assert.equal(consumer.snapshot().totals.done, 60)
  })

  test('R8 R5 · failures are tried again; a record that fails for good is dead-lettered and never marked', async (t) => {
    const log = logWith(['fine', 'flaky', 'bad'])
    const store = memoryDedup()
    const run: string[] = []
    const consumer = await start(t, log, {
      dedup: { store, idOf: ({ value }) => String(value) },
      handle: ({ value }, { attempt }) => {
        run.push(`${value} ${attempt}`)
        if (value === 'flaky' && attempt === 1) throw new Error('not yet')
        if (value === 'bad') throw new PermanentError('never')
      },
    })
    await within('idle', consumer.idle())
    assert.deepEqual(run.toSorted(), ['bad 1', 'fine 1', 'flaky 1', 'flaky 2'])
    assert.equal(log.records('t.dlq', 0).length, 1)
    const answers = await store.begin(['fine', 'flaky', 'bad'], { owner: 'test', ms: 1 })
    assert.deepEqual(answers, ['done', 'done', 'new'])
  })

  test('R8 · idOf that throws, or returns no id: that record fails for good, with a code', async (t) => {
    const log = logWith(['throws', 'empty', 'number', 'promise', 'long', 'nul', 'half', 'fine'])
    const answers: Record<string, unknown> = {
      empty: '',
      number: 7,
      long: 'ü'.repeat(600),
      nul: 'a\0b',
      half: '\ud800',
      fine: 'fine',
    }
    const run: string[] = []
    const consumer = await start(t, log, {
      dedup: {
        store: memoryDedup(),
        idOf: ({ value }) => {
          if (value === 'throws') throw new Error('no id')
          if (value === 'promise') return Promise.reject(new Error('late')) as unknown as string
          return answers[String(value)] as string
        },
      },
      handle: ({ value }) => {
        run.push(String(value))
      },
    })
    await within('idle', consumer.idle())
    assert.deepEqual(run, ['fine'])
    const codes = log
      .records('t.dlq', 0)
      .map(({ headers }) => String(headers.find(({ key }) => key === 'fanlane-error-code')?.value))
    assert.deepEqual(new Set(codes), new Set(['DEDUP_ID_INVALID']))
    assert.equal(codes.length, 7)
  })

  test('R8 · what handlers send is written before the record is marked, and once', async (t) => {
    const log = logWith(['a', 'b', 'c'])
    const store = memoryDedup()
    const consumer = await start(t, log, {
      dedup: store,
      handle: async ({ value }, ctx) => {
        await ctx.send({ topic: 'out', key: 'k', value: `out-${value}` })
      },
    })
    await within('idle', consumer.idle())
    assert.equal(store.size, 3)
    await seekToStart(consumer)
    await within('idle', consumer.idle())
    assert.deepEqual(
      log
        .records('out', 0)
        .map(({ value }) => String(value))
        .toSorted(),
      ['out-a', 'out-b', 'out-c'],
    )
  })

  test('R8 · batches and deferred records', async (t) => {
    const log = logWith(['a', 'b', 'c', 'd'])
    const store = memoryDedup()
    const batches: string[] = []
    const first = await start(t, log, {
      dedup: store,
      handleBatch: (records, ctx) => {
        for (const { value } of records) batches.push(String(value))
        const [bad] = records.filter(({ value }) => value === 'c')
        if (bad !== undefined && batches.filter((value) => value === 'c').length === 1) ctx.fail(bad, new Error('once'))
      },
      batch: { max: 4, by: 'any' },
    })
    await within('idle', first.idle())
    await seekToStart(first)
    await within('idle', first.idle())
    assert.deepEqual(batches.toSorted(), ['a', 'b', 'c', 'c', 'd'])
    await first.close()
    let deferred = 0
    const second = await start(t, log, {
      group: 'deferring',
      dedup: store,
      handle: (_, ctx) => {
        deferred++
        const later = ctx.defer()
        setImmediate(() => later.done())
      },
    })
    await within('idle', second.idle())
    await seekToStart(second)
    await within('idle', second.idle())
    assert.equal(deferred, 4)
  })

  test('R8 · the store is down for a while: nothing runs, nothing is lost, no dead letters, and it is said', async (t) => {
    const log = logWith(Array.from({ length: 300 }, (_, at) => `v${at}`))
    const memory = memoryDedup()
    let isDown = true
    const store: DedupStore = {
      begin: async (ids, claim) => (isDown ? refuse() : memory.begin(ids, claim)),
      done: async (ids) => (isDown ? refuse() : memory.done(ids)),
      release: async (ids, owner) => (isDown ? refuse() : memory.release(ids, owner)),
    }
    const errors: unknown[] = []
    const run: string[] = []
    const consumer = await start(t, log, {
      dedup: store,
      concurrency: 20,
      handlerTimeoutMs: 50,
      handle: ({ value }) => {
        run.push(String(value))
        if (run.length === 150) isDown = true
      },
    })
    consumer.on('error', (error) => errors.push((error as { code?: string }).code))
    await until('it is said', () => errors.length >= 2)
    assert.equal(run.length, 0)
    isDown = false
    await until('it goes down again', () => run.length >= 150)
    const seen = errors.length
    await until('it is said again', () => errors.length > seen)
    isDown = false
    await within('idle', consumer.idle())
    assert.equal(new Set(run).size, 300)
    assert.equal(run.length, 300, 'what was done while the store was down is marked when it is back')
    assert.equal(log.records('t.dlq', 0).length, 0)
    assert.equal(consumer.snapshot().totals.retries, 0)
    assert.deepEqual(new Set(errors), new Set(['DEDUP_STORE_FAILED']))
  })

  test('R8 I12 · closing while the store does not answer: it ends in time, and nothing starts afterwards', async (t) => {
    const log = logWith(['a', 'b'])
    const gate = Promise.withResolvers<void>()
    const memory = memoryDedup()
    const run: string[] = []
    const consumer = await start(t, log, {
      dedup: {
        begin: (ids, claim) => gate.promise.then(() => memory.begin(ids, claim)),
        done: (ids) => memory.done(ids),
        release: (ids, owner) => memory.release(ids, owner),
      },
      closeMs: 100,
      handle: ({ value }) => {
        run.push(String(value))
      },
    })
    await until('the store is asked', () => consumer.snapshot().engine.running === 2)
    await within('closed', consumer.close())
    gate.resolve()
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(run.length, 0)
    const second = await start(t, log, {
      dedup: memory,
      handle: ({ value }) => {
        run.push(String(value))
      },
    })
    await within('idle', second.idle())
    assert.deepEqual(run.toSorted(), ['a', 'b'], 'claims were given back: nobody waits for them')
  })

  test('R8 · options: what contradicts, and what is no store', async () => {
    const log = logWith([])
    const base = { log, group: 'g', topics: ['t'], handle: () => undefined }
    const store: MemoryDedup = memoryDedup()
    const refused = async (options: object, code: string): Promise<void> => {
      await assert.rejects(consume({ ...base, ...options } as ConsumeOptions), (error) => {
        assert.ok(error instanceof OptionError)
        assert.equal(error.code, code)
        return true
      })
    }
    await refused({ dedup: store, delivery: 'exactly-once' }, 'OPTION_CONTRADICTION')
    await refused({ dedup: store, delivery: 'at-most-once' }, 'OPTION_CONTRADICTION')
    for (const dedup of [{}, true, 'redis://x', { begin: () => undefined }, { store: {} }, { store, idOf: 'id' }]) {
      await refused({ dedup }, 'OPTION_INVALID')
    }
    for (const claimMs of [0, 99, -1, Number.NaN]) await refused({ dedup: { store, claimMs } }, 'OPTION_INVALID')
    await refused({ dedup: { store, claim: 1 } }, 'OPTION_INVALID')
  })
})

function refuse(): Promise<never> {
  return Promise.reject(new Error('connection refused'))
}
