/** Options are refused before anything starts: with a code to branch on, the option's name, and what to write instead. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { json, text } from '../../src/consumer/codecs.ts'
import { toKernelOptions } from '../../src/consumer/kernel-options.ts'
import { type ConsumeOptions, checkOptions } from '../../src/consumer/options.ts'
import { chooseTopics } from '../../src/consumer/topics.ts'
import { FanlaneError, OptionError } from '../../src/errors.ts'

const handle = (): void => {}
const logger = { debug: handle, info: handle, warn: handle, error: handle }
const base = { group: 'g', topics: ['t'], handle }
const engine = {
  submit: handle,
  completions: handle,
  inFlight: () => 0,
  capacity: () => 4,
  shutdown: async () => {},
}
const { handle: _, ...withoutHandle } = base

function refusal(options: unknown): OptionError {
  try {
    checkOptions(options)
  } catch (error) {
    assert.ok(error instanceof OptionError, String(error))
    return error
  }
  return assert.fail('not refused')
}

interface Refused {
  readonly why: string
  readonly options: object
  readonly code?: string
  readonly option: string
  readonly says: RegExp
}

// biome-ignore format: one case, one line
const wrong: readonly Refused[] = [
  { why: 'one end of an adaptive concurrency', options: { concurrency: { max: 10 } }, option: 'concurrency', says: /\{ min, max \} with 'min'; it is \{ max: 10 \}/ },
  { why: 'an empty adaptive concurrency', options: { concurrency: {} }, option: 'concurrency', says: /with 'min'/ },
  { why: 'NaN', options: { concurrency: Number.NaN }, option: 'concurrency', says: /whole number from 1 .*it is NaN/ },
  { why: 'a negative number', options: { concurrency: -1 }, option: 'concurrency', says: /it is -1/ },
  { why: 'half a handler', options: { concurrency: 1.5 }, option: 'concurrency', says: /whole number/ },
  { why: 'a number as text', options: { concurrency: '10' }, option: 'concurrency', says: /it is '10'/ },
  { why: 'an endless number', options: { drainMs: Number.POSITIVE_INFINITY }, option: 'drainMs', says: /it is Infinity/ },
  { why: 'null', options: { retry: null }, option: 'retry', says: /it is null/ },
  { why: 'a list for an object', options: { limits: [] }, option: 'limits', says: /\{ records, bytes, pauseAt, resumeAt \}/ },
  { why: 'a start without its time', options: { startFrom: {} }, option: 'startFrom', says: /\{ timestamp \} with 'timestamp'/ },
  { why: 'a time that is none', options: { startFrom: { timestamp: Number.NaN } }, option: 'startFrom', says: /where timestamp is a whole number from 0/ },
  { why: 'an inner typo', options: { retry: { attemps: 3 } }, option: 'retry', says: /without 'attemps'/ },
  { why: 'NaN inside', options: { retry: { jitter: Number.NaN } }, option: 'retry', says: /where jitter is a number from 0 to 1/ },
  { why: 'a logger without error()', options: { logger: { ...logger, error: undefined } }, option: 'logger', says: /there is no error\(\)/ },
  { why: 'a logger that is none', options: { logger: {} }, option: 'logger', says: /debug, info, warn, error/ },
  { why: 'a signal that is none', options: { signal: {} }, option: 'signal', says: /AbortSignal/ },
  { why: 'a controller for a signal', options: { signal: new AbortController() }, option: 'signal', says: /AbortController\(\)\.signal/ },
  { why: 'a codec that was not called', options: { decode: { value: json } }, option: 'decode', says: /call it: json\(\)/ },
  { why: 'a key codec that was not called', options: { decode: { key: text } }, option: 'decode', says: /call it: text\(\)/ },
  { why: 'a codec that is none', options: { decode: { value: {} } }, option: 'decode', says: /a codec, e\.g\. json\(\)/ },
  { why: 'a topic outside a list', options: { topics: 'orders' }, option: 'topics', says: /a list: write topics: \[…\]/ },
  { why: 'no topics', options: { topics: [] }, option: 'topics', says: /at least one entry/ },
  { why: 'an empty group', options: { group: '' }, option: 'group', says: /non-empty string/ },
  { why: 'an engine that lacks something', options: { engine: { ...engine, completions: undefined }, handle: undefined }, option: 'engine', says: /there is no completions\(\)/ },
  { why: 'an unknown word', options: { order: 'keys' }, option: 'order', says: /'key' or 'partition' or 'none'/ },
  { why: 'a typo', options: { concurency: 1 }, code: 'OPTION_UNKNOWN', option: 'concurency', says: /Did you mean 'concurrency'\?/ },
  { why: 'another case', options: { closems: 1 }, code: 'OPTION_UNKNOWN', option: 'closems', says: /Did you mean 'closeMs'\?/ },
  { why: 'something else entirely', options: { fromBeginning: true }, code: 'OPTION_UNKNOWN', option: 'fromBeginning', says: /Known options: brokers, log, group/ },
  { why: 'a name of Object.prototype', options: { toString: 1 }, code: 'OPTION_UNKNOWN', option: 'toString', says: /Unknown option/ },
  { why: 'a list of no brokers', options: { brokers: [] }, option: 'brokers', says: /at least one entry/ },
  { why: 'a log and brokers', options: { log: {}, brokers: 'a:1' }, code: 'OPTION_CONTRADICTION', option: 'log', says: /not both/ },
  { why: 'topics and partitions', options: { partitions: [{ topic: 't', partition: 0 }] }, code: 'OPTION_CONTRADICTION', option: 'partitions', says: /not both/ },
  { why: 'a partition without a number', options: { topics: undefined, partitions: [{ topic: 't' }] }, option: 'partitions', says: /with 'partition'/ },
  { why: 'a client option that nobody knows', options: { client: { groupInstanceId: 'a' } }, option: 'client', says: /without 'groupInstanceId'/ },
  { why: 'exactly-once without a group', options: { topics: undefined, group: undefined, partitions: [{ topic: 't', partition: 0 }], delivery: 'exactly-once' }, code: 'OPTION_CONTRADICTION', option: 'partitions', says: /give a 'group'/ },
  { why: 'no group', options: { group: undefined }, code: 'OPTION_MISSING', option: 'group', says: /is needed/ },
  { why: 'no handler', options: { handle: undefined }, code: 'OPTION_MISSING', option: 'handle', says: /handle: async/ },
  { why: 'two handlers', options: { handleBatch: handle }, code: 'OPTION_CONTRADICTION', option: 'handleBatch', says: /not both/ },
  { why: 'a batch for one record', options: { batch: {} }, code: 'OPTION_CONTRADICTION', option: 'batch', says: /'handleBatch'/ },
  { why: 'an engine and a handler', options: { engine }, code: 'OPTION_CONTRADICTION', option: 'handle', says: /runs its own handlers: remove 'handle'/ },
  { why: 'an engine and a batch handler', options: { engine, handle: undefined, handleBatch: handle }, code: 'OPTION_CONTRADICTION', option: 'handleBatch', says: /runs its own handlers/ },
  { why: 'batches for an engine that takes none', options: { engine, handle: undefined, batch: {} }, code: 'OPTION_CONTRADICTION', option: 'batch', says: /no submitBatches\(\)/ },
  { why: 'a mark to resume above the mark to pause', options: { limits: { pauseAt: 0.5, resumeAt: 0.8 } }, code: 'OPTION_CONTRADICTION', option: 'limits', says: /resumeAt \(0\.8\) is above limits\.pauseAt \(0\.5\).*leave it out/ },
  { why: 'a lower end above the upper', options: { concurrency: { min: 5, max: 2 } }, code: 'OPTION_CONTRADICTION', option: 'concurrency', says: /min \(5\) is above/ },
  { why: 'attempts at most once', options: { delivery: 'at-most-once', retry: { attempts: 2 } }, code: 'OPTION_CONTRADICTION', option: 'retry', says: /one attempt/ },
  { why: 'dead letters of skipped records', options: { deadLetter: {}, onExhausted: 'skip' }, code: 'OPTION_CONTRADICTION', option: 'deadLetter', says: /remove one/ },
  { why: 'threads without a module', options: { engine: 'threads', handle: undefined }, code: 'OPTION_MISSING', option: 'handler', says: /new URL\('\.\/handler\.ts', import\.meta\.url\)/ },
  { why: 'processes with a function', options: { engine: 'processes', handler: 'h.ts' }, code: 'OPTION_CONTRADICTION', option: 'handle', says: /cannot be handed to processes: remove 'handle'/ },
  { why: 'threads with a codec that is a function', options: { engine: { kind: 'threads' }, handle: undefined, handler: 'h.ts', decode: { value: { decode: String } } }, code: 'OPTION_CONTRADICTION', option: 'decode', says: /export const decode = \{ value/ },
  { why: 'a function and a module', options: { handler: 'h.ts' }, code: 'OPTION_CONTRADICTION', option: 'handle', says: /not both/ },
  { why: 'a module that is none', options: { handler: 7, handle: undefined }, option: 'handler', says: /the URL or the path of a module/ },
  { why: 'no workers', options: { engine: { kind: 'threads', workers: 0 } }, option: 'engine', says: /workers is a whole number from 1 to 1024/ },
  { why: 'an unknown kind of workers', options: { engine: { kind: 'fibres' } }, option: 'engine', says: /kind is 'threads' or 'processes'/ },
  { why: 'an unknown engine', options: { engine: 'thread' }, option: 'engine', says: /'async' or 'threads' or 'processes'/ },
  { why: 'a breaker of no poisons', options: { breaker: { poisons: 0 } }, option: 'breaker', says: /from 1/ },
  { why: 'a breaker of nothing', options: { breaker: {} }, option: 'breaker', says: /with 'poisons'/ },
  { why: 'a breaker without order', options: { breaker: { poisons: 3 }, order: 'none' }, code: 'OPTION_CONTRADICTION', option: 'breaker', says: /no keys to park/ },
  { why: 'a breaker at most once', options: { breaker: { poisons: 3 }, delivery: 'at-most-once' }, code: 'OPTION_CONTRADICTION', option: 'breaker', says: /would be lost/ },
  { why: 'short lines', options: { onExhausted: 'log', deadLetter: { lineMaxBytes: 100 } }, option: 'deadLetter', says: /from 4000/ },
  { why: 'a topic for lines', options: { onExhausted: 'log', deadLetter: { topic: () => 'x' } }, code: 'OPTION_CONTRADICTION', option: 'deadLetter', says: /lines have no topic/ },
  { why: 'a dashboard without a port', options: { dashboard: {} }, option: 'dashboard', says: /port/ },
  { why: 'a dashboard with a word too much', options: { dashboard: { port: 0, open: true } }, option: 'dashboard', says: /open/ },
  { why: 'metrics that are none', options: { metrics: 'x' }, option: 'metrics', says: /Registry of prom-client/ },
  { why: 'a tracer that is none', options: { tracing: {} }, option: 'tracing', says: /TracerProvider/ },
  { why: 'lines for a topic', options: { deadLetter: { lineMaxBytes: 5000 } }, code: 'OPTION_CONTRADICTION', option: 'deadLetter', says: /onExhausted: 'log'/ },
]

describe('options', () => {
  for (const { why, options, code = 'OPTION_INVALID', option, says } of wrong) {
    test(`refused: ${why}`, () => {
      const error = refusal({ ...base, ...options })
      assert.equal(error.code, code, error.message)
      assert.equal(error.option, option)
      assert.match(error.message, says)
    })
  }

  for (const options of [undefined, null, 'orders', 7]) {
    test(`refused: consume(${options})`, () => {
      assert.match(refusal(options).message, /takes an object/)
    })
  }

  test('refused: __proto__, as a key of parsed text and as a way to slip unchecked options in', () => {
    const parsed = JSON.parse('{ "__proto__": { "concurrency": -1 } }') as object
    const own = Object.defineProperty({ ...base }, '__proto__', { value: {}, enumerable: true })
    assert.equal(refusal(own).code, 'OPTION_UNKNOWN')
    assert.equal(refusal({ ...base, limits: parsed }).option, 'limits')
    assert.equal(refusal({ __proto__: { concurrency: -1 }, ...base }).option, 'concurrency')
    assert.equal(refusal({ ...base, retry: { __proto__: { attempts: -1 } } }).option, 'retry')
  })

  const fine: readonly object[] = [
    {},
    { concurrency: { min: 1, max: 10 } },
    { startFrom: { timestamp: 0 } },
    { retry: { attempts: Number.POSITIVE_INFINITY } },
    { limits: {} },
    { logger: { ...logger, fatal: handle, level: 'info' } },
    { signal: new AbortController().signal },
    { decode: { key: text(), value: json() } },
    { decode: { value: { decode: (bytes: Buffer) => bytes.length } } },
    { engine: 'async' },
    { engine, handle: undefined },
    { engine: { ...engine, submitBatches: handle }, handle: undefined, batch: { max: 10 } },
    { handlerTimeoutMs: undefined },
  ]
  for (const options of fine) {
    test(`accepted: ${Object.keys(options).join(', ') || 'the smallest program'}`, () =>
      checkOptions({ ...base, ...options }))
  }

  test('P7 · pauseAt alone brings resumeAt down with it', () => {
    const options = { ...base, limits: { pauseAt: 0.5 } }
    checkOptions(options)
    assert.equal(toKernelOptions(options).limits.resumeAt, 0.5)
    assert.equal(toKernelOptions(base).limits.resumeAt, 0.7)
  })

  test('P1 · an engine is never given more than its capacity', () => {
    const own = (more: object): ConsumeOptions<unknown, unknown> => ({ ...withoutHandle, engine, ...more })
    assert.deepEqual(toKernelOptions(own({})).concurrency, { min: 4, max: 4 })
    assert.deepEqual(toKernelOptions(own({ concurrency: 3 })).concurrency, { min: 3, max: 3 })
    assert.deepEqual(toKernelOptions(own({ concurrency: { min: 2, max: 9 } })).concurrency, { min: 2, max: 4 })
    const endless = { ...engine, capacity: () => Number.POSITIVE_INFINITY }
    assert.deepEqual(toKernelOptions(own({ engine: endless })).concurrency, { min: 100, max: 100 })
    const broken = { ...engine, capacity: () => Number.NaN }
    assert.throws(() => toKernelOptions(own({ engine: broken })), { code: 'OPTION_INVALID', option: 'engine' })
  })
})

describe('topics', () => {
  const existing = ['orders', 'orders.eu', 'orders.us', 'orders.us.dlq', '__offsets', 'graveyard']

  test('a pattern with the flag g or y is asked about every topic', () => {
    for (const flags of ['', 'g', 'y', 'gy']) {
      const pattern = new RegExp('orders', flags)
      assert.deepEqual(chooseTopics([pattern], existing, new Set()), ['orders', 'orders.eu', 'orders.us'], flags)
      assert.equal(pattern.lastIndex, 0)
    }
  })

  test('patterns leave out internal topics and dead letters; names do not', () => {
    const letters = new Set(['graveyard'])
    assert.deepEqual(chooseTopics([/./], existing, letters), ['orders', 'orders.eu', 'orders.us'])
    assert.deepEqual(chooseTopics(['graveyard', 'orders.us.dlq'], existing, letters), ['orders.us.dlq', 'graveyard'])
  })

  test('a name that does not exist is an error that says what there is', () => {
    assert.throws(
      () => chooseTopics(['orders', 'order'], existing, new Set()),
      (error) =>
        error instanceof FanlaneError &&
        error.code === 'TOPIC_NOT_FOUND' &&
        /'order'.*orders, orders\.eu/.test(error.message),
    )
  })
})
