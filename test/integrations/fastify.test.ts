/** A consumer in a real Fastify: probes, metrics and a close that drains. Its dashboard is in fastify-dashboard.test.ts. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import { type Consumer, consume, json } from '../../src/index.ts'
import { type FanlanePluginOptions, fanlane } from '../../src/integrations/fastify/index.ts'
import { MemoryLog } from '../../src/testing/index.ts'
import { notebook } from '../e2e/support.ts'
import { until } from '../support/wait.ts'

const logger = notebook()

function logOf(count: number): MemoryLog {
  const log = new MemoryLog({ orders: 2 })
  for (let at = 0; at < count; at++) log.append('orders', { key: `k${at % 3}`, value: JSON.stringify({ at }) })
  return log
}

async function appOf(options: FanlanePluginOptions, app: FastifyInstance = Fastify()): Promise<FastifyInstance> {
  await app.register(fanlane, options)
  await app.ready()
  return app
}

describe('Fastify', { timeout: 60_000 }, () => {
  test('probes, metrics and the decoration, by inject', async () => {
    const app = Fastify()
    const seen: number[] = []
    await app.register(fanlane, {
      prefix: '/internal',
      consume: () =>
        consume({
          log: logOf(9),
          dashboard: { port: 0 },
          group: 'g',
          topics: ['orders'],
          logger,
          decode: { value: json<{ at: number }>() },
          handle: ({ value }) => void seen.push(value?.at ?? -1),
        }),
    })
    await app.ready()
    await app.fanlane.idle()
    assert.equal(seen.length, 9)
    const live = await app.inject('/internal/livez')
    assert.equal(live.statusCode, 200)
    assert.deepEqual(live.json(), { status: 'ok', reasons: [] })
    assert.equal((await app.inject('/internal/readyz')).statusCode, 200)
    const metrics = await app.inject('/internal/metrics')
    assert.match(String(metrics.headers['content-type']), /^text\/plain/)
    assert.match(metrics.body, /^fanlane_\w+\{.*group="g".*\} \d/m)
    assert.equal((await app.inject('/livez')).statusCode, 404, 'only under the prefix')
    assert.equal((await app.inject('/internal/dashboard/')).statusCode, 401, 'the page takes the token')
    await app.close()
  })

  test('with dashboardUrl, people are sent there; an open route gives no token away', async () => {
    const consumer = await consume({
      log: logOf(1),
      group: 'g',
      topics: ['orders'],
      logger,
      dashboard: { port: 0, allowActions: true },
      handle: () => undefined,
    })
    const app = await appOf({ consumer, dashboardUrl: 'https://consumers.example/' })
    const redirect = await app.inject('/dashboard')
    assert.deepEqual([redirect.statusCode, redirect.headers.location], [302, 'https://consumers.example/'])
    await app.close()
    await consumer.closed
  })

  test('R7 · closing drains: what runs ends, and is committed; the rest is for the next one', async () => {
    const log = logOf(30)
    const ended: number[] = []
    let running = 0
    const release = Promise.withResolvers<void>()
    const options = {
      log,
      group: 'g',
      topics: ['orders'],
      logger,
      concurrency: 3,
      decode: { value: json<{ at: number }>() },
    }
    const app = Fastify()
    await app.register(fanlane, {
      consume: () =>
        consume({
          ...options,
          dashboard: { port: 0 },
          handle: async ({ value }) => {
            running++
            await release.promise
            ended.push(value?.at ?? -1)
          },
        }),
    })
    await app.ready()
    await until('three handlers run', () => running === 3)
    let isOver = false
    app.fanlane.closed.then(() => {
      isOver = true
    }, assert.fail)
    const closing = app.close()
    release.resolve()
    await closing
    assert.ok(isOver, 'close() waits for the consumer')
    const before = ended.length
    assert.ok(before >= 3 && before < 30, `${before} ended`)
    const next = await consume({ ...options, handle: ({ value }) => void ended.push(value?.at ?? -1) })
    await next.idle()
    await next.close()
    assert.deepEqual(
      ended.toSorted((a, b) => a - b),
      Array.from({ length: 30 }, (_, at) => at),
    )
  })

  test('a consumer that cannot go on: not alive, not ready, and the application still closes', async () => {
    const app = await appOf({
      consume: {
        log: logOf(1),
        group: 'g',
        topics: ['orders'],
        logger,
        onExhausted: 'stop',
        retry: { attempts: 1 },
        handle: () => {
          throw new Error('the end')
        },
      },
    })
    await assert.rejects(app.fanlane.closed)
    for (const path of ['/livez', '/readyz', '/metrics']) {
      const answer = await app.inject(path)
      assert.equal(answer.statusCode, 503, path)
      assert.match(answer.body, /ended/)
    }
    await app.close()
  })

  test('two consumers in one application', async () => {
    const app = Fastify()
    const options = { log: logOf(2), topics: ['orders'], logger, handle: () => undefined }
    await app.register(fanlane, { consume: { ...options, group: 'a' } })
    await app.register(fanlane, { consume: { ...options, group: 'b' }, name: 'second', prefix: '/second' })
    await app.ready()
    await app.fanlane.idle()
    await (app as unknown as { second: Consumer }).second.idle()
    assert.match((await app.inject('/metrics')).body, /group="a"/)
    assert.match((await app.inject('/second/metrics')).body, /group="b"/)
    await app.close()
  })

  test('what cannot work is refused at the start, and nothing goes on running', async () => {
    const options = { log: logOf(0), group: 'g', topics: ['orders'], logger, handle: () => undefined }
    const bare = await consume(options)
    const app = Fastify()
    await assert.rejects(appOf({ consumer: bare }, app), { code: 'FASTIFY_NO_DASHBOARD', message: /port: 0/ })
    await app.close()
    await bare.closed
    await assert.rejects(appOf({} as never), { code: 'OPTION_INVALID' })
    await assert.rejects(appOf({ consume: { ...options, group: 7 as unknown as string } }), { code: 'OPTION_INVALID' })
    // The name is taken: the consumer that was started for it ends with the application.
    const taken = Fastify()
    taken.decorate('fanlane', 1 as never)
    await assert.rejects(appOf({ consume: options }, taken), /fanlane/)
    await taken.close()
  })
})
