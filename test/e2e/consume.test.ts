/** `consume()` as users call it, on a log in memory: real clock, real loop, real engine. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MemoryClient, type MemoryClientOptions } from '../../src/clients/memory/memory-client.ts'
import { compose } from '../../src/compose.ts'
import { consume } from '../../src/consume.ts'
import type { ConsumeOptions } from '../../src/consumer/options.ts'
import { createAdmin } from '../../src/create-admin.ts'
import { createProducer } from '../../src/create-producer.ts'
import type { Deferred, HandlerContext } from '../../src/engines/handler.ts'
import type { FanlaneError } from '../../src/errors.ts'
import { json, PermanentError, RetryableError } from '../../src/index.ts'
import type { TransactionOutcome } from '../../src/kernel/events.ts'
import type { LogClient } from '../../src/ports/log-client.ts'
import { SystemClock } from '../../src/system-clock.ts'
import { MemoryLog } from '../../src/testing/index.ts'
import { headersOf, logOf, next, notebook, turns } from './support.ts'

const base = { group: 'g', topics: ['t'], logger: notebook() }
const codeOf = (error: unknown): string => (error as FanlaneError).code
const position = (log: MemoryLog, partition = 0): number | undefined =>
  log.group('g').committed('t', partition)?.position

describe('failures', () => {
  test('R4 · an isPermanent that throws: the record is tried again, and the error is told', async () => {
    const log = logOf(1, 'a')
    const attempts: number[] = []
    const logger = notebook()
    const consumer = await consume({
      ...base,
      log,
      logger,
      retry: {
        initialMs: 0,
        isPermanent: () => {
          throw new TypeError('cannot read code of undefined')
        },
      },
      handle: (_, { attempt }) => {
        attempts.push(attempt)
        if (attempt === 1) throw new Error('once')
      },
    })
    const told = next(consumer, 'error')
    await consumer.idle()
    await consumer.close()
    assert.deepEqual(attempts, [1, 2])
    const error = (await told) as FanlaneError
    assert.equal(error.code, 'IS_PERMANENT_FAILED')
    assert.ok(error.cause instanceof TypeError)
    assert.ok(logger.lines.some(({ level, fields }) => level === 'error' && fields.error === error))
  })

  test('R4 · an isPermanent that answers with a promise has not answered', async () => {
    const log = logOf(1, 'a')
    let attempts = 0
    const consumer = await consume({
      ...base,
      log,
      retry: { initialMs: 0, isPermanent: (async () => Promise.reject(new Error('x'))) as unknown as () => boolean },
      handle: () => {
        if (++attempts === 1) throw new Error('once')
      },
    })
    const told = next(consumer, 'error')
    await consumer.idle()
    await consumer.close()
    assert.equal(attempts, 2)
    assert.match(String(await told), /returned a promise/)
  })

  test('P8 R5 · what a custom codec throws is one failure of its record: no attempt, a dead letter, the others go on', async () => {
    const log = logOf(1, 'good', 'bad', 'fine')
    const seen: string[] = []
    const consumer = await consume<Buffer, string>({
      ...base,
      log,
      decode: {
        value: {
          decode: (bytes) => {
            if (String(bytes) === 'bad') throw new RangeError('index out of range')
            return String(bytes)
          },
        },
      },
      handle: ({ value }) => {
        seen.push(value ?? '')
      },
    })
    const letter = next(consumer, 'dead-letter')
    await consumer.idle()
    await consumer.close()
    assert.deepEqual(seen, ['good', 'fine'])
    const { work, error } = await letter
    assert.equal(work.offset, 1)
    assert.equal(codeOf(error), 'DECODE_FAILED')
    assert.ok((error as Error).cause instanceof RangeError)
    const headers = headersOf(log, 't.dlq')
    assert.equal(headers['fanlane-error-code'], 'DECODE_FAILED')
    assert.equal(headers['fanlane-attempts'], '1')
    assert.equal(position(log), 3)
  })

  test('R4 P8 · a codec that says RetryableError is asked again: what it needs was not there yet', async () => {
    const log = logOf(1, 'a', 'b')
    let asked = 0
    const seen: string[] = []
    const consumer = await consume<Buffer, string>({
      ...base,
      log,
      retry: { initialMs: 0 },
      decode: {
        value: {
          decode: async (bytes) => {
            if (String(bytes) === 'a' && asked++ === 0) throw new RetryableError('the registry is down')
            return String(bytes)
          },
        },
      },
      handle: ({ value }) => {
        seen.push(value ?? '')
      },
    })
    await consumer.idle()
    await consumer.close()
    assert.deepEqual(seen.sort(), ['a', 'b'])
    assert.equal(consumer.snapshot().totals.retries, 1)
    assert.equal(log.topics.includes('t.dlq'), false)
  })

  test('P8 · a keyOf that returns nothing fails its record, not the consumer', async () => {
    const log = new MemoryLog({ t: 1 })
    for (const account of ['a', undefined, 'b']) log.append('t', { value: JSON.stringify({ account }) })
    const seen: unknown[] = []
    const consumer = await consume<Buffer, { account: string }>({
      ...base,
      log,
      decode: { value: json() },
      keyOf: ({ value }) => value!.account,
      handle: ({ value }) => {
        seen.push(value?.account)
      },
    })
    await consumer.idle()
    await consumer.close()
    assert.deepEqual(seen, ['a', 'b'])
    assert.equal(headersOf(log, 't.dlq')['fanlane-error-code'], 'KEY_OF_INVALID')
  })

  test('R3 R5 · a record that is skipped after its last attempt is told: an event and a log line', async () => {
    const log = logOf(1, 'a')
    const logger = notebook()
    const consumer = await consume({
      ...base,
      log,
      logger,
      onExhausted: 'skip',
      handle: () => {
        throw new PermanentError('no such product', { code: 'NO_PRODUCT' })
      },
    })
    const skipped = next(consumer, 'skipped')
    await consumer.idle()
    await consumer.close()
    const { work, error } = await skipped
    assert.deepEqual([work.topic, work.partition, work.offset], ['t', 0, 0])
    assert.equal(codeOf(error), 'NO_PRODUCT')
    const line = logger.lines.find(({ message }) => message === 'record skipped')
    assert.equal(line?.level, 'warn')
    assert.equal(line?.fields.offset, 0)
    assert.equal(position(log), 1)
  })

  test('R5 · a deadLetter.topic that names nothing keeps the record pending, visibly', async () => {
    const log = logOf(1, 'a')
    let asked = 0
    const consumer = await consume({
      ...base,
      log,
      retry: { attempts: 1, initialMs: 0 },
      deadLetter: { topic: () => (++asked < 3 ? (undefined as unknown as string) : 'graveyard') },
      handle: () => {
        throw new Error('no')
      },
    })
    await consumer.idle()
    await consumer.close()
    assert.equal(log.records('graveyard', 0).length, 1)
    assert.equal(asked, 3)
  })

  test('a pattern leaves out topics that dead letters were written to, whatever they are called', async () => {
    const log = logOf(1, 'a')
    const options: ConsumeOptions = {
      ...base,
      log,
      topics: [/./g],
      retry: { attempts: 1 },
      deadLetter: { topic: () => 'graveyard' },
      handle: () => {
        throw new Error('no')
      },
    }
    const first = await consume(options)
    await first.idle()
    await first.close()
    const second = await consume({ ...options, group: 'h' })
    await second.idle()
    assert.deepEqual(
      second.snapshot().partitions.map(({ topic }) => topic),
      ['t'],
    )
    await second.close()
  })

  test('listeners and loggers that throw or reject do not stop a consumer', async () => {
    const log = logOf(1, 'a', 'b')
    const lines: string[] = []
    const broken = (message: string | undefined): never => {
      lines.push(message ?? '')
      throw new Error('the disk is full')
    }
    const handler = (_: object, message?: string): void => broken(message)
    const consumer = await consume({
      ...base,
      log,
      logger: { debug: handler, info: handler, warn: handler, error: handler },
      retry: { initialMs: 0 },
      handle: ({ offset }, { attempt }) => {
        if (offset === 0 && attempt === 1) throw new RetryableError('once')
      },
    })
    let heard = 0
    consumer
      .on('retry', () => {
        throw new Error('listener')
      })
      .on('retry', () => {
        heard++
      })
      .on('committed', async () => {
        throw new Error('listener, later')
      })
    await consumer.idle()
    await consumer.close()
    assert.equal(heard, 1)
    assert.equal(position(log), 2)
    assert.ok(lines.includes("a listener of 'retry' failed"))
    assert.ok(lines.includes("a listener of 'committed' failed"))
  })

  test('once hears once; off hears no more; there is no emit', async () => {
    const log = logOf(1, 'a', 'b')
    const consumer = await consume({ ...base, log, handle: () => undefined })
    const heard: string[] = []
    const never = (): void => {
      heard.push('off')
    }
    consumer
      .once('committed', () => heard.push('once'))
      .on('committed', never)
      .off('committed', never)
    await consumer.idle()
    log.append('t', { value: 'c' })
    await consumer.idle()
    await consumer.close()
    assert.deepEqual(heard, ['once'])
    assert.equal('emit' in consumer, false)
  })
})

describe('beginning', () => {
  test('what cannot be read from is refused, and the message says where a log comes from', async () => {
    const handle = (): void => {}
    await assert.rejects(consume({ ...base, log: logOf(1), brokers: 'localhost:9092', handle }), {
      code: 'OPTION_CONTRADICTION',
      option: 'log',
    })
    const log = { append: () => [] } as unknown as MemoryLog
    await assert.rejects(consume({ ...base, log, handle }), { code: 'OPTION_INVALID', option: 'log' })
    await assert.rejects(consume({ ...base, log: logOf(1), topics: ['orders'], handle }), {
      code: 'TOPIC_NOT_FOUND',
      message: /no topic 'orders'.*It has: t\./,
    })
  })

  test('no broker is invented in production', async (t) => {
    const before = { ...process.env }
    t.after(() => {
      process.env = before
    })
    process.env.NODE_ENV = 'production'
    delete process.env.KAFKA_BROKERS
    await assert.rejects(consume({ ...base, handle: () => undefined }), {
      code: 'NO_BROKERS',
      message: /KAFKA_BROKERS/,
    })
    await assert.rejects(createProducer(), { code: 'NO_BROKERS' })
    await assert.rejects(createAdmin(), { code: 'NO_BROKERS' })
  })

  test('R7 · a signal that is aborted while the consumer starts closes it', async () => {
    const controller = new AbortController()
    const starting = consume({ ...base, log: logOf(1, 'a'), signal: controller.signal, handle: () => undefined })
    controller.abort()
    const consumer = await starting
    await consumer.closed
  })

  test('R7 · a signal that is aborted later closes it; before, nothing starts', async () => {
    const controller = new AbortController()
    const log = logOf(1, 'a')
    const options: ConsumeOptions = { ...base, log, signal: controller.signal, handle: () => undefined }
    const consumer = await consume(options)
    await consumer.idle()
    controller.abort()
    await consumer.closed
    await assert.rejects(consume(options), { code: 'ABORTED' })
  })

  test('G5 · startFrom a time, with times as the log gave them', async () => {
    const log = new MemoryLog({ t: 1 })
    log.append('t', { value: 'old', timestamp: 1_000 })
    const now = Date.now()
    log.append('t', { value: 'new' })
    const seen: string[] = []
    const consumer = await consume({
      ...base,
      log,
      startFrom: { timestamp: now },
      handle: ({ value }) => {
        seen.push(String(value))
      },
    })
    await consumer.idle()
    await consumer.close()
    assert.deepEqual(seen, ['new'])
  })
})

describe('ending', () => {
  test('R7 · a deferred record is aborted when the drain time is over, and stays uncommitted', async () => {
    const log = logOf(1, 'a')
    const contexts: HandlerContext[] = []
    const later: Deferred[] = []
    const deferred = Promise.withResolvers<void>()
    const consumer = await consume({
      ...base,
      log,
      closeMs: 20,
      handle: (_, ctx) => {
        contexts.push(ctx)
        later.push(ctx.defer())
        deferred.resolve()
      },
    })
    await deferred.promise
    await turns()
    await consumer.close()
    assert.equal(contexts[0]!.signal.aborted, true)
    assert.equal(codeOf(contexts[0]!.signal.reason), 'ABORTED_REVOKED')
    later[0]!.done()
    assert.equal(position(log) ?? 0, 0)
  })

  test('R7 · a short closeMs still waits for handlers that run', async () => {
    const log = logOf(1, 'a')
    const started = Promise.withResolvers<AbortSignal>()
    const gate = Promise.withResolvers<void>()
    const consumer = await consume({
      ...base,
      log,
      closeMs: 4_000,
      handle: async (_, { signal }) => {
        started.resolve(signal)
        await gate.promise
      },
    })
    const signal = await started.promise
    const closed = consumer.close()
    await turns()
    assert.equal(signal.aborted, false)
    gate.resolve()
    await closed
    assert.equal(position(log), 1)
  })

  test('P6 · a map that is restored is an information, not a warning', async () => {
    const log = logOf(1, 'a', 'b')
    const blocked = Promise.withResolvers<void>()
    const ran = Promise.withResolvers<void>()
    const first = await consume({
      ...base,
      log,
      closeMs: 20,
      handle: ({ offset }) => {
        if (offset === 0) return blocked.promise
        ran.resolve()
        return undefined
      },
    })
    await ran.promise
    await turns()
    await first.commit()
    await first.close()
    blocked.resolve()
    const logger = notebook()
    const seen: number[] = []
    const second = await consume({
      ...base,
      log,
      logger,
      handle: ({ offset }) => {
        seen.push(offset)
      },
    })
    await second.idle()
    await second.close()
    assert.deepEqual(seen, [0])
    assert.deepEqual(
      logger.lines.filter(({ message }) => message === 'map-restored').map(({ level }) => level),
      ['info'],
    )
  })

  test('idle resolves for a member that has no partitions', async () => {
    const log = logOf(1, 'a')
    const first = await consume({ ...base, log, handle: () => undefined })
    await first.idle()
    const second = await consume({ ...base, log, handle: () => undefined })
    await second.idle()
    assert.deepEqual(second.snapshot().partitions, [])
    await second.close()
    await first.close()
  })

  test('idle and commit reject with what stopped the consumer, and with CONSUMER_CLOSED after a close', async () => {
    const log = logOf(1, 'a')
    const boom = new Error('boom')
    const consumer = await consume({
      ...base,
      log,
      onExhausted: 'stop',
      retry: { attempts: 1 },
      handle: () => {
        throw boom
      },
    })
    await assert.rejects(consumer.idle(), boom)
    await assert.rejects(consumer.closed, boom)
    await assert.rejects(consumer.idle(), boom)
    await assert.rejects(consumer.commit(), boom)
    assert.equal(position(log) ?? 0, 0)
    const other = await consume({ ...base, log, group: 'h', handle: () => undefined })
    await other.close()
    log.append('t', { value: 'b' })
    await assert.rejects(other.idle(), { code: 'CONSUMER_CLOSED' })
    await assert.rejects(other.commit(), { code: 'CONSUMER_CLOSED' })
    await assert.rejects(other.seek({ topic: 't', partition: 0, offset: 0 }), { code: 'CONSUMER_CLOSED' })
    // Nobody waits: no unhandled rejection.
    assert.ok(other.skip({ topic: 't', partition: 0, offset: 0 }) instanceof Promise)
  })

  test('G6 · with manual commits idle waits for the handlers and commits nothing', async () => {
    const log = logOf(1, 'a', 'b')
    const consumer = await consume({ ...base, log, commit: 'manual', handle: () => undefined })
    await consumer.idle()
    assert.equal(consumer.snapshot().totals.done, 2)
    assert.equal(position(log), undefined)
    await consumer.commit()
    assert.equal(position(log), 2)
    await consumer.close()
  })
})

describe('steering', () => {
  test('Q2 · seek by offset and by time; refused where the partition is not held', async () => {
    const log = new MemoryLog({ t: 1 })
    for (const timestamp of [10, 20, 30]) log.append('t', { value: `v${timestamp}`, timestamp })
    const seen: string[] = []
    const consumer = await consume({
      ...base,
      log,
      handle: ({ value }) => {
        seen.push(String(value))
      },
    })
    await consumer.idle()
    await consumer.seek({ topic: 't', partition: 0, offset: 2 })
    await consumer.idle()
    await consumer.seek({ topic: 't', partition: 0, timestamp: 15 })
    await consumer.idle()
    assert.deepEqual(seen, ['v10', 'v20', 'v30', 'v30', 'v20', 'v30'])
    await assert.rejects(consumer.seek({ topic: 't', partition: 1, offset: 0 }), {
      code: 'CONTROL_REFUSED',
      message: /seek of t-1 to 0 was refused: the partition is not held/,
    })
    await assert.rejects(consumer.seek({ topic: 't', partition: 1, timestamp: 0 }), { code: 'UNKNOWN_PARTITION' })
    await consumer.close()
  })

  test('R3 · skip gives one record up; refused where there is none, also for those who do not wait', async () => {
    const log = logOf(1, 'a')
    const logger = notebook()
    const started = Promise.withResolvers<void>()
    const consumer = await consume({
      ...base,
      log,
      logger,
      handle: (_, { signal }) => {
        started.resolve()
        return new Promise((resolve) => signal.addEventListener('abort', resolve))
      },
    })
    await started.promise
    const skipped = next(consumer, 'skipped')
    await consumer.skip({ topic: 't', partition: 0, offset: 0 })
    assert.equal((await skipped).work.offset, 0)
    await consumer.idle()
    assert.equal(position(log), 1)
    await assert.rejects(consumer.skip({ topic: 't', partition: 0, offset: 9 }), {
      code: 'CONTROL_REFUSED',
      message: /skip of t-0@9 was refused/,
    })
    // Nobody waits: no unhandled rejection, but a line in the log.
    const before = logger.lines.length
    assert.ok(consumer.skip({ topic: 't', partition: 0, offset: 9 }) instanceof Promise)
    await turns()
    assert.deepEqual(
      logger.lines.slice(before).map(({ level, message }) => [level, message]),
      [['warn', 'control-refused']],
    )
    await consumer.close()
  })

  test('bad arguments are refused with ARGUMENT_INVALID and the name of the argument', async () => {
    const consumer = await consume({ ...base, log: logOf(1), handle: () => undefined })
    const bad = [-1, 1.5, Number.NaN, 2 ** 53, '0', null, undefined] as number[]
    const invalid = (option: string) => ({ code: 'ARGUMENT_INVALID', option })
    for (const value of bad) {
      await assert.rejects(consumer.skip({ topic: 't', partition: 0, offset: value }), invalid('offset'))
      await assert.rejects(consumer.skip({ topic: 't', partition: value, offset: 0 }), invalid('partition'))
      await assert.rejects(consumer.seek({ topic: 't', partition: 0, offset: value }), invalid('offset'))
      await assert.rejects(consumer.seek({ topic: 't', partition: value, offset: 0 }), invalid('partition'))
      assert.throws(() => consumer.setConcurrency(value), invalid('limit'))
    }
    await assert.rejects(consumer.seek({ topic: 't', partition: 0, timestamp: -1 }), invalid('timestamp'))
    const both = { topic: 't', partition: 0, offset: 0, timestamp: 0 } as unknown as {
      topic: string
      partition: 0
      offset: 0
    }
    await assert.rejects(consumer.seek(both), invalid('offset'))
    await assert.rejects(consumer.skip({ topic: '', partition: 0, offset: 0 }), invalid('topic'))
    assert.throws(() => consumer.setConcurrency(0), invalid('limit'))
    assert.throws(() => consumer.pause({ topic: 't', partition: -1 }), invalid('partition'))
    assert.throws(() => consumer.resume({ topic: 't', key: 5 as unknown as string }), invalid('key'))
    await consumer.close()
  })

  test('R6 P9 · the snapshot shows keys as text, and as base64 where they are none', async () => {
    const log = new MemoryLog({ t: 1 })
    const gate = Promise.withResolvers<void>()
    const binary = Buffer.from([0xff, 0xfe])
    log.append('t', [{ key: 'Köln' }, { key: 'Köln' }, { key: binary }, { key: binary }])
    const both = Promise.withResolvers<void>()
    let running = 0
    const consumer = await consume({
      ...base,
      log,
      handle: () => {
        if (++running === 2) both.resolve()
        return gate.promise
      },
    })
    await both.promise
    const { partitions, lanes } = consumer.snapshot()
    assert.equal(partitions[0]?.blocking?.key, 'Köln')
    assert.deepEqual(lanes.hottest.map(({ key }) => key).sort(), ['Köln', `base64:${binary.toString('base64')}`])
    gate.resolve()
    await consumer.idle()
    await consumer.close()
  })
})

describe('a client in trouble', () => {
  function composed(
    client: (options: MemoryClientOptions) => LogClient,
    more: Partial<ConsumeOptions>,
  ): ReturnType<typeof compose> {
    const clock = new SystemClock()
    const log = logOf(1, 'a')
    const options: ConsumeOptions<unknown, unknown> = {
      ...base,
      drainMs: 0,
      handle: () => undefined,
      ...(more as object),
    }
    return compose(options, {
      clock,
      client: client({ log, group: 'g', topics: ['t'], startFrom: 'earliest', clock }),
      tweak: (kernel) => ({ ...kernel, commit: { ...kernel.commit, finalMs: 20 } }),
    })
  }

  class FencedClient extends MemoryClient {
    readonly #error: unknown

    constructor(options: MemoryClientOptions, error: unknown) {
      super(options)
      this.#error = error
    }

    override async transact(): Promise<TransactionOutcome> {
      return { kind: 'fenced', error: this.#error }
    }
  }

  const taken = Object.assign(new Error('taken'), { code: 'PRODUCER_FENCED' })
  for (const [error, code] of [
    [taken, 'PRODUCER_FENCED'],
    [undefined, 'TRANSACTIONAL_ID_FENCED'],
  ] as const) {
    test(`X3 · a fenced producer stops the consumer and says so: ${code}`, async () => {
      const { consumer, start } = composed((options) => new FencedClient(options, error), { delivery: 'exactly-once' })
      const fenced = next(consumer, 'fenced')
      const told = next(consumer, 'error')
      await start()
      assert.equal(codeOf(await fenced), code)
      assert.equal(await told, await fenced)
      await assert.rejects(consumer.closed, { code })
    })
  }

  test('an exception inside the loop stops the consumer: nothing more is committed, handlers are told', async () => {
    class BrokenClient extends MemoryClient {
      override pause(): void {
        throw new Error('pause is broken')
      }
    }
    let signal: AbortSignal | undefined
    const started = Promise.withResolvers<void>()
    const { consumer, start } = composed((options) => new BrokenClient(options), {
      handle: (_, ctx) => {
        signal = ctx.signal
        started.resolve()
        return new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
      },
    })
    await start()
    await started.promise
    consumer.pause({ topic: 't' })
    await assert.rejects(consumer.closed, { message: 'pause is broken' })
    await assert.rejects(consumer.idle(), { message: 'pause is broken' })
    await turns()
    assert.equal(signal?.aborted, true)
  })
})
