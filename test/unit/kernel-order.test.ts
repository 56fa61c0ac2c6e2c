/** Order, lanes and scheduling, decided by the pure control plane. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { offsets, TestKernel, works } from '../support/kernel.ts'

describe('order', () => {
  test('R2 I3 · records of one key run one after the other, others beside them', () => {
    const kernel = new TestKernel()
    const epoch = kernel.open()
    const first = kernel.poll(epoch, [
      [0, 'a'],
      [1, 'a'],
      [2, 'b'],
      [3, 'a'],
    ])
    assert.deepEqual(offsets(first), [0, 2])
    const second = works(kernel.done(first[0]!))
    assert.deepEqual(offsets(second), [1])
    assert.deepEqual(offsets(works(kernel.done(second[0]!))), [3])
  })

  test('R2 · partition order: one record of a partition at a time', () => {
    const kernel = new TestKernel({ order: 'partition' })
    const epoch = kernel.open()
    const first = kernel.poll(epoch, [
      [0, 'a'],
      [1, 'b'],
      [2, null],
    ])
    assert.deepEqual(offsets(first), [0])
    assert.deepEqual(offsets(works(kernel.done(first[0]!))), [1])
  })

  test('R2 · no order: everything at once', () => {
    const kernel = new TestKernel({ order: 'none' })
    const epoch = kernel.open()
    assert.deepEqual(
      offsets(
        kernel.poll(epoch, [
          [0, 'a'],
          [1, 'a'],
          [2, 'a'],
        ]),
      ),
      [0, 1, 2],
    )
  })

  test('P8 · records without a key have no order; an empty key is a key', () => {
    const kernel = new TestKernel()
    const epoch = kernel.open()
    assert.deepEqual(
      offsets(
        kernel.poll(epoch, [
          [0, null],
          [1, null],
          [2, ''],
          [3, ''],
        ]),
      ),
      [0, 1, 2],
    )
  })

  test('P8 · null keys are ordered if told so', () => {
    const kernel = new TestKernel({ nullKeys: 'ordered' })
    const epoch = kernel.open()
    assert.deepEqual(
      offsets(
        kernel.poll(epoch, [
          [0, null],
          [1, null],
          [2, 'a'],
        ]),
      ),
      [0, 2],
    )
  })

  test('P8 · a record that cannot be decoded fails alone, in its key’s lane, and never reaches a handler', () => {
    const kernel = new TestKernel()
    const epoch = kernel.open()
    const error = new Error('not JSON')
    const started = kernel.poll(
      epoch,
      [
        [0, 'a'],
        [1, 'a'],
        [2, 'b'],
      ],
      { failures: new Map([[0, error]]) },
    )
    assert.deepEqual(offsets(started), [2])
    const [exhaust] = kernel.of('exhaust')
    assert.equal(exhaust!.records[0]!.error, error)
    const after = kernel.step({ kind: 'exhausted', results: [{ work: exhaust!.records[0]!.work, ok: true }] })
    assert.deepEqual(offsets(works(after)), [1])
  })

  test('I12 · a million distinct keys pass through without leaving a lane behind', () => {
    const kernel = new TestKernel({ limits: { records: 64 } })
    const epoch = kernel.open()
    const total = 1_000_000
    for (let from = 0; from < total; from += 64) {
      const rows = Array.from({ length: 64 }, (_, at) => [from + at, `key-${from + at}`] as const)
      const started = kernel.poll(epoch, rows)
      kernel.commands.length = 0
      kernel.ack(kernel.done(...started))
      kernel.commands.length = 0
    }
    assert.equal(kernel.state.lanes.count, 0)
    assert.equal(kernel.state.slots.capacity, 64)
    assert.equal(kernel.state.totals.done, total)
  })
})

describe('scheduling', () => {
  test('P3 · the record that holds the position back runs before others', () => {
    const kernel = new TestKernel({ concurrency: { min: 1, max: 1 } })
    const epoch = kernel.open()
    const [first] = kernel.poll(epoch, [
      [0, 'a'],
      [1, 'b'],
      [2, 'a'],
      [3, 'c'],
      [4, 'a'],
    ])
    // 0 is done: 1 is the lowest. Then 2, although b and c were ready before a was again.
    const order: number[] = [0]
    let next = works(kernel.done(first!))[0]
    while (next !== undefined) {
      order.push(next.offset)
      next = works(kernel.done(next))[0]
    }
    assert.deepEqual(order, [0, 1, 2, 3, 4])
  })

  test('P3 · after a burst of blocking picks one ordinary pick runs', () => {
    const kernel = new TestKernel({ concurrency: { min: 1, max: 1 }, blockingBurst: 3 })
    const epoch = kernel.open()
    const rows = Array.from({ length: 12 }, (_, at) => [at, at === 11 ? 'other' : 'hot'] as const)
    const order: number[] = []
    let next = kernel.poll(epoch, rows)[0]
    while (next !== undefined) {
      order.push(next.offset)
      next = works(kernel.done(next))[0]
    }
    // Without the guard 11 would run last.
    assert.deepEqual(order, [0, 1, 2, 11, 3, 4, 5, 6, 7, 8, 9, 10])
  })

  test('P3 · among many partitions too: an ordinary record is found in a few looks, wherever it is', () => {
    const kernel = new TestKernel({ order: 'none', concurrency: { min: 1, max: 1 }, blockingBurst: 1 })
    const epochs = Array.from({ length: 200 }, (_, partition) => kernel.open(partition))
    // Every one of them has nothing but the record that blocks it; the last has two more.
    const first = epochs.flatMap((epoch) => [...kernel.poll(epoch, epoch === epochs.at(-1) ? [0, 1, 2] : [0])])
    let next = first[0]
    let picks = 0
    while (next !== undefined && next.offset === 0) {
      picks++
      next = works(kernel.done(next))[0]
    }
    assert.deepEqual([next?.partition, next?.offset], [199, 1])
    assert.ok(picks <= 64, `after ${picks} others`)
  })

  test('P3 · partitions take turns', () => {
    const kernel = new TestKernel({ order: 'none', concurrency: { min: 2, max: 2 } })
    const a = kernel.open(0)
    const b = kernel.open(1)
    const started = [...kernel.poll(a, [0, 1, 2, 3, 4, 5]), ...kernel.poll(b, [100, 101, 102])]
    assert.deepEqual(offsets(started), [0, 1])
    const next = works(kernel.done(...started))
    assert.deepEqual(new Set(next.map(({ partition }) => partition)), new Set([0, 1]))
  })

  test('R4 · a record that waits for its retry holds no slot and blocks only its own key', () => {
    const kernel = new TestKernel({ concurrency: { min: 1, max: 1 } })
    const epoch = kernel.open()
    const [a] = kernel.poll(epoch, [
      [0, 'a'],
      [1, 'a'],
      [2, 'b'],
    ])
    const next = works(kernel.fail(a!))
    assert.deepEqual(offsets(next), [2])
    assert.deepEqual(offsets(works(kernel.done(next[0]!))), [])
    const again = works(kernel.wait(100))
    assert.deepEqual(
      again.map(({ offset, attempt }) => [offset, attempt]),
      [[0, 2]],
    )
    assert.deepEqual(offsets(works(kernel.done(again[0]!))), [1])
  })

  test('P3 · a deferred record gives its slot back but keeps its key and its place in the limits', () => {
    const kernel = new TestKernel({ concurrency: { min: 1, max: 1 }, limits: { records: 3 } })
    const epoch = kernel.open()
    const [a] = kernel.poll(epoch, [
      [0, 'a'],
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
    ])
    const next = works(kernel.settle([{ ...a!, status: 'deferred' }]))
    assert.deepEqual(offsets(next), [2])
    assert.equal(kernel.state.records, 3)
    assert.deepEqual(offsets(works(kernel.done(a!))), [])
    assert.equal(kernel.state.running, 1)
    assert.deepEqual(offsets(works(kernel.done(next[0]!))), [1])
  })

  test('concurrency can be changed while it runs', () => {
    const kernel = new TestKernel({ concurrency: { min: 1, max: 1 } })
    const epoch = kernel.open()
    assert.equal(kernel.poll(epoch, [0, 1, 2, 3]).length, 1)
    assert.equal(works(kernel.step({ kind: 'control', control: { kind: 'concurrency', limit: 3 } })).length, 2)
  })

  test('a paused key waits; the others go on; resume lets it go on', () => {
    const kernel = new TestKernel()
    const epoch = kernel.open()
    kernel.step({ kind: 'control', control: { kind: 'pause', selection: { topic: 't', key: 'a' } } })
    assert.deepEqual(
      offsets(
        kernel.poll(epoch, [
          [0, 'a'],
          [1, 'b'],
        ]),
      ),
      [1],
    )
    const commands = kernel.step({ kind: 'control', control: { kind: 'resume', selection: { topic: 't', key: 'a' } } })
    assert.deepEqual(offsets(works(commands)), [0])
  })

  test('a paused partition starts nothing and fetches nothing until it is resumed', () => {
    const kernel = new TestKernel({ concurrency: { min: 1, max: 1 } })
    const epoch = kernel.open()
    const [a] = kernel.poll(epoch, [
      [0, 'a'],
      [1, 'b'],
    ])
    const paused = kernel.step({ kind: 'control', control: { kind: 'pause', selection: { topic: 't', partition: 0 } } })
    assert.equal(kernel.of('pause', paused).length, 1)
    assert.deepEqual(works(kernel.done(a!)), [])
    const resumed = kernel.step({
      kind: 'control',
      control: { kind: 'resume', selection: { topic: 't', partition: 0 } },
    })
    assert.equal(kernel.of('resume', resumed).length, 1)
    assert.deepEqual(offsets(works(resumed)), [1])
  })

  test('skip ends a queued, a waiting and a running record, and the position moves on', () => {
    const kernel = new TestKernel({ concurrency: { min: 2, max: 2 } })
    const epoch = kernel.open()
    const [a, b] = kernel.poll(epoch, [
      [0, 'a'],
      [1, 'b'],
      [2, 'a'],
      [3, 'a'],
    ])
    const skip = (offset: number) =>
      kernel.step({ kind: 'control', control: { kind: 'skip', topic: 't', partition: 0, offset: offset as never } })
    skip(2)
    kernel.fail(b!)
    skip(1)
    assert.equal(kernel.state.totals.skipped, 2)
    const aborts = kernel.of('abort', skip(0))
    assert.equal(aborts[0]!.reason, 'skipped')
    const next = works(kernel.fail(a!))
    assert.deepEqual(offsets(next), [3])
    kernel.done(next[0]!)
    assert.equal(kernel.state.homeOf({ topic: 't', partition: 0 }).lease!.tracker.position, 4)
    assert.equal(kernel.state.totals.skipped, 3)
  })
})

describe('batches', () => {
  test('by key: one lane’s records in order, up to max, in one slot', () => {
    const kernel = new TestKernel({
      concurrency: { min: 1, max: 1 },
      batch: { max: 3, min: 1, lingerMs: 0, by: 'key' },
    })
    const epoch = kernel.open()
    const first = kernel.poll(epoch, [
      [0, 'a'],
      [1, 'b'],
      [2, 'a'],
      [3, 'a'],
      [4, 'a'],
    ])
    // The batch starts when there is a slot: the head of a was alone in its lane when it was polled… with its followers.
    assert.deepEqual(offsets(first), [0, 2, 3])
    assert.equal(kernel.state.running, 1)
    assert.deepEqual(offsets(works(kernel.done(...first))), [1])
  })

  test('R3 · one failed record sends the later ones of its key back, unattempted', () => {
    const kernel = new TestKernel({
      concurrency: { min: 1, max: 1 },
      batch: { max: 4, min: 1, lingerMs: 0, by: 'key' },
    })
    const epoch = kernel.open()
    const [a, b, c] = kernel.poll(epoch, [
      [0, 'a'],
      [1, 'a'],
      [2, 'a'],
    ])
    kernel.settle([
      { ...a!, status: 'done' },
      { ...b!, status: 'failed', error: new Error('boom'), permanent: false },
      { ...c!, status: 'returned' },
    ])
    assert.equal(kernel.state.running, 0)
    const again = works(kernel.wait(100))
    assert.deepEqual(
      again.map(({ offset, attempt }) => [offset, attempt]),
      [
        [1, 2],
        [2, 1],
      ],
    )
  })

  test('min and lingerMs wait for a fuller batch, but not for ever', () => {
    const kernel = new TestKernel({ batch: { max: 10, min: 3, lingerMs: 50, by: 'key' } })
    const epoch = kernel.open()
    assert.deepEqual(
      kernel.poll(epoch, [
        [0, 'a'],
        [1, 'b'],
      ]),
      [],
    )
    assert.deepEqual(
      offsets(
        kernel.poll(epoch, [
          [2, 'a'],
          [3, 'a'],
        ]),
      ),
      [0, 2, 3],
    )
    assert.deepEqual(offsets(works(kernel.wait(50))), [1])
  })

  test('by any: records of several keys together, waiting as a whole', () => {
    const kernel = new TestKernel({ batch: { max: 4, min: 3, lingerMs: 50, by: 'any' } })
    const epoch = kernel.open()
    assert.deepEqual(
      kernel.poll(epoch, [
        [0, 'a'],
        [1, 'b'],
      ]),
      [],
    )
    kernel.poll(epoch, [
      [2, 'c'],
      [3, 'a'],
      [4, 'd'],
    ])
    const batches = kernel.of('runBatches')
    assert.deepEqual(
      batches.flatMap((command) => command.batches.map(offsets)),
      [[0, 3, 1, 2]],
    )
    assert.deepEqual(offsets(works(kernel.wait(50))), [4])
  })
})
