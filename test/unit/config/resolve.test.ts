/** Settings from everywhere: who counts first, what is refused, and that no secret gets out. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { resolveConfig, secretsOf, shownSettings } from '../../../src/config/resolve.ts'
import { OptionError } from '../../../src/errors.ts'

const directory = mkdtempSync(join(tmpdir(), 'fanlane-config-'))
after(() => rmSync(directory, { recursive: true, force: true }))

let files = 0
function file(text: string, extension = 'json'): string {
  const path = join(directory, `c${++files}.${extension}`)
  writeFileSync(path, text)
  return path
}

const empty = mkdtempSync(join(directory, 'empty-'))

interface Given {
  readonly flags?: Record<string, string>
  readonly env?: Record<string, string>
  readonly config?: string
}
const resolve = ({ flags = {}, env = {}, config }: Given): ReturnType<typeof resolveConfig> =>
  resolveConfig({ flags, env, config, directory: empty })

const refused = (given: Given, code: string, message: RegExp): Promise<void> =>
  assert.rejects(resolve(given), (error: unknown) => {
    assert.ok(error instanceof Error && 'code' in error)
    assert.equal(error.code, code)
    assert.match(error.message, message)
    return true
  })

describe('settings', () => {
  test('flags count before the environment, the environment before the file, the file before defaults', async () => {
    const config = file('{ "group": "file", "concurrency": 1, "limits": { "records": 10, "bytes": 20 } }')
    const env = { KAFKA_GROUP_ID: 'env', FANLANE_CONCURRENCY: '2', FANLANE_GROUP: 'not this one' }
    const resolved = await resolve({ flags: { concurrency: '3' }, env, config })
    assert.deepEqual(resolved.values, { group: 'env', concurrency: 3, limits: { records: 10, bytes: 20 } })
    const from = Object.fromEntries(shownSettings(resolved).map((each) => [each.name, each.from]))
    assert.deepEqual(
      [from.concurrency, from.group, from['limits.records'], from.order],
      ['--concurrency', 'KAFKA_GROUP_ID', config, 'default'],
    )
  })

  test('text becomes what it stands for', async () => {
    const { values } = await resolve({
      flags: {
        topic: 'orders,/^pay\\./',
        concurrency: '10-200',
        engine: 'threads',
        workers: '2',
        'start-from': '2026-01-31T12:00:00Z',
      },
      env: {
        KAFKA_BROKERS: 'a:1, b:2',
        KAFKA_SSL: 'yes',
        KAFKA_SASL_MECHANISM: 'SCRAM-SHA-256',
        FANLANE_DEAD_LETTER_CREATE: 'off',
      },
    })
    assert.deepEqual(values, {
      brokers: ['a:1', 'b:2'],
      client: { tls: true, sasl: { mechanism: 'scram-sha-256' } },
      topics: ['orders', /^pay\./],
      concurrency: { min: 10, max: 200 },
      engine: { kind: 'threads', workers: 2 },
      startFrom: { timestamp: Date.UTC(2026, 0, 31, 12) },
      deadLetter: { create: false },
    })
  })

  test('what is switched off stays off; a name of the environment that is nearly one is pointed out', async () => {
    const env = {
      KAFKA_SSL: 'false',
      KAFKA_SSL_CA: file('a certificate', 'pem'),
      FANLANE_CONCURENCY: '5',
      FANLANE_SOMETHING: 'x',
    }
    const { values, strangers } = await resolve({ env })
    assert.deepEqual(values, { client: { tls: false } })
    assert.deepEqual(strangers, [{ name: 'FANLANE_CONCURENCY', meant: 'FANLANE_CONCURRENCY' }])
    const { values: on } = await resolve({ env: { KAFKA_SSL: 'true', KAFKA_SSL_CA: env.KAFKA_SSL_CA } })
    assert.deepEqual(on, { client: { tls: { ca: 'a certificate' } } })
  })

  test('what makes no sense is refused, with the name it was given under and what it must be', async () => {
    const cases: readonly [Given, RegExp][] = [
      [{ env: { FANLANE_CONCURRENCY: 'NaN' } }, /^FANLANE_CONCURRENCY must be a number.*it is 'NaN'/],
      [{ env: { FANLANE_CONCURRENCY: '-1' } }, /^FANLANE_CONCURRENCY must be a whole number from 1/],
      [{ flags: { concurrency: '1e9' } }, /^--concurrency must be a number/],
      [{ flags: { 'limits-records': '0x10' } }, /^--limits-records must be a number/],
      [{ flags: { 'limits-pause-at': '7' } }, /^--limits-pause-at must be a number from 0.01 to 1; it is 7/],
      [{ flags: { order: 'sideways' } }, /^--order must be 'key' or 'partition' or 'none'/],
      [{ flags: { topic: 'a,,b' } }, /^--topic must be a list/],
      [{ flags: { topic: '/(/' } }, /is no pattern/],
      [{ flags: { 'start-from': 'yesterday' } }, /^--start-from must be 'earliest'/],
      [{ env: { KAFKA_SSL: 'perhaps' } }, /^KAFKA_SSL must be true or false/],
      [{ env: { KAFKA_SSL_CA: join(empty, 'absent.pem') } }, /^KAFKA_SSL_CA must be a file that can be read/],
      [{ config: file('{ "limits": { "records": -5 } }') }, /'limits.records' must be a whole number from 1/],
      [{ config: file('{ "group": 7 }') }, /'group' must be a non-empty string; it is 7/],
      [{ config: file('{ "concurrency": null }') }, /'concurrency' must be/],
    ]
    for (const [given, message] of cases) await refused(given, 'CONFIG_INVALID', message)
  })

  test('keys that nobody knows are refused, with the nearest one; so are those that reach into a prototype', async () => {
    await refused(
      { config: file('{ "concurency": 5 }') },
      'CONFIG_UNKNOWN',
      /unknown setting 'concurency'\. Did you mean 'concurrency'\?/,
    )
    await refused(
      { config: file('{ "retry": { "atempts": 5 } }') },
      'CONFIG_UNKNOWN',
      /'retry\.atempts'\. Did you mean 'attempts'\?/,
    )
    await refused({ config: file('{ "__proto__": { "group": "x" } }') }, 'CONFIG_UNKNOWN', /'__proto__' is no setting/)
    await refused({ config: file('{ "retry": { "constructor": {} } }') }, 'CONFIG_UNKNOWN', /constructor/)
    assert.equal(({} as { group?: string }).group, undefined)
    await refused({ config: file('[1]') }, 'CONFIG_INVALID', /must have an object/)
    await refused({ config: file('{') }, 'CONFIG_INVALID', /is no JSON/)
    await refused({ config: join(empty, 'none.json') }, 'CONFIG_NOT_FOUND', /no config file/)
    await refused({ config: file('throw new Error("boom")', 'mjs') }, 'CONFIG_LOAD_FAILED', /boom/)
    await refused({ config: file('export const x = 1', 'mjs') }, 'CONFIG_INVALID', /export default defineConfig/)
  })

  test('a module may bring functions, and is not written into', async () => {
    const config = file(
      'export const inner = { attempts: 3, isPermanent: () => true }\nexport default { group: "g", retry: inner }',
      'mjs',
    )
    const { values } = await resolve({ flags: { 'retry-attempts': '9' }, config })
    const retry = values.retry as { attempts: number; isPermanent: unknown }
    assert.deepEqual([retry.attempts, typeof retry.isPermanent], [9, 'function'])
    const { inner } = (await import(config)) as { inner: { attempts: number } }
    assert.equal(inner.attempts, 3)
  })

  test('secrets are not shown, and have no flag', async () => {
    const canary = 'canary-5f3a'
    const env = { KAFKA_SASL_PASSWORD: canary, KAFKA_SSL_PASSPHRASE: canary, FANLANE_DASHBOARD_TOKEN: canary }
    const resolved = await resolve({ env, flags: { 'sasl-password': 'from a flag' } })
    assert.ok(!JSON.stringify(shownSettings(resolved)).includes(canary))
    assert.ok(!JSON.stringify(resolved.values).includes('from a flag'))
    assert.ok(secretsOf(resolved).includes(canary))
    const hidden = shownSettings(resolved).filter(({ value }) => value === '[redacted]')
    assert.deepEqual(
      hidden.map(({ name }) => name),
      ['client.tls.passphrase', 'client.sasl.password', 'dashboard.token'],
    )
    const config = file(`{ "client": { "sasl": { "password": "${canary}" } }, "dashboard": { "token": 5 } }`)
    await assert.rejects(
      resolve({ config }),
      (error) => error instanceof OptionError && !error.message.includes(canary),
    )
  })
})
