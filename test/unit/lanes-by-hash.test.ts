import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { hashBytes, hashKey, hashNone } from '../../src/kernel/lane-hash.ts'
import { LaneTable } from '../../src/kernel/lane-table.ts'

function hashOf(key: string): readonly [number, number] {
  const into = new Int32Array(2)
  hashKey(key, into, 0)
  return [into[0]!, into[1]!]
}

describe('lanes by hash', () => {
  test('P8 I3 · a key has one hash, from its bytes and from its string, wherever the bytes lie', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(9), (key, before) => {
        const bytes = Buffer.concat([Buffer.alloc(before, 7), key, Buffer.alloc(3, 9)])
        const into = new Int32Array(4)
        hashBytes(bytes, before, before + key.length, into, 2)
        assert.deepEqual([...into], [0, 0, ...hashOf(Buffer.from(key).toString('latin1'))])
      }),
    )
  })

  test('P8 · an empty key has a hash, no key has none', () => {
    const into = Int32Array.of(1, 1)
    hashNone(into, 0)
    assert.deepEqual([...into], [0, 0])
    assert.notEqual(hashOf('')[1], 0)
  })

  test('P8 · 300,000 keys that look alike have as many hashes, and their low bits are spread', () => {
    const seen = new Set<string>()
    const places = new Set<number>()
    for (let n = 0; n < 100_000; n++) {
      for (const key of [
        `key-${n}`,
        `order-${String(n).padStart(9, '0')}`,
        Buffer.from(Uint32Array.of(n).buffer).toString('latin1'),
      ]) {
        const [a, b] = hashOf(key)
        seen.add(`${a} ${b}`)
        if (key.startsWith('order')) places.add(a & 0x3ffff)
      }
    }
    assert.equal(seen.size, 300_000)
    // 100,000 balls in 262,144 boxes: 83,000 boxes are hit by chance.
    assert.ok(places.size > 80_000, `${places.size}`)
  })

  test('a table finds what was added and not dropped, like a Map does', () => {
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.record({ kind: fc.constant('add' as const), key: fc.nat(60) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('keep' as const), key: fc.nat(5) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const), key: fc.nat(1) }) },
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const table = new LaneTable()
        const model = new Map<number, number>()
        let next = 0
        // Few different places on purpose: searches have to go on, and around the end.
        const hash = (key: number): [number, number] => [key % 3 === 0 ? -1 : key % 7, key + 1]
        for (const { kind, key } of steps) {
          if (kind === 'clear') {
            table.clear()
            model.clear()
          } else if (kind === 'keep') {
            table.keep((lane) => lane % 5 === key)
            for (const [each, lane] of model) if (lane % 5 !== key) model.delete(each)
          } else if (!model.has(key)) {
            model.set(key, next)
            table.add(...hash(key), next++)
          }
          assert.equal(table.size, model.size)
          for (let each = 0; each <= 60; each++) assert.equal(table.get(...hash(each)), model.get(each) ?? -1)
          assert.deepEqual(
            [...table].sort((x, y) => x - y),
            [...model.values()].sort((x, y) => x - y),
          )
        }
      }),
    )
  })
})
