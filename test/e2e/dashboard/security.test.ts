/** Who gets in, and with what. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { consume } from '../../../src/index.ts'
import { MemoryLog } from '../../../src/testing/index.ts'
import { notebook } from '../support.ts'
import { ask, type Stage, stage, TOKEN } from './support.ts'

const json = { 'content-type': 'application/json' }
const skip = JSON.stringify({ kind: 'skip', topic: 'orders', partition: 0, offset: 0 })

describe('the dashboard, and who asks it', () => {
  let on: Stage
  before(async () => {
    on = await stage({})
  })
  after(() => on[Symbol.asyncDispose]())
  const url = (path: string): string => `${on.url}${path}`
  const codeOf = (body: string): string => JSON.parse(body).error.code

  test('a foreign Host is refused, everywhere but at health and metrics', async () => {
    for (const path of ['', 'api/hello', 'api/stream', 'page/main.js', '?token=x']) {
      const { status, body } = await ask(url(path), { headers: { host: 'evil.example' } })
      assert.equal(status, 421, path)
      assert.equal(codeOf(body), 'HOST_REFUSED')
    }
    for (const path of ['livez', 'readyz', 'metrics']) {
      assert.equal((await ask(url(path), { headers: { host: '10.1.2.3:4000' } })).status, 200, path)
    }
    for (const host of ['localhost:1:2', '[::1', '127.0.0.1@evil.example', 'localhost.evil.example']) {
      assert.notEqual((await ask(url('api/hello'), { headers: { host } })).status, 200, host)
    }
    const { port } = new URL(on.url)
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, 'LOCALHOST']) {
      assert.equal((await ask(url('api/hello'), { headers: { host } })).status, 200, host)
    }
  })

  test('a foreign Origin is refused for actions, also with the token', async () => {
    const headers = { ...json, authorization: `Bearer ${TOKEN}` }
    for (const origin of [
      'http://evil.example',
      'null',
      'http://localhost:1',
      'https://127.0.0.1.evil.example',
      '://',
    ]) {
      const { status, body } = await ask(url('api/actions'), {
        method: 'POST',
        headers: { ...headers, origin },
        body: skip,
      })
      assert.equal(status, 403, origin)
      assert.equal(codeOf(body), 'ORIGIN_REFUSED')
    }
    const own = await ask(url('api/actions'), {
      method: 'POST',
      headers: { ...headers, origin: new URL(on.url).origin },
      body: skip,
    })
    assert.equal(own.status, 409, 'it was let in, and there is no such record')
  })

  test('without the token, or with a wrong one, one may look and not touch', async () => {
    for (const headers of [
      {},
      { authorization: 'Bearer wrong' },
      { cookie: 'fanlane_1=x' },
      { authorization: `Bearer ${TOKEN}x` },
    ]) {
      const { status, body } = await ask(url('api/actions'), {
        method: 'POST',
        headers: { ...json, ...headers },
        body: skip,
      })
      assert.equal(status, 403)
      assert.equal(codeOf(body), 'ACTIONS_OFF')
      assert.equal(JSON.parse((await ask(url('api/hello'), { headers })).body).actions, 'locked')
    }
  })

  test('the link puts the token into a cookie that only we get, and out of the address', async () => {
    const wrong = await ask(url('?token=nonsense'))
    assert.equal(wrong.status, 403)
    const { status, headers } = await ask(url(`?token=${TOKEN}`))
    assert.equal(status, 303)
    assert.equal(headers.location, '/')
    const [cookie = ''] = headers['set-cookie'] ?? []
    assert.match(cookie, /; HttpOnly; SameSite=Strict; Path=\/$/)
    const hello = await ask(url('api/hello'), { headers: { cookie: `a=b; ${cookie.split(';')[0]}; c=d` } })
    assert.equal(JSON.parse(hello.body).actions, 'on')
  })

  test('every answer forbids what a page does not need', async () => {
    for (const path of ['', 'api/hello', 'livez', 'nothing/here']) {
      const { headers } = await ask(url(path))
      assert.match(String(headers['content-security-policy']), /default-src 'self'/)
      assert.doesNotMatch(String(headers['content-security-policy']), /unsafe/)
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['access-control-allow-origin'], undefined)
    }
  })

  test('rubbish: paths, methods, bodies, queries', async () => {
    const notFound = [
      'page/../../../package.json',
      'page/%2e%2e/%2e%2e/server.ts',
      'page/..%2fserver.ts',
      'lib/../assets.ts',
      'page/',
      'lib/',
      'src/index.ts',
      '__proto__',
      'api/__proto__',
      'constructor',
    ]
    for (const path of notFound) assert.equal((await ask(url(path))).status, 404, path)
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'POST', 'PATCH']) {
      assert.equal(
        (await ask(url('api/hello'), { method, body: method === 'POST' ? '{}' : undefined } as never)).status,
        405,
        method,
      )
    }
    assert.equal((await ask(url('api/actions'))).status, 405)
    const headers = { ...json, authorization: `Bearer ${TOKEN}` }
    const act = (body: string, more = {}) =>
      ask(url('api/actions'), { method: 'POST', headers: { ...headers, ...more }, body })
    assert.equal((await act(skip, { 'content-type': 'text/plain' })).status, 415)
    assert.equal((await act('{')).status, 400)
    assert.equal((await act(`"${'x'.repeat(200_000)}"`)).status, 413)
    const bad = [
      '[]',
      'null',
      '1',
      '{}',
      '{"kind":"eval"}',
      '{"kind":"__proto__"}',
      '{"kind":"skip"}',
      '{"kind":"skip","topic":"orders","partition":-1,"offset":0}',
      '{"kind":"skip","topic":"orders","partition":0,"offset":1e99}',
      '{"kind":"skip","topic":{},"partition":0,"offset":0}',
      '{"kind":"concurrency","limit":0}',
      '{"kind":"concurrency","limit":"9"}',
      '{"kind":"pause"}',
      '{"kind":"pause","topic":"orders","partition":1.5}',
      '{"kind":"pause","topic":"orders","also":1}',
      '{"kind":"release","topic":"orders","partition":0}',
      '{"kind":"redrive","topic":"t","offset":1}',
    ]
    for (const body of bad) {
      const reply = await act(body)
      assert.equal(reply.status, 400, body)
      assert.equal(codeOf(reply.body), 'ACTION_INVALID', body)
    }
    for (const query of [
      'page=x',
      'sort=x',
      'page=partitions&from=-1',
      'page=partitions&count=0',
      'page=partitions&count=1e9',
      'cells=NaN',
    ]) {
      assert.equal((await ask(url(`api/stream?${query}`))).status, 400, query)
    }
    assert.equal((await ask(url('api/stream?group=other'))).status, 404)
    assert.equal((await ask(url('api/hello'), { headers: { 'x-long': 'x'.repeat(40_000) } })).status, 431)
  })

  test('bytes that are no HTTP end the connection, and nothing else', async () => {
    const { port } = new URL(on.url)
    for (const bytes of [
      Buffer.from('\x16\x03\x01\x02\x00\x01\x00'),
      Buffer.alloc(100_000, 0xff),
      Buffer.from('GET / HTTP/9.9\r\n\r\n'),
    ]) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes))
        socket.on('error', () => undefined)
        socket.on('close', () => resolve())
        socket.resume()
      })
    }
    assert.equal((await ask(url('api/hello'))).status, 200)
  })

  test('a token, and a password of the connection, are in no answer and in no line of the log', async () => {
    const canary = 'canary-5f1c9a'
    const logger = notebook()
    await using consumer = await consume({
      log: new MemoryLog({ t: 1 }),
      group: 'g',
      topics: ['t'],
      logger,
      client: {
        clientId: 'shown',
        sasl: { mechanism: 'plain', username: 'u', password: canary },
        tls: { key: canary },
      },
      dashboard: { port: 0, allowActions: true, token: `${canary}-token-${canary}` },
      handle: () => undefined,
    })
    const at = consumer.dashboard?.url ?? ''
    const pages = [
      'livez',
      'readyz',
      'metrics',
      'api/hello',
      'api/config',
      'api/history',
      'api/peer',
      '',
      'api/dead-letters',
    ]
    for (const path of pages) assert.doesNotMatch((await ask(`${at}${path}`)).body, new RegExp(canary), path)
    assert.match((await ask(`${at}api/config`)).body, /\[redacted\]/)
    assert.doesNotMatch(JSON.stringify(logger.lines), new RegExp(canary))
    assert.doesNotMatch(JSON.stringify(consumer.dashboard), new RegExp(canary))
  })
})

describe('a dashboard that others can reach', () => {
  const options = { group: 'g', topics: ['t'], logger: notebook(), handle: () => undefined }

  test('is refused without a token, and with a short one', async () => {
    const log = new MemoryLog({ t: 1 })
    await assert.rejects(consume({ ...options, log, dashboard: { port: 0, host: '0.0.0.0' } }), {
      code: 'DASHBOARD_UNPROTECTED',
    })
    await assert.rejects(consume({ ...options, log, dashboard: { port: 0, host: '::' } }), {
      code: 'DASHBOARD_UNPROTECTED',
    })
    await assert.rejects(consume({ ...options, log, dashboard: { port: 0, host: '0.0.0.0', token: 'short' } }), {
      code: 'OPTION_INVALID',
    })
    await assert.rejects(consume({ ...options, log, dashboard: { port: 0, peers: ['file:///etc/passwd'] } }), {
      code: 'OPTION_INVALID',
    })
  })

  test('shows nothing without the token but health and metrics', async () => {
    await using consumer = await consume({
      ...options,
      log: new MemoryLog({ t: 1 }),
      dashboard: { port: 0, host: '0.0.0.0', token: TOKEN, allowedHosts: ['board.example'] },
    })
    const { port } = new URL(consumer.dashboard?.url ?? '')
    const at = (path: string): string => `http://127.0.0.1:${port}/${path}`
    for (const path of ['', 'api/hello', 'page/main.js', 'api/stream', 'api/config'])
      assert.equal((await ask(at(path))).status, 401, path)
    for (const path of ['livez', 'metrics']) assert.equal((await ask(at(path))).status, 200, path)
    const headers = { authorization: `Bearer ${TOKEN}` }
    assert.equal((await ask(at('api/hello'), { headers: { ...headers, host: 'board.example' } })).status, 200)
    assert.equal((await ask(at('api/hello'), { headers: { ...headers, host: 'other.example' } })).status, 421)
    const hello = JSON.parse((await ask(at('api/hello'), { headers })).body)
    assert.equal(hello.actions, 'off')
  })
})
