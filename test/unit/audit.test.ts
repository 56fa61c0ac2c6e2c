/** `npm run audit` at registries that answer, with something and with nothing, and at one that does not. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { root } from '../../scripts/files.ts'
import { type CommandResult, command } from '../support/command.ts'

const advisory = { id: 1, url: 'x', title: 'a hole', severity: 'high', vulnerable_versions: '>=0', cwe: [], cvss: {} }

/** Against a registry of our own: what npm asks it for is what it asks any. */
async function audited(t: TestContext, status: number, answer: object): Promise<CommandResult> {
  const server = createServer((request, response) => {
    request.resume()
    const isAsked = request.method === 'POST' && request.url?.endsWith('/advisories/bulk')
    response.writeHead(isAsked ? status : 404, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const env = { npm_config_registry: registry, npm_config_fetch_retries: '0' }
  return command(process.execPath, [join(root, 'scripts/audit.ts'), '--json'], { cwd: root, env })
}

test('nothing is known: all is well', async (t) => {
  const { code, stdout, stderr } = await audited(t, 200, {})
  const { audit, parts } = JSON.parse(stdout) as { audit: object; parts: { name: string; license: string }[] }
  assert.deepEqual([code, audit], [0, { kind: 'asked', vulnerabilities: 0, told: 'nothing known against it' }], stderr)
  assert.ok(parts.some(({ name, license }) => name === 'commander' && license === 'MIT'))
})

test('something is known: it is named, and it is a failure', async (t) => {
  const { code, stdout, stderr } = await audited(t, 200, { commander: [advisory] })
  const { ok, audit } = JSON.parse(stdout) as { ok: boolean; audit: { vulnerabilities: number; told: string } }
  assert.deepEqual([code, ok, audit.vulnerabilities], [1, false, 1], stderr)
  assert.match(audit.told, /^commander .*: high$/)
})

test('a registry that does not answer such questions: no failure, and said loudly', async (t) => {
  const { code, stdout, stderr } = await audited(t, 405, {})
  assert.equal(code, 0)
  assert.equal((JSON.parse(stdout) as { audit: { kind: string } }).audit.kind, 'not-asked')
  assert.match(stderr, /!!! NOT AUDITED: .*405/)
})
