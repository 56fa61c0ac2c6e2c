/** The watch over the event loop, in time that a test moves. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LoopWatch } from '../../../src/clients/native/group/heartbeat-thread/loop-watch.ts'
import { ManualClock } from './manual-clock.ts'

class Loop {
  isBlocked = false
  asked: number[] = []
  #answered = 0

  ask(number: number): void {
    this.asked.push(number)
    if (!this.isBlocked) this.#answered = number
  }

  answered(): number {
    return this.#answered
  }

  turn(): void {
    this.#answered = this.asked.at(-1) ?? 0
  }
}

function watched(): { clock: ManualClock; loop: Loop; watch: LoopWatch; overdue: string[] } {
  const [clock, loop] = [new ManualClock(), new Loop()]
  return { clock, loop, watch: new LoopWatch(clock, loop), overdue: [] }
}

describe('the watch over the event loop', () => {
  test('a loop that turns is never overdue', async () => {
    const { clock, watch, overdue } = watched()
    watch.watch({ maxMs: 5_000, overdue: () => overdue.push('a') })
    await clock.advance(60_000)
    assert.deepEqual(overdue, [])
  })

  test('one that stands still is, after its interval and little more, once, and for each client at its own time', async () => {
    const { clock, loop, watch, overdue } = watched()
    watch.watch({ maxMs: 4_000, overdue: () => overdue.push('a') })
    watch.watch({ maxMs: 8_000, overdue: () => overdue.push('b') })
    await clock.advance(10_000)
    loop.isBlocked = true
    await clock.advance(3_900)
    assert.deepEqual(overdue, [])
    await clock.advance(1_200)
    assert.deepEqual(overdue, ['a'])
    await clock.advance(4_000)
    assert.deepEqual(overdue, ['a', 'b'])
    await clock.advance(60_000)
    assert.deepEqual(overdue, ['a', 'b'])
    assert.equal(clock.timers, 0, 'nobody left to watch for')
  })

  test('while it stands still it is not asked again: nothing piles up', async () => {
    const { clock, loop, watch, overdue } = watched()
    watch.watch({ maxMs: 300_000, overdue: () => overdue.push('a') })
    await clock.advance(1_000)
    loop.isBlocked = true
    await clock.advance(1_000)
    const before = loop.asked.length
    await clock.advance(200_000)
    assert.equal(loop.asked.length, before)
    loop.isBlocked = false
    loop.turn()
    await clock.advance(299_000)
    assert.deepEqual(overdue, [])
  })

  test('a machine that slept proves nothing against the loop', async () => {
    const { clock, loop, watch, overdue } = watched()
    watch.watch({ maxMs: 5_000, overdue: () => overdue.push('a') })
    await clock.advance(2_000)
    loop.isBlocked = true
    clock.sleep(3_600_000)
    await clock.advance(1_000)
    assert.deepEqual(overdue, [])
    await clock.advance(5_000)
    assert.deepEqual(overdue, ['a'])
  })

  test('a watch that was ended says nothing, and leaves no timer', async () => {
    const { clock, loop, watch, overdue } = watched()
    const end = watch.watch({ maxMs: 5_000, overdue: () => overdue.push('a') })
    loop.isBlocked = true
    await clock.advance(4_000)
    end()
    await clock.advance(60_000)
    assert.deepEqual(overdue, [])
    assert.equal(clock.timers, 0)
  })
})
