import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Command, Notice } from '../../src/kernel/events.ts'
import { snapshot } from '../../src/kernel/snapshot.ts'
import { type Options, offsets, TestKernel, works } from '../support/kernel.ts'

const at = { topic: 't', partition: 0 }
const poison = new Error('no such product')

function kernelOf(options: Options = {}): TestKernel {
  return new TestKernel({ onExhausted: 'skip', breaker: { poisons: 2 }, ...options })
}

function parked(commands: readonly Command[]): Extract<Notice, { kind: 'parked' }>[] {
  return commands.flatMap((each) => (each.kind === 'notice' && each.notice.kind === 'parked' ? [each.notice] : []))
}

const records = (...keys: readonly string[]): (readonly [number, string])[] => keys.map((key, offset) => [offset, key])

describe('the breaker of a key', () => {
  test('R5 I1 I3 · parked after so many poisons in a row; other keys go on; resumed, it goes on in order', () => {
    const kernel = kernelOf()
    const epoch = kernel.open()
    const [first, other] = kernel.poll(epoch, records('a', 'b', 'a', 'a', 'a', 'b'))
    const [second] = works(kernel.fail(first!, true, poison))
    assert.equal(second!.offset, 2)
    const broken = kernel.fail(second!, true, poison)
    assert.deepEqual(works(broken), [])
    assert.deepEqual(
      parked(broken).map(({ key, poisons, error }) => [key, poisons, error]),
      [['a', 2, poison]],
    )
    assert.deepEqual(offsets(works(kernel.done(other!))), [5])
    const { tracker } = kernel.state.homeOf(at).lease!
    assert.equal(tracker.position, 3)
    const { parked: shown, blocking } = snapshot(kernel.state, kernel.nowMs + 50).partitions[0]!
    assert.deepEqual(shown, [{ key: 'a', since: kernel.nowMs, depth: 2, poisons: 2, why: poison }])
    assert.deepEqual([blocking!.offset, blocking!.doing, blocking!.why], [3, 'queued', 'its key is parked'])

    const resume = { kind: 'resume', selection: { ...at, key: 'a' } } as const
    const [third] = works(kernel.step({ kind: 'control', control: resume }))
    assert.equal(third!.offset, 3)
    assert.deepEqual(snapshot(kernel.state, kernel.nowMs).partitions[0]!.parked, [])
    // Counted from zero again.
    const [fourth] = works(kernel.fail(third!, true, poison))
    assert.equal(fourth!.offset, 4)
    assert.equal(parked(kernel.fail(fourth!, true, poison)).length, 1)
  })

  test('R5 · only failures in a row count: one that is done begins a new count', () => {
    const kernel = kernelOf()
    const epoch = kernel.open()
    let [work] = kernel.poll(epoch, records('a', 'a', 'a', 'a'))
    for (const how of ['fail', 'done', 'fail'] as const) {
      work = works(how === 'done' ? kernel.done(work!) : kernel.fail(work!, true))[0]
    }
    assert.equal(work!.offset, 3)
    assert.deepEqual(parked(kernel.commands), [])
  })

  test('R5 · outputs that are refused count, those that are acknowledged do not', () => {
    const kernel = kernelOf()
    const epoch = kernel.open()
    let [work] = kernel.poll(epoch, records('a', 'a', 'a', 'a', 'a'))
    for (const ok of [false, true, false, false]) {
      const [publish] = kernel.of('publish', kernel.settle([{ ...work!, status: 'done', sends: [{ size: 1 }] }]))
      const result = { work: publish!.publications[0]!.work, ok, error: poison, permanent: true }
      work = works(kernel.step({ kind: 'published', results: [result] }))[0]
    }
    assert.equal(work, undefined)
    assert.equal(parked(kernel.commands).length, 1)
  })

  test('R5 · the letter of the record that broke it is still written, and a retry is no poison', () => {
    const kernel = kernelOf({ onExhausted: 'handle', breaker: { poisons: 1 } })
    const epoch = kernel.open()
    const [first] = kernel.poll(epoch, records('a', 'a'))
    kernel.fail(first!)
    assert.deepEqual(parked(kernel.commands), [])
    const [again] = works(kernel.wait(100))
    const [exhaust] = kernel.of('exhaust', kernel.fail(again!, true))
    assert.equal(parked(kernel.commands).length, 1)
    const after = kernel.step({ kind: 'exhausted', results: [{ work: exhaust!.records[0]!.work, ok: true }] })
    assert.deepEqual(works(after), [])
    assert.equal(kernel.state.homeOf(at).lease!.tracker.position, 1)
  })

  test('R5 · a parked record can be skipped, and a key that was never admitted waits as well', () => {
    const kernel = kernelOf({ breaker: { poisons: 1 } })
    const epoch = kernel.open()
    const [first] = kernel.poll(epoch, records('a', 'a'))
    kernel.fail(first!, true)
    kernel.step({ kind: 'control', control: { kind: 'skip', ...at, offset: 1 as never } })
    assert.equal(kernel.state.homeOf(at).lease!.tracker.position, 2)
    assert.deepEqual(kernel.poll(epoch, [[2, 'a']]), [])
    const resume = { kind: 'resume', selection: at } as const
    assert.deepEqual(offsets(works(kernel.step({ kind: 'control', control: resume }))), [2])
  })

  test('R5 · a key that the user paused as well goes on when the user says so', () => {
    const kernel = kernelOf({ breaker: { poisons: 1 } })
    const epoch = kernel.open()
    const [first] = kernel.poll(epoch, records('a', 'a'))
    kernel.step({ kind: 'control', control: { kind: 'pause', selection: { ...at, key: 'a' } } })
    kernel.fail(first!, true)
    assert.deepEqual(works(kernel.step({ kind: 'control', control: { kind: 'resume', selection: at } })), [])
    const resume = { kind: 'resume', selection: { ...at, key: 'a' } } as const
    assert.deepEqual(offsets(works(kernel.step({ kind: 'control', control: resume }))), [1])
  })

  test('R5 I12 · what is parked belongs to the lease: the next one knows nothing of it, and nothing is left behind', () => {
    const kernel = kernelOf({ breaker: { poisons: 1 } })
    const epoch = kernel.open()
    const [first] = kernel.poll(epoch, records('a', 'a'))
    kernel.fail(first!, true)
    const revoked = kernel.step({ kind: 'revoked', revocation: 1, partitions: [at] })
    kernel.ack(revoked)
    assert.equal(kernel.state.homeOf(at).lease, null)
    assert.equal(kernel.state.records, 0)
    const [again] = kernel.poll(kernel.open(), [[1, 'a']])
    assert.equal(again!.offset, 1)
  })

  test('R5 R6 · parked records that fill their partition are told of; other partitions go on', () => {
    const kernel = kernelOf({ breaker: { poisons: 1 }, limits: { records: 40 } })
    const [epoch, other] = [kernel.open(0), kernel.open(1)]
    const [first] = kernel.poll(
      epoch,
      Array.from({ length: 60 }, (_, offset) => [offset, 'a'] as const),
    )
    kernel.fail(first!, true)
    const told = kernel.commands.filter((each) => each.kind === 'notice' && each.notice.kind === 'parked-full')
    assert.equal(told.length, 1)
    assert.deepEqual(snapshot(kernel.state, kernel.nowMs).partitions[0]!.paused, ['backpressure', 'parked'])
    const elsewhere = kernel.poll(other, [0, 1, 2])
    assert.equal(elsewhere.length, 3)
    kernel.done(...elsewhere)
    let [work] = works(kernel.step({ kind: 'control', control: { kind: 'resume', selection: { ...at, key: 'a' } } }))
    while (work !== undefined) work = works(kernel.done(work))[0]
    const after = snapshot(kernel.state, kernel.nowMs).partitions[0]!
    assert.deepEqual([after.position, after.paused], [60, []])
  })

  test('R5 · order by partition: the partition is parked', () => {
    const kernel = kernelOf({ order: 'partition', breaker: { poisons: 1 } })
    const [first] = kernel.poll(kernel.open(), records('a', 'b'))
    const [notice] = parked(kernel.fail(first!, true))
    assert.equal(notice!.key, null)
    assert.equal(snapshot(kernel.state, kernel.nowMs).partitions[0]!.parked[0]!.key, null)
    const resume = { kind: 'resume', selection: at } as const
    assert.deepEqual(offsets(works(kernel.step({ kind: 'control', control: resume }))), [1])
  })
})
