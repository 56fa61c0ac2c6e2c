/** Ends that were found wanting: waiting for what never comes. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { offsets, TestKernel, works } from '../support/kernel.ts'

describe('nothing waits for what never comes', () => {
  test('R1 G6 · at-most-once: commit() is answered at once, because what has started is committed', () => {
    const kernel = new TestKernel({ delivery: 'at-most-once' })
    kernel.poll(kernel.open(), [0])
    const [work] = works(kernel.ack(kernel.of('commit')))
    kernel.done(work!)
    const commands = kernel.step({ kind: 'control', control: { kind: 'commit', ticket: 9 } })
    assert.deepEqual(
      kernel.of('answered', commands).map(({ ticket }) => ticket),
      [9],
    )
  })

  test('R5 R7 · stop: the poisoned record stays pending, and closing does not wait for it', () => {
    const kernel = new TestKernel({ onExhausted: 'stop' })
    const [work] = kernel.poll(kernel.open(), [0])
    kernel.fail(work!, true)
    kernel.step({ kind: 'control', control: { kind: 'close', drainMs: 60_000 } })
    assert.equal(kernel.of('closed').length, 1)
    assert.equal(kernel.of('commit').length, 0, 'nothing is claimed')
  })

  test('R4 · a deferred record past its time-out is told as well', () => {
    const kernel = new TestKernel({ handlerTimeoutMs: 50 })
    const [work] = kernel.poll(kernel.open(), [0])
    kernel.settle([{ ...work!, status: 'deferred' }])
    assert.deepEqual(
      kernel.of('abort', kernel.wait(50)).map(({ reason }) => reason),
      ['timeout'],
    )
  })

  test('R2 R3 · input order: an output of a batch that cannot be written lets its record run again before the others', () => {
    const kernel = new TestKernel({ output: 'input', batch: { max: 4, min: 1, lingerMs: 0, by: 'key' } })
    const sends = [{ size: 1 }]
    const batch = kernel.poll(kernel.open(), [
      [0, 'a'],
      [1, 'a'],
      [2, 'b'],
    ])
    kernel.settle(batch.filter(({ offset }) => offset < 2).map((work) => ({ ...work, status: 'done', sends })))
    const first = kernel.of('publish').flatMap(({ publications }) => publications)
    assert.deepEqual(offsets(first.map(({ work }) => work)), [0, 1])
    kernel.step({
      kind: 'published',
      results: first.map(({ work }) => ({ work, ok: work.offset === 1, error: new Error('down'), permanent: false })),
    })
    assert.deepEqual(
      works(kernel.wait(100)).map(({ offset, attempt }) => [offset, attempt]),
      [[0, 2]],
    )
  })
})
