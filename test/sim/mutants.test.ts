/** The mutants themselves run by `npm run mutants`; here only that each of them can still be planted. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { mutants } from '../../scripts/mutant-list.ts'

test('every mutant finds its place in the source exactly once', () => {
  for (const { name, edits } of mutants) {
    for (const { file, find, replace } of edits) {
      const text = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8')
      assert.equal(text.split(find).length - 1, 1, `"${name}" in src/${file}`)
      assert.notEqual(find, replace)
    }
  }
})

test('the mutants that must be killed are all in the list', () => {
  const names = new Set(mutants.map(({ name }) => name))
  for (const name of [
    'commit highest seen',
    'no epoch check',
    'map base off by one',
    'keep a stale lease',
    'key identity by reference',
    'key not held',
    'retry to the tail',
    'swallowed failure',
    'dead-letter failure ignored',
    'buffer count leaks on revoke',
    'no backpressure',
    'commit error taken as success',
    'batch dropped when full',
    'log hole stalls',
    'no size guard',
    'dispatch after revoke',
    'pipelined commits',
    'double completion',
    'exactly-once replay on unknown outcome',
    'read offsets before fencing',
    'fetch offsets without RequireStable',
  ]) {
    assert.ok(names.has(name), name)
  }
})
