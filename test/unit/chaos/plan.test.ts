/** The schedule of the chaos run: the seed says everything. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { planOf } from '../../chaos/plan.ts'
import { meaningOf, type Planned, workload } from '../../chaos/workload.ts'

const options = { mode: 'at-least-once', seed: 7, records: 1_000, kills: 30, large: false, engine: 'async' } as const

function take(count: number, seed: number, valueBytes = 0): readonly Planned[] {
  const source = workload(seed, 1_000, valueBytes)
  return Array.from({ length: count }, () => source.next().value)
}

describe('the plan of the chaos run', () => {
  test('the same seed gives the same faults in the same order, another one gives others', () => {
    assert.deepEqual(planOf(options), planOf(options))
    assert.notDeepEqual(planOf(options).faults, planOf({ ...options, seed: 8 }).faults)
  })

  test('there are as many kills as asked for, and every other kind of fault', () => {
    const kinds = planOf(options).faults.map(({ kind }) => kind)
    assert.equal(kinds.filter((kind) => kind === 'kill').length, 30)
    const others = ['freeze', 'broker-clean', 'broker-kill', 'cut', 'delay', 'drop-answers', 'churn', 'letters-down']
    assert.deepEqual(new Set(kinds), new Set(['kill', ...others]))
    assert.deepEqual(planOf({ ...options, kills: 0 }).faults, [])
  })

  test('the mode changes nothing in it: all three face the same', () => {
    const { faults, settings } = planOf({ ...options, mode: 'exactly-once' })
    assert.deepEqual({ faults, settings }, { faults: planOf(options).faults, settings: planOf(options).settings })
  })

  test('a key counts its records, the first keys are the most frequent, and one in a hundred is poison', () => {
    const records = take(20_000, 3)
    assert.deepEqual(records, take(20_000, 3))
    const counts = new Map<string, number>()
    let poison = 0
    for (const { key, value } of records) {
      const meaning = meaningOf(value)
      assert.deepEqual([meaning.key, meaning.seq], [key, counts.get(key) ?? 0])
      counts.set(key, meaning.seq + 1)
      if (meaning.poison !== null) poison++
    }
    assert.ok((counts.get('k0') ?? 0) > 3 * (counts.get('k9') ?? 0))
    assert.ok(poison > 100 && poison < 300, `${poison}`)
  })

  test('a large value says the same', () => {
    const [small] = take(1, 5)
    const [large] = take(1, 5, 10_000)
    assert.equal(large?.value.length, 10_000)
    assert.deepEqual(meaningOf(large?.value ?? ''), meaningOf(small?.value ?? ''))
  })
})
