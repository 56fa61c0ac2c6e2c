/**
 * The dashboard as a part of a real Fastify application, over sockets: the page and all of its files under a prefix, the stream,
 * actions, and the checks that it has on a port of its own.
 */
import assert from 'node:assert/strict'
import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import { consume } from '../../src/index.ts'
import { fanlane } from '../../src/integrations/fastify/index.ts'
import { MemoryLog } from '../../src/testing/index.ts'
import { notebook } from '../e2e/support.ts'
import { until, within } from '../support/wait.ts'

const token = 'a-token-for-tests-only'
const under = '/internal/dashboard'
const pausing = JSON.stringify({ kind: 'pause', topic: 'orders' })

interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Node's own client: unlike fetch it sends any Host. */
function ask(url: string, options: RequestOptions = {}, body?: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const codeIn = ({ body }: Reply): string => (JSON.parse(body) as { error: { code: string } }).error.code

const bearer = { authorization: `Bearer ${token}` }

async function opened(
  t: TestContext,
  dashboardReaders: 'token' | 'anybody' = 'anybody',
): Promise<{ app: FastifyInstance; base: string; port: string }> {
  const log = new MemoryLog({ orders: 2 })
  log.append('orders', { key: 'k', value: 'order' })
  const app = Fastify()
  await app.register(fanlane, {
    prefix: '/internal',
    dashboardReaders,
    consume: () =>
      consume({
        log,
        group: 'billing',
        topics: ['orders'],
        logger: notebook(),
        dashboard: { port: 0, token, allowActions: true, allowedHosts: ['shop.example'] },
        handle: () => undefined,
      }),
  })
  // A body that the application's own routes read must still be read.
  app.post('/echo', ({ body }) => body)
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.after(() => app.close())
  const { port } = app.server.address() as AddressInfo
  return { app, base: `http://127.0.0.1:${port}${under}`, port: String(port) }
}

describe('the dashboard in Fastify', { timeout: 60_000 }, () => {
  test('the page and every file that it asks for, all of them by relative names', async (t) => {
    const { base } = await opened(t)
    const bare = await ask(`${base}?x=1`)
    assert.deepEqual([bare.status, bare.headers.location], [303, './dashboard/?x=1'])
    const seen = new Map<string, string>()
    const visit = async (url: string): Promise<void> => {
      if (seen.has(url)) return
      seen.set(url, '')
      const { status, body, headers } = await ask(url)
      assert.equal(status, 200, url)
      assert.match(String(headers['content-security-policy']), /default-src 'self'/)
      seen.set(url, body)
      const names = [
        ...body.matchAll(/(?:href|src)="([^"]+)"/g),
        ...body.matchAll(/(?:\bfrom|\bimport)\s*["']([\w@./-]+)["']/g),
      ].map(([, name = '']) => name)
      for (const name of names) {
        if (name.startsWith('data:') || name.startsWith('#')) continue
        assert.doesNotMatch(name, /^\//, `${url} asks for ${name}, which is not under the prefix`)
        await visit(new URL(name, url).href)
      }
    }
    await visit(`${base}/`)
    assert.ok(seen.size > 15, `${seen.size} files`)
    for (const [url, body] of seen) assert.doesNotMatch(body, /['"`]\/(api|lib|page)\//, url)
    assert.deepEqual((JSON.parse((await ask(`${base}/api/hello`)).body) as { groups: string[] }).groups, ['billing'])
    for (const path of ['/nowhere', '/page/%2e%2e/%2e%2e/server.ts', '/api/nothing']) {
      assert.equal((await ask(`${base}${path}`)).status, 404, path)
    }
  })

  test('the stream comes frame by frame, and does not hold up the end of the application', async (t) => {
    const { app, base } = await opened(t)
    const response = await fetch(`${base}/api/stream?page=overview&group=billing`)
    assert.match(String(response.headers.get('content-type')), /^text\/event-stream/)
    let text = ''
    const reading = (async () => {
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk
    })()
    reading.catch(() => undefined)
    await until('two frames', () => text.split('event: frame').length > 2)
    await within('the application closes', app.close())
    await within('the stream ends', Promise.allSettled([reading]))
  })

  test('actions: with the token and from its own page, else not', async (t) => {
    const { app, base, port } = await opened(t)
    const url = `${base}/api/actions`
    const own = `http://127.0.0.1:${port}`
    const json = { 'content-type': 'application/json' }
    const act = (headers: Record<string, string>): Promise<Reply> =>
      ask(url, { method: 'POST', headers: { ...json, ...headers } }, pausing)
    assert.equal(codeIn(await act({ origin: own })), 'ACTIONS_OFF')
    assert.equal(codeIn(await act({ ...bearer, origin: 'http://evil.example' })), 'ORIGIN_REFUSED')
    assert.equal(codeIn(await act({ ...bearer, origin: 'http://127.0.0.1:1' })), 'ORIGIN_REFUSED')
    assert.equal(codeIn(await act({ ...bearer, host: 'evil.example' })), 'HOST_REFUSED')
    assert.equal(app.fanlane.snapshot().partitions.flatMap(({ paused }) => paused).length, 0, 'nothing was done')
    // As a browser does it: the token once, then the cookie.
    assert.equal(codeIn(await ask(`${base}/?token=of-somebody-else`)), 'TOKEN_WRONG')
    const unlocked = await ask(`${base}/?token=${token}`)
    assert.deepEqual([unlocked.status, unlocked.headers.location], [303, './'])
    const [cookie = ''] = unlocked.headers['set-cookie'] ?? []
    assert.match(cookie, /HttpOnly; SameSite=Strict$/)
    const done = await act({ cookie: cookie.split(';')[0] ?? '', origin: own })
    assert.equal(done.status, 200, done.body)
    await until('it is paused', () => app.fanlane.snapshot().partitions.some(({ paused }) => paused.length > 0))
    const echo = await ask(`${own}/echo`, { method: 'POST', headers: json }, '{"a":1}')
    assert.equal(echo.body, '{"a":1}', 'the bodies of other routes are read as ever')
  })

  test('to look takes the token, too, by whatever name and from wherever: a proxy may stand in between', async (t) => {
    const { base } = await opened(t, 'token')
    const from = (headers: Record<string, string>): Promise<Reply> => ask(`${base}/api/hello`, { headers })
    // As nginx passes on what came from elsewhere, unless it is told otherwise: it looks like somebody at this machine.
    assert.equal(codeIn(await from({ host: 'localhost' })), 'TOKEN_NEEDED')
    assert.equal(codeIn(await from({ host: 'shop.example' })), 'TOKEN_NEEDED')
    assert.equal(codeIn(await from({ host: 'evil.example', ...bearer })), 'HOST_REFUSED')
    assert.equal((await from({ host: 'shop.example', ...bearer })).status, 200)
    for (const path of ['/', '/page/main.js', '/api/stream', '/api/config']) {
      assert.equal((await ask(`${base}${path}`)).status, 401, path)
    }
    const [cookie = ''] = (await ask(`${base}/?token=${token}`)).headers['set-cookie'] ?? []
    assert.equal((await from({ cookie: cookie.split(';')[0] ?? '' })).status, 200)
  })

  test('DASHBOARD_CLOSED: the consumer has ended, and the application has not', async (t) => {
    const { app, base } = await opened(t)
    await app.fanlane.close()
    const reply = await ask(`${base}/`)
    assert.deepEqual([reply.status, codeIn(reply)], [503, 'DASHBOARD_CLOSED'])
  })
})
