/** What the dashboard answers to requests that it does not take, with the codes of docs/errors.md. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { RemoteInstance } from '../../../src/dashboard/remote.ts'
import { SystemClock } from '../../../src/system-clock.ts'
import { ask, frame, gated, stage, TOKEN } from '../../e2e/dashboard/support.ts'

function codeIn(body: string): string {
  return (JSON.parse(body) as { error: { code: string; message: string } }).error.code
}

test('requests that make no sense are refused with a code and what to do', async () => {
  await using scene = await stage({})
  const { url } = scene
  const origin = url.slice(0, -1)
  const json = { origin, 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` }
  const cases = [
    [405, 'METHOD_NOT_ALLOWED', 'api/hello', { method: 'DELETE' }],
    [405, 'METHOD_NOT_ALLOWED', 'api/actions', {}],
    [404, 'NOT_FOUND', 'no-such-page', {}],
    [404, 'NOT_FOUND', 'api/config?group=nobody', {}],
    [400, 'QUERY_INVALID', 'api/stream?page=kitchen', {}],
    [400, 'QUERY_INVALID', 'api/stream?page=partitions&count=-1', {}],
    [415, 'BODY_INVALID', 'api/actions', { method: 'POST', headers: { ...json, 'content-type': 'text/plain' } }],
    [400, 'BODY_INVALID', 'api/actions', { method: 'POST', headers: json, body: '{' }],
    [413, 'BODY_INVALID', 'api/actions', { method: 'POST', headers: json, body: `"${'x'.repeat(200_000)}"` }],
    [403, 'TOKEN_WRONG', '?token=of-somebody-else', {}],
  ] as const
  for (const [status, code, path, request] of cases) {
    const reply = await ask(`${url}${path}`, request)
    assert.equal(reply.status, status, `${path}: ${reply.body}`)
    assert.equal(codeIn(reply.body), code, path)
  }
})

test('TOKEN_NEEDED: a stranger at a dashboard that other machines can reach', async () => {
  await using scene = await stage({}, { host: '0.0.0.0', allowedHosts: ['127.0.0.1'] })
  const reply = await ask(`http://127.0.0.1:${new URL(scene.url).port}/`)
  assert.equal(reply.status, 401)
  assert.equal(codeIn(reply.body), 'TOKEN_NEEDED')
})

test('TOO_MANY_PAGES: every page keeps a stream, and there is a bound', async () => {
  await using scene = await stage({})
  const ends = new AbortController()
  const open = (): Promise<Response> => fetch(`${scene.url}api/stream?page=overview`, { signal: ends.signal })
  let last = await open()
  for (let pages = 1; last.status === 200; pages++) {
    assert.ok(pages < 100, 'there is no bound')
    last = await open()
  }
  assert.equal(last.status, 503)
  assert.equal(codeIn(await last.text()), 'TOO_MANY_PAGES')
  ends.abort()
})

test('STALLED: a record that holds its partition back is on the page of errors', async () => {
  const gate = gated(['slow'])
  await using scene = await stage({ stalledAfterMs: 200, handle: gate.handle })
  await scene.send([{ key: 'slow', value: 'order' }])
  const seen = await frame(scene.url, 'page=errors', (told) => JSON.stringify(told).includes('STALLED'))
  assert.match(JSON.stringify(seen), /"code":"STALLED"/)
  gate.open()
})

test('PEER_REFUSED: another dashboard answers, but not as one', async (t) => {
  const server = createServer((_, response) =>
    response.writeHead(502, { 'content-type': 'application/json' }).end('{}'),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const peer = new RemoteInstance({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: null,
    group: 'billing',
    clock: new SystemClock(),
  })
  await assert.rejects(peer.config(), { code: 'PEER_REFUSED' })
})
