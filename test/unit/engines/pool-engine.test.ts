/** The engine of threads and processes with workers in the hands of the test: who gets what, when, and what becomes of it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FanlaneError } from '../../../src/errors.ts'
import type { Completion } from '../../../src/ports/engine.ts'
import { many, worksOf } from '../../../src/testing/engine-conformance/bench.ts'
import { type FakePool, type FakeWorker, fakePool } from './fake-workers.ts'

const at = <Thing>(things: readonly Thing[], index: number): Thing => {
  const thing = things[index]
  assert.ok(thing !== undefined)
  return thing
}
const two = ({ workers }: FakePool): [FakeWorker, FakeWorker] => [at(workers, 0), at(workers, 1)]
const tellings = (said: readonly Completion[]): unknown[][] =>
  said.map((each) => [each.offset, each.status, each.status === 'failed' ? (each.error as FanlaneError).code : ''])

describe('who gets how much', () => {
  test('P1 · one call each while nothing is known, then about eight milliseconds of work, in two messages at most', async () => {
    const pool = await fakePool()
    const [first, second] = two(pool)
    pool.engine.submit(worksOf(many(5_000)))
    assert.deepEqual([first.calls.length, second.calls.length], [1, 1])
    first.work(1, 1)
    assert.equal(at(first.runs, 1).length, 1_024, 'no more than that, however light they are')
    second.work(1, 1_000)
    assert.equal(at(second.runs, 1).length, 8)
    second.work(8, 900_000)
    assert.equal(at(second.runs, 2).length, 1, 'nothing waits behind a long call')
    assert.equal(pool.engine.inFlight(), 5_000 - pool.said.length)
  })

  test('P1 · what comes while two messages are under way travels together; a worker that is silent gets nothing', async () => {
    const pool = await fakePool({ workers: 1 })
    const worker = at(pool.workers, 0)
    pool.engine.submit(worksOf(many(1), 1))
    worker.work(1, 1)
    for (let epoch = 2; epoch < 10; epoch++) pool.engine.submit(worksOf(many(5), epoch))
    assert.deepEqual(
      worker.runs.map(({ length }) => length),
      [1, 5, 5],
    )
    worker.work(5, 1)
    assert.equal(worker.runs.length, 4)
    assert.equal(at(worker.runs, 3).length, 30)
    worker.work(5, 1)
    worker.enter()
    pool.clock.pass(11)
    pool.engine.submit(worksOf(many(5), 11))
    assert.equal(worker.runs.length, 4)
  })

  test('P1 · bytes are a limit too, and one that is larger than it goes alone', async () => {
    const pool = await fakePool({ workers: 1 })
    const [worker] = [at(pool.workers, 0)]
    const large = worksOf(Array.from({ length: 12 }, () => ({ value: Buffer.alloc(2 ** 20) })))
    const huge = worksOf([{ value: Buffer.alloc(5 * 2 ** 20), offset: 99 }], 2)
    pool.engine.submit([...large, ...huge])
    worker.work(1, 1)
    assert.equal(at(worker.runs, 1).length, 3)
    while (worker.calls.length < 12) worker.work(worker.runs.at(-1)?.length ?? 0, 1)
    worker.work(12, 1)
    assert.equal(worker.runs.at(-1)?.length, 1)
    worker.work(1, 1)
    assert.equal(pool.said.length, 13)
    assert.equal(pool.engine.inFlight(), 0)
  })

  test('P1 · a silent worker is relieved: what is done counts, what has not begun goes to others, nothing runs twice', async () => {
    const pool = await fakePool()
    const [busy, free] = two(pool)
    pool.engine.submit(worksOf(many(40)))
    busy.work(1, 1)
    free.work(1, 1)
    const before = busy.calls.length
    assert.ok(before > 5)
    busy.enter(true)
    busy.enter(true)
    busy.enter()
    free.work(100, 1)
    pool.clock.pass(50)
    const offsets = (worker: FakeWorker): number[] =>
      worker.calls.flatMap(({ works }) => works.map(({ offset }) => offset))
    assert.equal(busy.calls.length, before, 'it gets nothing while it is silent')
    for (let turn = 0; turn < 10; turn++) {
      free.work(100, 1)
      pool.clock.pass(20)
    }
    assert.equal(pool.said.length, 39)
    // It comes back, and finds that the rest is no longer its own.
    while (busy.enter()) assert.fail('a call that was taken back has begun')
    busy.work(0, 1)
    assert.equal(new Set([...offsets(busy), ...offsets(free)]).size, 40)
    assert.equal(new Set(pool.said.map(({ offset }) => offset)).size, pool.said.length)
  })
})

describe('deaths', () => {
  test('P1 I8 · records of a worker are completed when it has ended, and not when it is told to', async () => {
    const pool = await fakePool({ handlerTimeoutMs: 100 })
    const [first] = two(pool)
    pool.engine.submit(worksOf(many(1)))
    first.enter()
    pool.clock.pass(150)
    assert.equal(first.others.at(-1)?.kind, 'abort')
    pool.clock.pass(2_000)
    assert.equal(first.isKilled, true)
    assert.deepEqual(pool.said, [])
    first.end(1)
    assert.deepEqual(tellings(pool.said), [[0, 'failed', 'WORKER_BLOCKED']])
    assert.equal(pool.engine.inFlight(), 0)
  })

  test('P1 · a worker that answers is not blocked, however long its handler takes; time begins with the handler', async () => {
    const pool = await fakePool({ handlerTimeoutMs: 100, workers: 1 })
    const worker = at(pool.workers, 0)
    pool.engine.submit(worksOf(many(3)))
    pool.clock.pass(5_000)
    assert.deepEqual(
      worker.others.map(({ kind }) => kind),
      ['start'],
      'nothing has begun',
    )
    worker.enter()
    pool.clock.pass(120)
    worker.heard()
    for (let second = 0; second < 5; second++) {
      pool.clock.pass(1_000)
      worker.heard()
    }
    assert.equal(worker.isKilled, false)
  })

  test('P1 R5 · what never began goes elsewhere, the guilty one to a worker of its own, and another takes the place', async () => {
    const pool = await fakePool()
    const [first, second] = two(pool)
    pool.engine.submit(worksOf(many(10)))
    first.work(1, 1)
    second.work(1, 1)
    first.enter()
    const guilty = at(at(first.runs, 1), 0).works[0]?.offset
    first.end(9)
    assert.deepEqual(tellings(pool.said.slice(2)), [[guilty, 'failed', 'WORKER_DIED']])
    assert.equal(pool.workers.length, 3)
    second.work(100, 1)
    second.work(100, 1)
    assert.equal(pool.said.length, 10)
    const again = worksOf([{ offset: guilty ?? 0 }])
    pool.engine.submit(again)
    at(pool.workers, 2).ready()
    assert.equal(pool.workers.length, 4, 'the ward')
    assert.equal(at(pool.workers, 2).calls.length, 0)
    at(pool.workers, 3).ready()
    assert.equal(at(pool.workers, 3).calls.length, 1)
    at(pool.workers, 3).work(1, 1)
    assert.equal(pool.said.at(-1)?.status, 'done')
    pool.clock.pass(20_000)
    assert.equal(at(pool.workers, 3).others.at(-1)?.kind, 'stop', 'the ward is closed when it is not needed')
  })

  test('R5 · an uncertain last attempt is given back, and fails where it may not run again', async () => {
    for (const mayRunAgain of [true, false]) {
      const pool = await fakePool({ workers: 1, attempts: 1, mayRunAgain })
      const worker = at(pool.workers, 0)
      pool.engine.submit(worksOf(many(3)))
      worker.work(1, 1, { status: 'deferred' })
      worker.enter()
      worker.claimant.claim(2, 1)
      worker.end(9)
      const ends = pool.said.filter(({ status }) => status !== 'deferred').map(({ status }) => status)
      assert.deepEqual(
        ends,
        Array.from({ length: 3 }, () => (mayRunAgain ? 'returned' : 'failed')),
      )
      assert.equal(pool.engine.inFlight(), 0)
    }
  })

  test('P1 · a worker that cannot be started again, with none left, ends the consumer: bounded, and what waits goes back', async () => {
    const pool = await fakePool({ workers: 1 })
    at(pool.workers, 0).end(1)
    pool.engine.submit(worksOf(many(2)))
    for (let seconds = 0; seconds < 60 && pool.failures.length === 0; seconds++) {
      at(pool.workers, pool.workers.length - 1).end(1)
      pool.clock.pass(5_000)
    }
    assert.equal((pool.failures[0] as FanlaneError).code, 'WORKERS_FAILED')
    assert.equal(pool.workers.length, 9)
    assert.deepEqual(tellings(pool.said), [
      [0, 'returned', ''],
      [1, 'returned', ''],
    ])
  })
})

describe('recycling', () => {
  test('P1 · the replacement comes first; the old one ends when all it had is over, deferred ones included', async () => {
    const pool = await fakePool({ workers: 1, maxRecordsPerWorker: 3 })
    const old = at(pool.workers, 0)
    pool.engine.submit(worksOf(many(4)))
    old.work(1, 1, { status: 'deferred' })
    old.work(2, 1)
    assert.equal(pool.workers.length, 2, 'a replacement starts')
    const before = old.calls.length
    pool.engine.submit(worksOf(many(1), 2))
    assert.equal(old.calls.length, before + 1, 'until it is ready, the old one works on')
    at(pool.workers, 1).ready()
    pool.engine.submit(worksOf(many(1), 3))
    assert.equal(at(pool.workers, 1).calls.length, 1)
    old.work(10, 1)
    assert.equal(old.others.at(-1)?.kind, 'start', 'one is still deferred')
    old.finish(0)
    assert.equal(old.others.at(-1)?.kind, 'stop')
    old.end(0)
    assert.deepEqual(pool.notes.lines, [])
    assert.deepEqual(new Set(pool.said.map(({ status }) => status)), new Set(['deferred', 'done']))
  })
})

describe('aborts', () => {
  test('I11 · what has not begun ends at once, queued or sent; what has begun is told', async () => {
    const pool = await fakePool({ workers: 1 })
    const worker = at(pool.workers, 0)
    const works = worksOf(many(4))
    pool.engine.submit(works)
    worker.work(1, 1)
    worker.enter()
    pool.engine.abort(works.slice(1), 'revoked')
    assert.deepEqual(tellings(pool.said), [
      [0, 'done', ''],
      [2, 'failed', 'ABORTED_REVOKED'],
      [3, 'failed', 'ABORTED_REVOKED'],
    ])
    assert.deepEqual(worker.others.at(-1), { kind: 'abort', seqs: [1], reason: 'revoked' })
  })
})
