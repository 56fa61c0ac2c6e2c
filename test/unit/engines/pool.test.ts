/** The rules of a pool of workers, one by one. */
import assert from 'node:assert/strict'
import { openSync } from 'node:fs'
import { describe, test } from 'node:test'
import { FileClaimant, FileClaims, SharedClaimant, SharedClaims } from '../../../src/engines/workers/claims.ts'
import { keeperOf } from '../../../src/engines/workers/pool/affinity.ts'
import { blame } from '../../../src/engines/workers/pool/blame.ts'
import { TaskQueue } from '../../../src/engines/workers/pool/queue.ts'
import { Suspects } from '../../../src/engines/workers/pool/suspects.ts'
import { Task, UNSUSPECTED } from '../../../src/engines/workers/pool/task.ts'
import { asOffset } from '../../../src/kernel/ids.ts'
import { worksOf } from '../../../src/testing/engine-conformance/bench.ts'

const taskOf = (count = 1): Task =>
  new Task(worksOf(Array.from({ length: count }, () => ({}))), count > 1, UNSUSPECTED, null)

describe('affinity', () => {
  const keys = Array.from({ length: 2_000 }, (_, at) => `key-${at}`)
  const keepers = (there: readonly boolean[]): (number | null)[] => keys.map((key) => keeperOf(key, there))

  test('P1 · keys are shared evenly, and only those of a worker that goes move', () => {
    const all = keepers([true, true, true, true])
    for (let slot = 0; slot < 4; slot++) {
      const share = all.filter((each) => each === slot).length
      assert.ok(share > 350 && share < 650, `slot ${slot} keeps ${share} of 2000`)
    }
    const without = keepers([true, true, false, true])
    for (const [at, keeper] of all.entries()) {
      if (keeper === 2) assert.notEqual(without[at], 2)
      else assert.equal(without[at], keeper)
    }
    assert.equal(keeperOf('a', [false, false]), null)
  })
})

describe('who is to blame for the death of a worker', () => {
  const scene = { entered: null, wasAlone: false, blockedBy: null }

  test('R5 · the one it was inside of, if nothing else was waiting', () => {
    const [first, second] = [taskOf(), taskOf()]
    const verdicts = blame({ ...scene, begun: [first, second], entered: second, wasAlone: true })
    assert.deepEqual(
      verdicts.map(({ isCertain, companyMax }) => [isCertain, companyMax]),
      [
        [false, UNSUSPECTED],
        [true, 1],
      ],
    )
  })

  test('R5 · otherwise all that ran, in smaller and smaller company', () => {
    const companyOf = (count: number): number =>
      blame({ ...scene, begun: Array.from({ length: count }, () => taskOf()) })[0]?.companyMax ?? 0
    assert.deepEqual([1, 2, 4, 5, 9, 100].map(companyOf), [1, 1, 1, 3, 3, 10])
    for (let count = 2; count < 200; count++) assert.ok(companyOf(count) < count)
    assert.equal(blame({ ...scene, begun: [taskOf()] })[0]?.isCertain, true)
    assert.equal(blame({ ...scene, begun: [taskOf(), taskOf()] })[0]?.isCertain, false)
  })

  test('R5 · of a batch nobody knows which record it was', () => {
    assert.deepEqual(
      blame({ ...scene, begun: [taskOf(3)] }).map(({ isCertain, companyMax }) => [isCertain, companyMax]),
      [[false, 1]],
    )
  })

  test('R5 · who blocked a worker is known, and the others are not suspected', () => {
    const [bad, good] = [taskOf(), taskOf()]
    const verdicts = blame({ ...scene, begun: [good, bad], blockedBy: bad })
    assert.deepEqual(
      verdicts.map(({ companyMax }) => companyMax),
      [UNSUSPECTED, 1],
    )
  })

  test('suspects are remembered by name, cleared when they live, and bounded', () => {
    const suspects = new Suspects()
    const named = (offset: number) => ({ topic: 't', partition: 0, offset: asOffset(offset) })
    for (let offset = 0; offset < 10_100; offset++) suspects.add(named(offset), 3)
    assert.equal(suspects.companyMax([named(0)]), UNSUSPECTED)
    assert.equal(suspects.companyMax([named(5), named(10_050)]), 3)
    suspects.clear(named(10_050))
    assert.equal(suspects.companyMax([named(10_050)]), UNSUSPECTED)
  })
})

describe('claims', () => {
  test('I8 · in shared memory, one side gets a call and never both; what is done is seen', () => {
    const claims = new SharedClaims()
    const worker = new SharedClaimant(claims.memory)
    for (let call = 0; call < 10_000; call++) {
      claims.sent(call)
      assert.equal(claims.isStarted(call), false)
      if (call % 3 === 0) {
        assert.equal(claims.takeBack(call), true)
        assert.equal(worker.claim(call, 2), false)
        continue
      }
      assert.equal(worker.claim(call, 2), true)
      assert.equal(claims.takeBack(call), false)
      assert.equal(claims.isStarted(call), true)
      assert.equal(claims.isDone(call), false)
      worker.done(call)
      assert.equal(claims.isDone(call), true)
    }
    assert.equal(claims.pending(), 2)
    assert.equal(claims.isStarted(1), true, 'long ago')
    worker.done(4_097)
    assert.equal(claims.isStarted(9_998), true)
  })

  test('a file never denies a call that has begun', () => {
    const claims = new FileClaims()
    // As a child does: a descriptor of its own for the same file.
    const worker = new FileClaimant(openSync(`/proc/self/fd/${claims.fd}`, 'r+'))
    assert.equal(claims.isStarted(0), false)
    for (let call = 0; call < 200; call++) {
      assert.equal(worker.claim(call, 0, call < 100 ? 50 : 0), true)
      assert.equal(claims.isStarted(call), true)
      if (call > 140) assert.deepEqual([claims.isStarted(call + 1), claims.isExact()], [false, true])
    }
    assert.equal(claims.takeBack(300), false)
    claims.close()
    claims.close()
  })
})

describe('tasks and their queue', () => {
  test('I12 · a record ends once, whatever is said about it', () => {
    const task = taskOf(3)
    task.seq = 10
    assert.equal(task.settle(11, { status: 'done' })?.status, 'done')
    assert.equal(task.settle(11, { status: 'failed', error: 1 }), null)
    assert.equal(task.settle(99, { status: 'done' }), null)
    assert.deepEqual(
      task.end({ status: 'returned' }).map(({ offset, status }) => [offset, status]),
      [
        [0, 'returned'],
        [2, 'returned'],
      ],
    )
    assert.equal(task.isOver, true)
    assert.deepEqual(task.end({ status: 'done' }), [])
  })

  test('what comes back goes first, and what is over is passed over', () => {
    const queue = new TaskQueue()
    const tasks = Array.from({ length: 3_000 }, () => taskOf())
    for (const task of tasks) queue.push(task)
    tasks[1]?.end({ status: 'returned' })
    assert.equal(queue.shift(), tasks[0])
    assert.equal(queue.shift(), tasks[2])
    queue.putBack([tasks[0] as Task, tasks[2] as Task])
    assert.deepEqual(queue.drain(), [tasks[0], ...tasks.slice(2)])
    assert.equal(queue.peek(), null)
    assert.equal(queue.size, 0)
  })
})
