/**
 * NestJS controllers on the parallel consumer, in real Nest applications on the embedded broker. Decorators are applied as the
 * functions that they are: Node runs these files as they stand. examples/nestjs has them as people write them.
 */
import 'reflect-metadata'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type CallHandler, Controller, type INestMicroservice, Module, type PipeTransform } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { Ctx, EventPattern, MessagePattern, Payload, RpcException, Transport } from '@nestjs/microservices'
import { concat, defer, map, Observable, of, throwError, timer } from 'rxjs'
import { startBroker } from '../../src/broker/index.ts'
import { createProducer } from '../../src/create-producer.ts'
import { PermanentError, RetryableError } from '../../src/errors.ts'
import { type Consumer, consume, type Producer } from '../../src/index.ts'
import {
  FANLANE,
  FanlaneContext,
  FanlaneStrategy,
  type FanlaneStrategyOptions,
} from '../../src/integrations/nestjs/index.ts'
import { notebook } from '../e2e/support.ts'
import { unique } from '../support/targets.ts'
import { until } from '../support/wait.ts'

type Handle = (value: never, context: FanlaneContext) => unknown
type Pattern = string | RegExp
type Entry = readonly [pattern: Pattern, handle: Handle, decorate?: (pattern: Pattern) => MethodDecorator]

/** A module with one controller whose methods are these handlers. */
function moduleOf(...entries: readonly Entry[]): new () => object {
  class Handlers {}
  for (const [at, [pattern, handle, decorate = (each: Pattern) => EventPattern(each)]] of entries.entries()) {
    const name = `handler${at}`
    const descriptor = {
      value: (...args: [never, FanlaneContext]) => handle(...args),
      writable: true,
      configurable: true,
    }
    Object.defineProperty(Handlers.prototype, name, descriptor)
    Payload()(Handlers.prototype, name, 0)
    Ctx()(Handlers.prototype, name, 1)
    decorate(pattern)(Handlers.prototype, name, descriptor)
  }
  Controller()(Handlers)
  class App {}
  Module({ controllers: [Handlers] })(App)
  return App
}

describe('NestJS on the embedded broker', { timeout: 120_000 }, () => {
  let broker: Awaited<ReturnType<typeof startBroker>>
  let producer: Producer
  before(async () => {
    broker = await startBroker({ config: { 'group.initial.rebalance.delay.ms': '0' } })
    producer = await createProducer({ brokers: broker.brokers })
  })
  after(async () => {
    await producer.close()
    await broker.close()
  })

  const strategyOf = (more: Partial<FanlaneStrategyOptions> = {}): FanlaneStrategy =>
    new FanlaneStrategy({
      brokers: broker.brokers,
      group: unique('nest'),
      logger: notebook(),
      retry: { initialMs: 1 },
      ...more,
    })

  async function start(
    module: new () => object,
    strategy: FanlaneStrategy,
    prepare: (app: INestMicroservice) => unknown = (app) => app.useGlobalFilters(strategy.filter),
  ): Promise<INestMicroservice> {
    const app = await NestFactory.createMicroservice(module, { strategy, logger: false, abortOnError: false })
    prepare(app)
    await app.listen()
    return app
  }

  async function topicOf(values: readonly unknown[], keyOf: (at: number) => string = () => 'k'): Promise<string> {
    const topic = unique('orders')
    await producer.send(values.map((value, at) => ({ topic, key: keyOf(at), value: JSON.stringify(value) })))
    return topic
  }

  async function lettersOf(topic: string): Promise<Record<string, string>[]> {
    const letters: Record<string, string>[] = []
    const reader = await consume({
      brokers: broker.brokers,
      group: unique('letters'),
      topics: [`${topic}.dlq`],
      logger: notebook(),
      handle: ({ value, headers }) =>
        void letters.push({
          value: String(value),
          ...Object.fromEntries(headers.map((header) => [header.key, String(header.value)])),
        }),
    })
    await reader.idle()
    await reader.close()
    return letters
  }

  test('R2 I3 · handlers get decoded values and a context; keys keep their order, and run beside each other', async () => {
    const topic = await topicOf(
      Array.from({ length: 120 }, (_, at) => ({ at })),
      (at) => `k${at % 6}`,
    )
    const seen = new Map<string, number[]>()
    let running = 0
    let most = 0
    const strategy = strategyOf()
    const module = moduleOf([
      topic,
      async (value: { at: number }, context) => {
        assert.ok(context instanceof FanlaneContext)
        assert.equal(context.record.topic, topic)
        assert.equal(context.record.value, value)
        assert.equal(context.attempt, 1)
        assert.equal(context.signal.aborted, false)
        most = Math.max(most, ++running)
        await new Promise((resolve) => setImmediate(resolve))
        running--
        const key = String(context.record.key)
        seen.set(key, [...(seen.get(key) ?? []), value.at])
        await context.send({ topic: `${topic}.out`, key, value: String(value.at) })
      },
    ])
    const app = await start(module, strategy)
    await strategy.unwrap().idle()
    await app.close()
    assert.equal(seen.size, 6)
    for (const [key, values] of seen) {
      assert.deepEqual(
        values,
        Array.from({ length: 20 }, (_, at) => at * 6 + Number(key.slice(1))),
      )
    }
    assert.ok(most > 1, 'keys beside each other')
  })

  test('two handlers of a topic and a pattern: all run, one after the other, before the record is finished', async () => {
    const topic = await topicOf([1, 2])
    // A pattern with the flag g remembers where it stopped: it must find the second topic as well.
    const other = `${topic}.too`
    await producer.send({ topic: other, key: 'k', value: '3' })
    const steps: string[] = []
    const slow =
      (name: string): Handle =>
      (value: number) =>
        concat(
          defer(() => of(steps.push(`${name} ${value} begins`))),
          timer(5),
          defer(() => of(steps.push(`${name} ${value} ends`))),
        )
    const strategy = strategyOf()
    const pattern = new RegExp(`^${topic}`, 'g')
    const app = await start(
      moduleOf([pattern, slow('pattern')], [topic, slow('first')], [topic, slow('second')]),
      strategy,
    )
    await strategy.unwrap().idle()
    await app.close()
    const stepsOf = (value: number): readonly string[] => steps.filter((step) => step.includes(` ${value} `))
    const expected = (value: number, ...names: readonly string[]): readonly string[] =>
      names.flatMap((name) => [`${name} ${value} begins`, `${name} ${value} ends`])
    for (const value of [1, 2]) assert.deepEqual(stepsOf(value), expected(value, 'first', 'second', 'pattern'))
    assert.ok(steps.indexOf('pattern 1 ends') < steps.indexOf('first 2 begins'))
    assert.deepEqual(stepsOf(3), expected(3, 'pattern'))
  })

  test('R4 R5 · what a handler throws is retried, and dead-lettered with its own words', async () => {
    const values = [
      'throws',
      'permanent',
      'rpc',
      'rpc around permanent',
      'observable',
      'observable permanent',
      'fine later',
    ]
    const topic = await topicOf(values, (at) => `k${at}`)
    const attempts = new Map<string, number>()
    const failing = (value: string, context: FanlaneContext): unknown => {
      attempts.set(value, context.attempt)
      if (value === 'permanent') throw new PermanentError('never ever')
      if (value === 'rpc') throw new RpcException('said so')
      if (value === 'rpc around permanent') throw new RpcException(new PermanentError('inner words'))
      if (value === 'observable') return throwError(() => new Error('from a stream'))
      if (value === 'observable permanent')
        return concat(
          of(1),
          throwError(() => new PermanentError('late in a stream')),
        )
      if (value === 'fine later' && context.attempt === 1) throw new RetryableError('not yet', { retryAfterMs: 1 })
      if (value === 'fine later') return 'ok'
      return Promise.reject(new Error('my words'))
    }
    const strategy = strategyOf({ retry: { attempts: 3, initialMs: 1 } })
    const app = await start(moduleOf([topic, failing]), strategy)
    await strategy.unwrap().idle()
    await app.close()
    assert.deepEqual(Object.fromEntries(attempts), {
      throws: 3,
      permanent: 1,
      rpc: 3,
      'rpc around permanent': 1,
      observable: 3,
      'observable permanent': 1,
      'fine later': 2,
    })
    const letters = await lettersOf(topic)
    const words = Object.fromEntries(letters.map((letter) => [JSON.parse(letter.value!), JSON.stringify(letter)]))
    assert.deepEqual(Object.keys(words).toSorted(), values.filter((each) => each !== 'fine later').toSorted())
    for (const [value, said] of [
      ['throws', 'my words'],
      ['permanent', 'never ever'],
      ['rpc', 'said so'],
      ['rpc around permanent', 'inner words'],
      ['observable', 'from a stream'],
      ['observable permanent', 'late in a stream'],
    ]) {
      assert.ok(words[value!]?.includes(said!), `${value}: ${words[value!]}`)
    }
  })

  test('R3 · without the filter Nest hides the error: the record is retried all the same, and its letter says what to do', async () => {
    const topic = await topicOf(['a'])
    let calls = 0
    const strategy = strategyOf({ retry: { attempts: 2, initialMs: 1 } })
    const throwing = (): never => {
      calls++
      throw new PermanentError('hidden')
    }
    const app = await start(moduleOf([topic, throwing]), strategy, () => undefined)
    await strategy.unwrap().idle()
    await app.close()
    assert.equal(calls, 2)
    assert.match(
      JSON.stringify(await lettersOf(topic)),
      /NEST_ERROR_HIDDEN.*useGlobalFilters|useGlobalFilters.*NEST_ERROR_HIDDEN/,
    )
  })

  test("NEST_RPC_ERROR · without the filter an RpcException comes as what Nest's own filter made of it", async () => {
    const topic = await topicOf(['a'])
    const strategy = strategyOf({ retry: { attempts: 2, initialMs: 1 } })
    const throwing = (): never => {
      throw new RpcException('out of stock')
    }
    const app = await start(moduleOf([topic, throwing]), strategy, () => undefined)
    const codes: string[] = []
    strategy.unwrap().on('retry', ({ error }) => codes.push((error as { readonly code: string }).code))
    await strategy.unwrap().idle()
    await app.close()
    assert.match(JSON.stringify(await lettersOf(topic)), /out of stock/)
    assert.ok(codes.every((code) => code === 'NEST_RPC_ERROR'))
    assert.match(JSON.stringify(await lettersOf(topic)), /NEST_RPC_ERROR/)
  })

  test('R7 I1 · shutdown in the middle of work waits for it and commits: the next one takes nothing up twice and leaves nothing out', async () => {
    const count = 60
    const topic = await topicOf(
      Array.from({ length: count }, (_, at) => at),
      (at) => `k${at % 8}`,
    )
    const group = unique('shutdown')
    const ended: number[] = []
    let running = 0
    const release = Promise.withResolvers<void>()
    const options = { group, concurrency: 4 }
    const first = strategyOf(options)
    const app = await start(
      moduleOf([
        topic,
        async (value: number) => {
          running++
          await release.promise
          ended.push(value)
        },
      ]),
      first,
    )
    await until('four handlers are in the middle of it', () => running === 4)
    const closing = app.close()
    release.resolve()
    await closing
    await first.unwrap().closed
    const before = ended.length
    assert.ok(before >= 4 && before < count, `${before} ended in the first one`)
    const second = strategyOf(options)
    const next = await start(moduleOf([topic, (value: number) => void ended.push(value)]), second)
    await second.unwrap().idle()
    await next.close()
    assert.deepEqual(
      ended.toSorted((a, b) => a - b),
      Array.from({ length: count }, (_, at) => at),
    )
  })

  test('global pipes, guards and interceptors are around handlers', async () => {
    const topic = await topicOf([1, 2, 3, 4])
    const seen: unknown[] = []
    const around: string[] = []
    const strategy = strategyOf({ onExhausted: 'skip', retry: { attempts: 1 } })
    const skipped: string[] = []
    strategy.on('skipped', ({ error }) => skipped.push(String(error)))
    const double: PipeTransform = {
      transform: (value, { type }) => (type === 'body' ? (value as number) * 2 : value),
    }
    const app = await start(moduleOf([topic, (value: number) => void seen.push(value)]), strategy, (each) => {
      each.useGlobalFilters(strategy.filter)
      each.useGlobalPipes(double)
      each.useGlobalGuards({ canActivate: (context) => context.switchToRpc().getData() !== 3 })
      each.useGlobalInterceptors({
        intercept: (_, next: CallHandler) => {
          around.push('before')
          return next.handle().pipe(
            map((value) => {
              around.push('after')
              return value
            }),
          )
        },
      })
    })
    await strategy.unwrap().idle()
    await app.close()
    assert.deepEqual(seen, [2, 4, 8])
    assert.deepEqual(around, ['before', 'after', 'before', 'after', 'before', 'after'])
    assert.equal(skipped.length, 1)
    assert.match(skipped[0]!, /Forbidden/)
  })

  test('what cannot work is refused at the start, with what to write instead', async () => {
    const topic = unique('t')
    const asking: Entry = [topic, () => 1, (pattern) => MessagePattern(pattern)]
    await assert.rejects(start(moduleOf(asking), strategyOf()), {
      code: 'NEST_MESSAGE_PATTERN',
      message: /@EventPattern/,
    })
    await assert.rejects(start(moduleOf(), strategyOf()), { code: 'NEST_NO_HANDLERS' })
    const elsewhere: Entry = [topic, () => 1, (pattern) => MessagePattern(pattern, Transport.TCP)]
    await assert.rejects(start(moduleOf(elsewhere), strategyOf()), { code: 'NEST_NO_HANDLERS' })
    const odd: Entry = [topic, () => 1, () => EventPattern({ cmd: 'sum' })]
    await assert.rejects(start(moduleOf(odd), strategyOf()), { code: 'NEST_PATTERN_INVALID' })
    await assert.rejects(start(moduleOf([topic, () => 1]), strategyOf({ group: undefined as unknown as string })), {
      code: 'OPTION_MISSING',
    })
    assert.throws(() => strategyOf().unwrap(), { code: 'NEST_NOT_LISTENING' })
    await strategyOf().close()
  })

  test('handlers of this transport alone; its status, also when the consumer cannot go on', async () => {
    const topic = await topicOf(['bad'])
    const strategy = strategyOf({ onExhausted: 'stop', retry: { attempts: 1 } })
    const statuses: string[] = []
    strategy.status.subscribe((status) => statuses.push(status))
    const failing: Entry = [
      topic,
      () => new Observable((subscriber) => subscriber.error(new Error('the end'))),
      (pattern) => EventPattern(pattern, FANLANE),
    ]
    const app = await start(moduleOf(failing), strategy)
    await assert.rejects(strategy.unwrap<Consumer>().closed)
    await until('it says so', () => statuses.includes('crashed'))
    assert.deepEqual(statuses, ['connected', 'crashed'])
    await app.close()
  })
})
