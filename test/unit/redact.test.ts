import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { codeOf, messageOf } from '../../src/consumer/error-text.ts'
import { redact } from '../../src/consumer/redact.ts'

const CANARY = 'c4n4ry-S3cret'
const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N'

const secret: readonly string[] = [
  `connect postgres://billing:${CANARY}@db:5432/orders failed`,
  `amqp://user:p@${CANARY}@host/vhost`,
  `GET https://${CANARY}@example.com/x: 401`,
  `Authorization: Bearer ${CANARY}`,
  `{"authorization":"Basic ${CANARY}"}`,
  `headers: { 'Proxy-Authorization': 'Digest ${CANARY}' }`,
  `used bearer ${CANARY} for it`,
  `password=${CANARY}`,
  `{"password": "${CANARY} with blanks"}`,
  `{\\"dbPassword\\":\\"x\\"} pwd: '${CANARY}'`,
  `client_secret=${CANARY}&grant=x`,
  `apiKey: ${CANARY}, other: 1`,
  `X-Api-Key: ${CANARY}`,
  `access_token = ${CANARY}`,
  `AWS_SECRET_ACCESS_KEY=${CANARY}`,
  `Set-Cookie: ${CANARY}; Path=/`,
  `sasl.jaas.config=${CANARY}`,
  `-----BEGIN RSA PRIVATE KEY-----\n${CANARY}\n-----END RSA PRIVATE KEY-----`,
  `-----BEGIN PRIVATE KEY-----\n${CANARY}`,
]

const harmless: readonly string[] = [
  'there is no such product',
  'Unexpected token } in JSON at position 4',
  'Basic authentication failed',
  'connect ECONNREFUSED 127.0.0.1:5432',
  'see https://example.com/docs?x=1#y',
  'orders-3@1042 failed: duplicate key value violates unique constraint "orders_pkey"',
  'mail to somebody@example.com bounced',
  'the passenger: Smith',
]

describe('redaction', () => {
  for (const text of secret) {
    test(`a secret is hidden: ${text.slice(0, 40)}`, () => {
      const clean = redact(text)
      assert.ok(!clean.includes(CANARY), clean)
      assert.ok(clean.includes('[redacted]'), clean)
    })
  }

  test('tokens that show what they are are hidden wherever they stand', () => {
    for (const token of [
      jwt,
      'AKIAIOSFODNN7EXAMPLE',
      'ghp_abcdefghijklmnopqrstuvwxyz0123',
      'xoxb-1234567890-abcdefghij',
    ]) {
      assert.equal(redact(`got ${token} back`), 'got [redacted] back')
    }
  })

  for (const text of harmless) {
    test(`what is no secret stays: ${text.slice(0, 40)}`, () => assert.equal(redact(text), text))
  }

  // A pattern that backtracks would take hours here.
  test('no text takes long, however it is made', { timeout: 60_000 }, () => {
    const nasty = ['a.', 'a:', 'password', '"', 'eyJ', '://', 'bearer ', '-----BEGIN ', 'token=', '\\"']
    for (const piece of nasty) redact(piece.repeat(500_000))
    for (const a of nasty) for (const b of nasty) redact(`${a}${b}`.repeat(2_000))
  })
})

describe('errors as text', () => {
  test('whatever was thrown has a code and a message', () => {
    const hostile = {
      get message(): string {
        throw new Error('no')
      },
      get code(): string {
        throw new Error('no')
      },
      toString(): string {
        throw new Error('no')
      },
    }
    const bad = Object.assign(new Error('x'), { code: 'E_X' })
    const cases: readonly (readonly [unknown, string, string])[] = [
      [bad, 'E_X', 'x'],
      [new TypeError('t'), 'TypeError', 't'],
      ['text', 'UNKNOWN', 'text'],
      [undefined, 'UNKNOWN', 'undefined'],
      [null, 'UNKNOWN', 'null'],
      [Object.create(null), 'UNKNOWN', 'an error that cannot be shown'],
      [hostile, 'UNKNOWN', 'an error that cannot be shown'],
      [Symbol('s'), 'UNKNOWN', 'Symbol(s)'],
      [{ code: 42 }, '42', '[object Object]'],
    ]
    for (const [error, code, message] of cases) assert.deepEqual([codeOf(error), messageOf(error)], [code, message])
  })

  test('messages are cut, never through a character', () => {
    const text = messageOf(new Error(`${'a'.repeat(999)}😀😀`))
    assert.equal(text, 'a'.repeat(999))
    assert.equal(messageOf('😀'.repeat(600)).length, 1_000)
    assert.equal(codeOf({ code: 'x'.repeat(5_000) }).length, 200)
  })
})
