import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { repositoryFiles } from '../scripts/files.ts'
import { checkSpec, ids } from '../scripts/spec.ts'

const head = '| id | requirement | status | proof |\n|---|---|---|---|\n'

/** A SPEC where everything is open but the rows given. */
const specWith = (rows: Record<string, string>): string =>
  head + ids.map((id) => rows[id] ?? `| ${id} | words | open | |\n`).join('')

const file = (text: string): { path: string; text: string } => ({ path: 'test/unit/map.test.ts', text })
const done = { P6: '| P6 | words | done | test/unit/map.test.ts › P6 · a restored map |\n' }

describe('spec', () => {
  test('SPEC.md and the tests agree', () => {
    const files = repositoryFiles()
    const spec = files.find(({ path }) => path === 'docs/SPEC.md')?.text ?? ''
    const tests = files.filter(({ path }) => path.startsWith('test/') && path.endsWith('.ts'))
    assert.deepEqual(checkSpec(spec, tests), [])
  })

  test('there are 64 ids', () => {
    assert.equal(new Set(ids).size, 64)
    assert.equal(ids.length, 64)
    for (const id of ['P9', 'G6', 'R8', 'X8', 'Q12', 'I2b', 'I12', 'I15', 'L6']) assert.ok(ids.includes(id), id)
    assert.ok(!ids.includes('I13'))
  })

  test('all open is fine, and so is a done row with its test', () => {
    assert.deepEqual(checkSpec(specWith({}), []), [])
    assert.deepEqual(checkSpec(specWith(done), [file(`test('P6 · a restored map skips records', f)`)]), [])
    assert.deepEqual(checkSpec(specWith(done), [file(`test(\`P6 · a restored map, seed \${seed}\`, f)`)]), [])
    assert.deepEqual(checkSpec(specWith(done), [file(`await t.test("I2 P6 · a restored map", f)`)]), [])
  })

  const red: readonly { why: string; rows: Record<string, string>; tests: string; problem: RegExp }[] = [
    { why: 'a missing id', rows: { I2b: '' }, tests: '', problem: /^I2b is in SPEC\.md 0 times/ },
    {
      why: 'an id that is there twice',
      rows: { P1: '| P1 | words | open | |\n| P1 | words | open | |\n' },
      tests: '',
      problem: /^P1 is in SPEC\.md 2 times/,
    },
    {
      why: 'an unknown id in the SPEC',
      rows: { P1: '| P1 | words | open | |\n| P10 | words | open | |\n' },
      tests: '',
      problem: /^P10 is in SPEC\.md but is no known id/,
    },
    { why: 'a status that means nothing', rows: { P1: '| P1 | words | nearly | |\n' }, tests: '', problem: /"nearly"/ },
    {
      why: 'done without a proof',
      rows: { P1: '| P1 | words | done | |\n' },
      tests: `test('P1 · x', f)`,
      problem: /names no proof/,
    },
    { why: 'a title that cites an unknown id', rows: {}, tests: `test('P6 Z3 · x', f)`, problem: /unknown id Z3/ },
    {
      why: 'a proof in a file that does not exist',
      rows: { P1: '| P1 | words | open | test/unit/gone.test.ts › P1 · x |\n' },
      tests: '',
      problem: /test\/unit\/gone\.test\.ts, which does not exist/,
    },
    {
      why: 'a proof without a title',
      rows: { P1: '| P1 | words | open | test/unit/map.test.ts |\n' },
      tests: '',
      problem: /no test title/,
    },
    {
      why: 'a proof that names another title',
      rows: done,
      tests: `test('P6 · something else', f)`,
      problem: /does not have: "P6 · a restored map"/,
    },
    {
      why: 'a proof that cites another id',
      rows: { P7: '| P7 | words | open | test/unit/map.test.ts › P6 · x |\n' },
      tests: `test('P6 · x', f)`,
      problem: /^P7 names a test that does not cite it/,
    },
  ]
  for (const { why, rows, tests, problem } of red) {
    test(`finds ${why}`, () => {
      const problems = checkSpec(specWith(rows), [file(tests)])
      assert.equal(problems.length, 1, problems.join('\n'))
      assert.match(problems[0] ?? '', problem)
    })
  }

  const notCited = [
    ['the id in a comment', `// test('P6 · a restored map', f)`],
    ['the id in a string', `const s = "test('P6 · a restored map', f)"`],
    ['the id after the dot', `test('map · P6 a restored map', f)`],
    ['a skipped test', `test.skip('P6 · a restored map', f)`],
    ['a test that is to be written', `test.todo('P6 · a restored map')`],
    ['a test skipped by option', `test('P6 · a restored map', { skip: true }, f)`],
  ] as const
  for (const [why, text] of notCited) {
    test(`finds done with no proof but ${why}`, () => {
      assert.match(checkSpec(specWith(done), [file(text)])[0] ?? '', /^P6 is marked done but no test title cites it/)
    })
  }
})
