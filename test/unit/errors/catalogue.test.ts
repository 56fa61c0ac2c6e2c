/**
 * The catalogue of errors is the truth: it has every code that src/ can give, no other, and each of them is provoked
 * somewhere in these tests.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KAFKA_ERRORS, OWN_ERRORS } from '../../../scripts/docs/errors/index.ts'
import { codesIn, codesInSource } from '../../../scripts/error-codes.ts'
import { repositoryFiles } from '../../../scripts/files.ts'
import { tokenize } from '../../../scripts/tokens.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'

const catalogue = OWN_ERRORS.flatMap(({ entries }) => Object.keys(entries))
const found = codesInSource()

/** `ABORTED_` in the source stands for all codes that begin so. */
function stands(inSource: string, code: string): boolean {
  return inSource.endsWith('_') ? code.startsWith(inSource) : inSource === code
}

test('every code in src/ is in the catalogue, once', () => {
  const unknown = found.filter(({ code }) => !catalogue.some((each) => stands(code, each)))
  assert.deepEqual(
    unknown.map(
      ({ code, path, line }) => `${path}:${line} ${code}: add it to scripts/docs/errors/, then npm run generate`,
    ),
    [],
  )
  assert.equal(new Set(catalogue).size, catalogue.length)
})

test('every code in the catalogue is one that src/ can give', () => {
  const dead = catalogue.filter((code) => !found.some((each) => stands(each.code, code)))
  assert.deepEqual(dead, [])
  const notKafkas = Object.keys(KAFKA_ERRORS.entries).filter((code) => !Object.hasOwn(errorCodes, code))
  assert.deepEqual(notKafkas, [])
})

test('every code is provoked in a test', () => {
  const asserted = new Set<string>()
  for (const { path, text } of repositoryFiles()) {
    if (!path.startsWith('test/') || !path.endsWith('.ts')) continue
    for (const token of tokenize(text)) {
      if (token.kind !== 'string' && token.kind !== 'template' && token.kind !== 'regex') continue
      // A title names a code and proves nothing.
      if (/[A-Z_]{5,}.* /.test(token.text) && token.kind === 'string') continue
      for (const [word] of token.text.matchAll(/(?<![A-Za-z_])[A-Z][A-Z0-9_]{4,}(?![A-Za-z])/g)) asserted.add(word)
    }
  }
  assert.deepEqual(
    catalogue.filter((code) => !asserted.has(code)),
    [],
  )
})

test('entries say what it means, why, and what to do, in sentences', () => {
  for (const { entries } of [...OWN_ERRORS, KAFKA_ERRORS]) {
    for (const [code, parts] of Object.entries(entries)) {
      for (const part of parts) assert.match(part, /^\S.*\.$/s, `${code}: '${part}'`)
      assert.ok(parts.join(' ').length > 60, `${code} is told in too few words`)
    }
  }
})

/** What becomes part of a longer sentence, or is answered to clients in Kafka's own words. */
const CLAUSES = /^src\/(protocol\/|broker\/server\/(connection|sasl|scram)\.ts)/
/** Answers to a browser or to whoever drives a client by hand: the whole fix is in them. */
const SHORT: ReadonlySet<string> = new Set([
  'BODY_INVALID',
  'METHOD_NOT_ALLOWED',
  'NOT_FOUND',
  'QUERY_INVALID',
  'NOT_STARTED',
])

test('messages are sentences that name cause and fix', () => {
  const poor = found.filter(({ code, path, message }) => {
    if (message === null || CLAUSES.test(path)) return false
    // What is filled in are names and reasons.
    const text = message.replaceAll('…', 'something that is told')
    return !/[.?]$|is told$/.test(text) || (text.length <= 30 && !SHORT.has(code))
  })
  assert.deepEqual(
    poor.map(({ path, line, code, message }) => `${path}:${line} ${code} ${message}`),
    [],
  )
})

test('the search finds what is planted', () => {
  const planted = `throw new FanlaneError('PLANTED_ONE', 'Short.')
    throw new HttpError(400, 'ONEWORD', \`a \${b} c.\`)
    return { code: 'PLANTED_TWO' } // 'NOT_IN_A_COMMENT'
    const env = process.env.KAFKA_BROKERS ?? 'KAFKA_BROKERS'
    throw new FanlaneError(\`PREFIX_\${reason}\`, 'Text.')`
  assert.deepEqual(
    codesIn('x.ts', planted).map(({ code, message }) => [code, message]),
    [
      ['PLANTED_ONE', 'Short.'],
      ['ONEWORD', 'a … c.'],
      ['PLANTED_TWO', null],
      ['PREFIX_', null],
    ],
  )
})
