/** The judge of the chaos run, shown runs that broke a promise: each must be noticed, and the same run without it must not. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encodeMap } from '../../../src/kernel/offset-map/index.ts'
import { type Evidence, judge } from '../../chaos/judge.ts'
import { type Entry, type Fact, inOrder } from '../../chaos/ledger.ts'
import type { Mode } from '../../chaos/plan.ts'
import type { Found } from '../../chaos/topics.ts'

/** One partition with k0:0, k1:0, k0:1, k1:1, … */
const count = 8
const keyOf = (offset: number): string => `k${offset % 2}`
const seqOf = (offset: number): number => offset >> 1
const textOf = (offset: number): string => `${keyOf(offset)}:${seqOf(offset)}`
const found = (offset: number, value: string): Found => ({ partition: 0, offset, key: null, value, headers: {} })

const input: readonly Found[] = Array.from({ length: count }, (_, offset) => found(offset, textOf(offset)))
const acknowledged = input.map(({ value, partition, offset }) => ({ value, partition, offset }))
const outputOf = (offset: number): string => `0/${offset}/${textOf(offset)}`
const outputs = input.map(({ offset }) => found(offset, outputOf(offset)))

/** A ledger written by hand: a line a microsecond. */
class Story {
  readonly entries: Entry[] = []

  say(member: string, fact: Fact): this {
    this.entries.push({ member, atNs: (this.entries.length + 1) * 1_000, ...fact })
    return this
  }

  assigned(member: string): this {
    return this.say(member, { kind: 'assigned', partitions: [0] })
  }

  start(member: string, offset: number, attempt = 1): this {
    return this.say(member, {
      kind: 'start',
      partition: 0,
      offset,
      key: keyOf(offset),
      seq: seqOf(offset),
      attempt,
    })
  }

  end(member: string, offset: number): this {
    return this.say(member, { kind: 'end', partition: 0, offset, key: keyOf(offset), seq: seqOf(offset), attempt: 1 })
  }

  run(member: string, ...offsets: readonly number[]): this {
    for (const offset of offsets) this.start(member, offset).end(member, offset)
    return this
  }

  committed(member: string, position: number, ...ahead: readonly number[]): this {
    return this.say(member, { kind: 'committed', partition: 0, position, metadata: mapOf(position, ahead) })
  }
}

function mapOf(position: number, ahead: readonly number[]): string {
  if (ahead.length === 0) return ''
  const runs: number[] = []
  let at = position
  for (const offset of ahead) {
    if (runs.length > 0 && offset === at) runs[runs.length - 1] = (runs.at(-1) ?? 0) + 1
    else runs.push(offset - at, 1)
    at = offset + 1
  }
  const map = encodeMap(position as never, runs, { maxChars: 1_000, alphabet: 'base64', truncate: true })
  assert.ok(map !== null)
  return map.text
}

function verdict(mode: Mode, story: Story, changed: Partial<Evidence> = {}): ReturnType<typeof judge> {
  return judge({
    mode,
    input,
    acknowledged,
    entries: inOrder(story.entries),
    outputs: mode === 'at-most-once' ? null : outputs,
    letters: [],
    limitRecords: 5,
    mayDieInside: false,
    ...changed,
  })
}

const promises = ({ broken }: ReturnType<typeof judge>): string[] => broken.map(({ promise }) => promise)

describe('the judge of the chaos run', () => {
  test('I1 I3 I15 · a kill that repeats what was not committed is no fault, and the bound says how much that was', () => {
    const story = new Story()
      .assigned('a')
      .run('a', 0, 1, 2, 3)
      .committed('a', 3)
      .start('a', 4)
      .assigned('b')
      .run('b', 3, 4, 5, 6, 7)
      .committed('b', 8)
    const { broken, duplicated, bound, lost, reordered, records } = verdict('at-least-once', story)
    assert.deepEqual(
      { broken, duplicated, bound, lost, reordered, records },
      {
        broken: [],
        duplicated: 2,
        bound: 2,
        lost: 0,
        reordered: 0,
        records: 8,
      },
    )
  })

  test('I15 · what is in the map of the last commit is not among what may run again, what was dropped from it is', () => {
    const story = (...map: readonly number[]): Story =>
      new Story()
        .assigned('a')
        .run('a', 0, 1, 2, 4, 6)
        .committed('a', 3, 4, 6)
        .committed('a', 3, ...map)
        .start('a', 3)
        .assigned('b')
        .run('b', 3, 5, 7)
    const whole = verdict('at-least-once', story(4, 6))
    assert.deepEqual([whole.duplicated, whole.bound, ...promises(whole)], [1, 1])
    const dropped = verdict('at-least-once', story(6).run('b', 4))
    assert.deepEqual([dropped.duplicated, dropped.bound, ...promises(dropped)], [2, 2])
  })

  test('I1 · a lost record is noticed', () => {
    const story = new Story().assigned('a').run('a', 0, 1, 2, 3, 4, 5, 6).committed('a', 7)
    const result = verdict('at-least-once', story, { outputs: outputs.slice(0, 7) })
    assert.equal(result.lost, 1)
    assert.ok(promises(result).includes('I1'))
  })

  test('I1 · a record that was handled and whose output is not there is lost', () => {
    const story = new Story().assigned('a').run('a', 0, 1, 2, 3, 4, 5, 6, 7)
    const result = verdict('at-least-once', story, { outputs: outputs.slice(1) })
    assert.equal(result.lost, 1)
    assert.deepEqual(promises(result), ['I1'])
  })

  test('I1 · poison without a letter is lost, with one it is not', () => {
    const poisoned = input.with(7, found(7, `${textOf(7)}!permanent`))
    const told = { input: poisoned, acknowledged: acknowledged.slice(0, 7), outputs: outputs.slice(0, 7) }
    const story = (): Story => new Story().assigned('a').run('a', 0, 1, 2, 3, 4, 5, 6).start('a', 7)
    const letter = {
      ...found(0, ''),
      headers: { 'fanlane-source-partition': '0', 'fanlane-source-offset': '7' },
    }
    const written = story().say('a', { kind: 'letter', partition: 0, offset: 7 })
    assert.deepEqual(promises(verdict('at-least-once', written, { ...told, letters: [letter] })), [])
    assert.equal(verdict('at-least-once', written, told).lost, 1)
    assert.equal(verdict('at-least-once', story(), { ...told, letters: [letter] }).lost, 1)
  })

  test('I3 · a record that starts before an earlier one of its key has ended is noticed, in one process or in two', () => {
    const inOne = new Story().assigned('a').start('a', 0).run('a', 1, 2).end('a', 0).run('a', 3, 4, 5, 6, 7)
    assert.equal(verdict('at-least-once', inOne).reordered, 1)
    const inTwo = new Story()
      .assigned('a')
      .start('a', 0)
      .assigned('b')
      .run('b', 2)
      .end('a', 0)
      .run('b', 1, 3, 4, 5, 6, 7)
    const result = verdict('at-least-once', inTwo)
    assert.equal(result.reordered, 1)
    assert.deepEqual(promises(result), ['I3'])
  })

  test('I8 · two of a key at once in one process are noticed, also when the earlier one had ended elsewhere', () => {
    const story = new Story()
      .assigned('a')
      .run('a', 0)
      .assigned('b')
      .start('b', 0)
      .run('b', 2)
      .end('b', 0)
      .run('b', 1, 3, 4, 5, 6, 7)
    const result = verdict('at-least-once', story)
    assert.deepEqual(promises(result), ['I8'])
    assert.equal(result.reordered, 1)
  })

  test('I15 · a record that was committed and runs again is noticed: behind the position, and in the map', () => {
    for (const offset of [0, 4]) {
      const story = new Story()
        .assigned('a')
        .run('a', 0, 1, 2, 4)
        .committed('a', 3, 4)
        .assigned('b')
        .run('b', offset, 3, 5, 6, 7)
      const result = verdict('at-least-once', story)
      assert.deepEqual(promises(result), ['I15', 'I15'], `${offset}`)
      assert.equal(result.duplicated, 1)
      assert.equal(result.bound, 0)
    }
  })

  test('I15 · a record that starts twice in one lease is noticed, a retry is not', () => {
    const twice = new Story().assigned('a').run('a', 0, 1, 2, 3, 4, 5, 6, 7, 7)
    assert.ok(promises(verdict('at-least-once', twice)).includes('I15'))
    const retried = new Story().assigned('a').run('a', 0, 1, 2, 3, 4, 5, 6)
    retried.start('a', 7).say('a', {
      kind: 'failed',
      partition: 0,
      offset: 7,
      key: keyOf(7),
      seq: seqOf(7),
      attempt: 1,
    })
    retried.start('a', 7, 2).end('a', 7)
    assert.deepEqual(promises(verdict('at-least-once', retried)), [])
  })

  test('I8 I15 · what died with its worker may start again, what had ended may not', () => {
    const died = new Story().assigned('a').start('a', 0).run('a', 0, 1, 2, 3, 4, 5, 6, 7)
    assert.deepEqual(promises(verdict('at-least-once', died, { mayDieInside: true })), [])
    assert.deepEqual(promises(verdict('at-least-once', died)), ['I15', 'I8', 'I15'])
    const again = new Story().assigned('a').run('a', 0, 0, 1, 2, 3, 4, 5, 6, 7)
    assert.deepEqual(promises(verdict('at-least-once', again, { mayDieInside: true })), ['I15', 'I15'])
  })

  test('I15 · a process that wakes up may go on for a moment, until it knows; one that never notices is noticed', () => {
    const story = (limitRecords: number, times: number): ReturnType<typeof judge> => {
      const asleep = new Story().assigned('a').run('a', 0).assigned('b').run('b', 0, 1, 2, 3, 4, 5, 6, 7)
      for (let time = 0; time < times; time++) asleep.start('a', 1, time + 1).start('a', 3, time + 1)
      return verdict('at-least-once', asleep, { limitRecords, mayDieInside: true })
    }
    const once = story(3, 1)
    assert.deepEqual([once.late, once.bound, once.duplicated], [2, 1 + 3, 3])
    assert.ok(!promises(once).includes('I15'))
    assert.equal(story(1, 1).bound, 1 + 2)
    assert.ok(promises(story(1, 6)).includes('I15'))
  })

  test('I15 · an unknown transaction opens the leases again, but not for one who has lost the partition meanwhile', () => {
    const rerun = new Story().assigned('a').run('a', 0, 1).committed('a', 1).say('a', { kind: 'renewed' })
    assert.deepEqual(promises(verdict('exactly-once', rerun.run('a', 1, 2, 3, 4, 5, 6, 7))), [])
    const asleep = new Story()
      .assigned('a')
      .run('a', 0, 1)
      .assigned('b')
      .run('b', 0, 1, 2, 3, 4, 5, 6, 7)
      .committed('b', 8)
    const awake = asleep.say('a', { kind: 'renewed' }).run('a', 2)
    const { late, broken } = verdict('exactly-once', awake)
    assert.deepEqual([late, broken], [1, []])
  })

  test('I11 · a start after the partition was given up is noticed, one after it came back is not', () => {
    const story = (isBack: boolean): Story => {
      const told = new Story()
        .assigned('a')
        .run('a', 0)
        .say('a', { kind: 'revoked', partitions: [0] })
      return (isBack ? told.assigned('a') : told).run('a', 1, 2, 3, 4, 5, 6, 7)
    }
    assert.equal(promises(verdict('at-least-once', story(false))).filter((each) => each === 'I11').length, 7)
    assert.deepEqual(promises(verdict('at-least-once', story(true))), [])
  })

  test('I2 I2b · a commit that claims what has not ended is noticed: position and map', () => {
    for (const [position, ahead] of [
      [3, []],
      [1, [2]],
    ] as const) {
      const story = new Story()
        .assigned('a')
        .run('a', 0, 1)
        .committed('a', position, ...ahead)
        .run('a', 2, 3, 4, 5, 6, 7)
      assert.deepEqual(promises(verdict('at-least-once', story)), ['I2'])
    }
  })

  test('I1 · at-most-once: a second start is noticed, a loss is counted', () => {
    const story = new Story().assigned('a').run('a', 0, 1, 2).committed('a', 5).assigned('b').run('b', 5, 6, 7)
    const lossy = verdict('at-most-once', story)
    assert.deepEqual(promises(lossy), [])
    assert.equal(lossy.lost, 2)
    const twice = verdict('at-most-once', story.run('b', 7))
    assert.deepEqual(promises(twice), ['I1'])
    assert.equal(twice.duplicated, 1)
  })

  test('I3 · at-most-once: an earlier record of a key after a later one is noticed', () => {
    const result = verdict('at-most-once', new Story().assigned('a').run('a', 1, 3, 2, 0))
    assert.equal(result.reordered, 1)
    assert.deepEqual(promises(result), ['I3'])
  })

  test('I9 · exactly-once: an output twice, or missing, or behind that of a later record, is noticed', () => {
    const story = new Story().assigned('a').run('a', 0, 1, 2, 3, 4, 5, 6, 7).committed('a', 8)
    assert.deepEqual(promises(verdict('exactly-once', story)), [])
    const twice = verdict('exactly-once', story, { outputs: [...outputs, found(8, outputOf(7))] })
    assert.deepEqual([twice.duplicated, twice.bound, ...promises(twice)], [1, 0, 'I9'])
    const missing = verdict('exactly-once', story, { outputs: outputs.slice(1) })
    assert.deepEqual([missing.lost, ...promises(missing)], [1, 'I9'])
    const swapped = [outputOf(2), outputOf(1), outputOf(0), ...[3, 4, 5, 6, 7].map(outputOf)]
    const behind = verdict('exactly-once', story, { outputs: swapped.map((value, offset) => found(offset, value)) })
    assert.deepEqual(promises(behind), ['I3'])
  })

  test('L1 X1 · a record that was acknowledged and is not there, and one that is there twice, are noticed', () => {
    const story = new Story().assigned('a').run('a', 0, 1, 2, 3, 4, 5, 6, 7)
    const gone = [...acknowledged, { value: 'k0:4', partition: 0, offset: 8 }]
    assert.deepEqual(promises(verdict('at-least-once', story, { acknowledged: gone })), ['L1'])
    const again = [...input, found(8, textOf(7))]
    const result = verdict('at-least-once', story.run('a', 8), {
      input: again,
      outputs: [...outputs, found(8, `0/8/${textOf(7)}`)],
    })
    assert.deepEqual(promises(result), ['X1'])
  })
})
