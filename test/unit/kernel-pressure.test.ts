import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Epoch } from '../../src/kernel/ids.ts'
import { batchOf, TestKernel, works } from '../support/kernel.ts'

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, at) => from + at)

describe('backpressure', () => {
  test('P7 I5 · admits up to the limit, pauses there, resumes at 0.7 ×, and loses nothing', () => {
    const kernel = new TestKernel({ limits: { records: 10 } })
    const epoch = kernel.open()
    const started = [...kernel.poll(epoch, range(0, 25))]
    assert.equal(kernel.state.records, 10)
    assert.equal(kernel.of('pause').length, 1)
    const seen = new Set<number>()
    let resumedAt: number | null = null
    while (started.length > 0) {
      const work = started.shift()!
      seen.add(work.offset)
      const commands = kernel.done(work)
      assert.ok(kernel.state.records <= 10)
      if (kernel.of('resume', commands).length > 0) resumedAt = kernel.state.records
      started.push(...works(commands))
    }
    assert.equal(seen.size, 25)
    assert.equal(resumedAt, 7)
    assert.equal(kernel.of('pause').length, 1, 'no chatter')
    assert.equal(kernel.of('resume').length, 1)
  })

  test('P7 I5 · bytes are a limit of their own', () => {
    const kernel = new TestKernel({ limits: { bytes: 100 } })
    const epoch = kernel.open()
    const started = kernel.poll(epoch, range(0, 5), { sizes: [40, 40, 40, 10, 10] })
    assert.equal(started.length, 2)
    assert.equal(kernel.state.bytes, 80)
    assert.equal(works(kernel.done(started[0]!)).length, 3)
    assert.equal(kernel.state.bytes, 100)
  })

  test('I5 · a record larger than the whole limit runs alone, and the others wait for it', () => {
    const kernel = new TestKernel({ limits: { bytes: 100 } })
    const epoch = kernel.open()
    const first = kernel.poll(epoch, [0, 1, 2], { sizes: [10, 500, 10] })
    assert.deepEqual(
      first.map(({ offset }) => offset),
      [0],
    )
    const second = works(kernel.done(first[0]!))
    assert.deepEqual(
      second.map(({ offset }) => offset),
      [1],
    )
    assert.deepEqual(
      works(kernel.done(second[0]!)).map(({ offset }) => offset),
      [2],
    )
  })

  test('P7 · one partition never fills the buffer: the others keep a guaranteed share', () => {
    const kernel = new TestKernel({ limits: { records: 100 }, order: 'partition' })
    const epochs = range(0, 4).map((partition) => kernel.open(partition))
    kernel.poll(epochs[0]!, range(0, 1_000))
    // Half is guaranteed (12 each), half is a pool.
    assert.equal(kernel.state.homeOf({ topic: 't', partition: 0 }).lease!.records, 12 + 52)
    for (const epoch of epochs.slice(1)) assert.equal(kernel.poll(epoch, range(0, 50)).length, 1)
    assert.equal(kernel.state.records, 100)
  })

  test('P7 · eight ordered partitions run side by side, however full the first one is', () => {
    const kernel = new TestKernel({ limits: { records: 16 }, order: 'partition' })
    const epochs = range(0, 8).map((partition) => kernel.open(partition))
    const started = epochs.flatMap((epoch) => kernel.poll(epoch, range(0, 500)))
    assert.equal(new Set(started.map(({ partition }) => partition)).size, 8)
    assert.equal(kernel.state.running, 8)
  })

  test('P7 I5 · more partitions than records in the limit: all of them get their turn', () => {
    const kernel = new TestKernel({ limits: { records: 3 }, order: 'partition' })
    const epochs = range(0, 10).map((partition) => kernel.open(partition))
    const queue = epochs.flatMap((epoch) => [...kernel.poll(epoch, range(0, 5))])
    const done = new Map<Epoch, number>()
    while (queue.length > 0) {
      assert.ok(kernel.state.records <= 3)
      const work = queue.shift()!
      done.set(work.epoch, (done.get(work.epoch) ?? 0) + 1)
      queue.push(...works(kernel.done(work)))
    }
    assert.deepEqual(
      [...done.values()],
      range(0, 10).map(() => 5),
    )
  })

  test('P7 · a hundred partitions: room that one of them makes is given to it, whoever waits for the pool', () => {
    const kernel = new TestKernel({ limits: { records: 200 }, order: 'partition' })
    const epochs = range(0, 100).map((partition) => kernel.open(partition))
    // The first have the pool, and wait for more of it.
    const started = epochs.flatMap((epoch) => [...kernel.poll(epoch, range(0, 50))])
    assert.equal(kernel.state.records, 200)
    assert.equal(started.length, 100)
    const last = started.at(-1)!
    assert.deepEqual(
      works(kernel.done(last)).map(({ partition, offset }) => [partition, offset]),
      [[99, 1]],
    )
    assert.equal(kernel.state.records, 200)
  })

  test('P7 I5 · the pool is given in the order of asking, a large record is not overtaken for ever', () => {
    const kernel = new TestKernel({ limits: { records: 1_000, bytes: 1_000 }, order: 'none' })
    // 125 bytes are guaranteed to each of four, 500 are the pool.
    const epochs = range(0, 4).map((partition) => kernel.open(partition))
    const small = [...kernel.poll(epochs[0]!, range(0, 100), { sizes: range(0, 100).map(() => 25) })]
    assert.equal(kernel.state.bytes, 625)
    assert.equal(kernel.poll(epochs[1]!, [0], { sizes: [400] }).length, 0)
    let rounds = 0
    let large = false
    while (!large && rounds++ < 100) {
      const next = works(kernel.done(small.shift()!))
      large = next.some(({ partition }) => partition === 1)
      small.push(...next.filter(({ partition }) => partition === 0))
    }
    assert.ok(large, 'it runs')
    assert.ok(rounds < 20, `after ${rounds} others`)
  })

  test('P7 · who is paused is resumed when little has ended too, a moment later and without another event', () => {
    const kernel = new TestKernel({ limits: { records: 80 } })
    const epochs = range(0, 80).map((partition) => kernel.open(partition))
    const started = epochs.flatMap((epoch) => [...kernel.poll(epoch, [0])])
    const paused = (): number => [...kernel.state.leases.values()].filter(({ fetchPaused }) => fetchPaused).length
    assert.equal(kernel.state.records, 80)
    assert.equal(paused(), 80)
    // 23 of 80 are not enough; with one more there is room, but it is alone since the last look.
    for (const work of started.slice(0, 24)) kernel.done(work)
    assert.equal(paused(), 80)
    kernel.wait(5)
    assert.equal(paused(), 0)
    assert.equal(kernel.of('resume').flatMap(({ leases }) => leases).length, 80)
  })

  test('P7 · where there is room for all, only those who were given something are looked at', () => {
    const kernel = new TestKernel({ limits: { records: 100, pauseAt: 0.5, resumeAt: 0.25 } })
    const epochs = range(0, 4).map((partition) => kernel.open(partition))
    kernel.poll(epochs[0]!, range(0, 10))
    assert.equal(kernel.of('pause').length, 0)
    kernel.poll(epochs[1]!, range(0, 50))
    assert.deepEqual(
      kernel.of('pause').flatMap(({ leases }) => leases.map(({ partition }) => partition)),
      [1],
    )
  })

  test('I12 · what was queued is un-counted when its lease ends', () => {
    const kernel = new TestKernel({ limits: { records: 10 } })
    const epoch = kernel.open()
    const started = kernel.poll(
      epoch,
      range(0, 30).map((offset) => [offset, 'one'] as const),
    )
    assert.equal(kernel.state.records, 10)
    kernel.step({ kind: 'revoked', revocation: 1, partitions: [{ topic: 't', partition: 0 }] })
    assert.equal(kernel.state.records, 1)
    kernel.ack(kernel.done(started[0]!))
    assert.equal(kernel.of('released').length, 1)
    assert.deepEqual(
      [kernel.state.records, kernel.state.bytes, kernel.state.lanes.count, kernel.state.slots.inUse],
      [0, 0, 0, 0],
    )
    const next = kernel.open()
    assert.equal(kernel.poll(next, range(1, 5)).length, 5)
  })

  test('I6 · a batch of an ended lease is dropped', () => {
    const kernel = new TestKernel()
    const old = kernel.open()
    kernel.step({ kind: 'lost', partitions: [{ topic: 't', partition: 0 }] })
    const epoch = kernel.open()
    assert.deepEqual(works(kernel.step({ kind: 'polled', batches: [batchOf(old, [7])] })), [])
    assert.deepEqual(
      kernel.poll(epoch, [0]).map(({ offset }) => offset),
      [0],
    )
  })
})
