import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { backoffMs } from '../../src/kernel/retry.ts'
import { DEFAULTS, offsets, TestKernel, works } from '../support/kernel.ts'

describe('failures', () => {
  test('R4 · backoff grows, is capped, and jitter spreads it by no more than its share', () => {
    const retry = { attempts: 9, initialMs: 100, factor: 2, maxMs: 1_000, jitter: 0.2 }
    assert.deepEqual(
      [1, 2, 3, 4, 5, 60].map((attempt) => backoffMs(retry, attempt, 0.5)),
      [100, 200, 400, 800, 1_000, 1_000],
    )
    assert.equal(backoffMs(retry, 1, 0), 80)
    assert.ok(Math.abs(backoffMs(retry, 1, 0.999_999) - 120) < 0.01)
    assert.equal(backoffMs(retry, 5, 0.999_999), 1_000)
  })

  test('R4 R3 · retryable errors are tried again, the last failure goes to the exit, and only its success closes the gap', () => {
    const kernel = new TestKernel()
    const epoch = kernel.open()
    let [work] = kernel.poll(epoch, [0])
    for (const delay of [100, 200]) {
      kernel.fail(work!)
      assert.deepEqual(works(kernel.wait(delay - 1)), [])
      work = works(kernel.wait(1))[0]
    }
    assert.equal(work!.attempt, 3)
    const lease = kernel.state.homeOf({ topic: 't', partition: 0 }).lease!
    const [exhaust] = kernel.of('exhaust', kernel.fail(work!))
    assert.equal(lease.tracker.position, 0)
    // The dead letter cannot be written: the record stays pending and the exit is tried again.
    kernel.step({
      kind: 'exhausted',
      results: [{ work: exhaust!.records[0]!.work, ok: false, error: new Error('down') }],
    })
    assert.equal(lease.tracker.position, 0)
    const [again] = kernel.of('exhaust', kernel.wait(100))
    kernel.step({ kind: 'exhausted', results: [{ work: again!.records[0]!.work, ok: true }] })
    assert.equal(lease.tracker.position, 1)
    assert.equal(kernel.state.totals.exhausted, 1)
  })

  test('R4 · permanent errors skip the retries; retryAfterMs overrides the backoff', () => {
    const kernel = new TestKernel()
    const epoch = kernel.open()
    const [a, b] = kernel.poll(epoch, [0, 1])
    assert.equal(kernel.of('exhaust', kernel.fail(a!, true)).length, 1)
    kernel.settle([{ ...b!, status: 'failed', error: new Error('busy'), permanent: false, retryAfterMs: 7 }])
    assert.deepEqual(works(kernel.wait(6)), [])
    assert.deepEqual(offsets(works(kernel.wait(1))), [1])
  })

  test('R5 · skip closes the gap at once; stop leaves the record pending and ends the consumer', () => {
    const skipping = new TestKernel({ onExhausted: 'skip' })
    const [a] = skipping.poll(skipping.open(), [0])
    skipping.fail(a!, true)
    assert.equal(skipping.state.homeOf({ topic: 't', partition: 0 }).lease!.tracker.position, 1)
    const stopping = new TestKernel({ onExhausted: 'stop' })
    const epoch = stopping.open()
    const [b] = stopping.poll(epoch, [0, [1, 'k0']])
    assert.equal(stopping.of('stop', stopping.fail(b!, true)).length, 1)
    assert.equal(stopping.state.homeOf({ topic: 't', partition: 0 }).lease!.tracker.position, 0)
    assert.deepEqual(stopping.poll(epoch, [2]), [])
  })

  test('I6 I12 · results that come twice, late or from nowhere are counted and change nothing', () => {
    const kernel = new TestKernel({ concurrency: { min: 1, max: 1 } })
    const epoch = kernel.open()
    const [a] = kernel.poll(epoch, [
      [0, 'a'],
      [1, 'a'],
    ])
    kernel.fail(a!)
    const second = works(kernel.wait(100))[0]!
    // Attempt 1 says "failed" again, and then "done", while attempt 2 runs.
    kernel.fail(a!)
    kernel.done(a!)
    assert.equal(kernel.state.totals.duplicates, 2)
    assert.equal(kernel.state.running, 1)
    assert.deepEqual(offsets(works(kernel.done(second))), [1])
    kernel.done(second)
    kernel.settle([{ ...second, offset: 99 as never, status: 'done' }])
    assert.equal(kernel.state.totals.stale, 2)
    assert.equal(kernel.state.running, 1)
  })

  test('R4 I8 · a handler past its time-out is told, and keeps its key until it has really ended', () => {
    const kernel = new TestKernel({ handlerTimeoutMs: 50 })
    const epoch = kernel.open()
    const [a] = kernel.poll(epoch, [
      [0, 'a'],
      [1, 'a'],
    ])
    const [abort] = kernel.of('abort', kernel.wait(50))
    assert.equal(abort!.reason, 'timeout')
    assert.deepEqual(works(kernel.wait(1_000)), [])
    assert.equal(kernel.state.running, 1)
    kernel.fail(a!)
    assert.deepEqual(
      works(kernel.wait(100)).map(({ offset, attempt }) => [offset, attempt]),
      [[0, 2]],
    )
  })

  test('R2 · output in input order: outputs are released when no earlier record holds them back', () => {
    const kernel = new TestKernel({ output: 'input', order: 'none' })
    const epoch = kernel.open()
    const [a, b, c] = kernel.poll(epoch, [0, 1, 2])
    const sends = [{ size: 5 }]
    const published = (commands: ReturnType<TestKernel['settle']>): number[] =>
      kernel.of('publish', commands).flatMap(({ publications }) => offsets(publications.map(({ work }) => work)))
    assert.deepEqual(published(kernel.settle([{ ...c!, status: 'done', sends }])), [])
    assert.deepEqual(published(kernel.settle([{ ...a!, status: 'done', sends }])), [0])
    assert.deepEqual(published(kernel.settle([{ ...b!, status: 'done' }])), [2])
    assert.equal(kernel.state.bytes, 10 + 5 + 10 + 5)
  })

  test('R3 · a record with outputs is finished when they are acknowledged; if they cannot be written it has failed', () => {
    const kernel = new TestKernel()
    const epoch = kernel.open()
    const [a] = kernel.poll(epoch, [
      [0, 'a'],
      [1, 'a'],
    ])
    const [publish] = kernel.of('publish', kernel.settle([{ ...a!, status: 'done', sends: [{ size: 5 }] }]))
    const work = publish!.publications[0]!.work
    kernel.step({ kind: 'published', results: [{ work, ok: false, error: new Error('no'), permanent: false }] })
    const again = works(kernel.wait(100))
    assert.deepEqual(
      again.map(({ offset, attempt }) => [offset, attempt]),
      [[0, 2]],
    )
    const [second] = kernel.of('publish', kernel.settle([{ ...again[0]!, status: 'done', sends: [{ size: 5 }] }]))
    const after = kernel.step({ kind: 'published', results: [{ work: second!.publications[0]!.work, ok: true }] })
    assert.deepEqual(offsets(works(after)), [1])
    assert.equal(DEFAULTS.retry.attempts, 3)
  })
})
