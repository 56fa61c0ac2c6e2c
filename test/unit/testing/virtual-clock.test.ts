import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { randomStream } from '../../../src/testing/sim/random.ts'
import { VirtualClock } from '../../../src/testing/sim/virtual-clock.ts'

describe('the virtual clock', () => {
  test('events come in the order of their time, and time is that of the event', async () => {
    const clock = new VirtualClock(1)
    const seen: string[] = []
    for (const ms of [30, 10, 20]) clock.at(ms, () => seen.push(`${ms} at ${clock.now()}`))
    clock.at(15, () => clock.at(5, () => seen.push(`past at ${clock.now()}`)))
    await clock.runUntil(25)
    assert.deepEqual(seen, ['10 at 10', 'past at 15', '20 at 20'])
    assert.equal(clock.now(), 25)
    assert.equal(clock.nextEventMs(), 30)
  })

  test('the seed decides the order of one moment, and the same seed decides the same', async () => {
    const orderOf = async (seed: number): Promise<string> => {
      const clock = new VirtualClock(seed)
      let order = ''
      for (const name of 'abcdefgh') clock.soon(() => (order += name))
      await clock.runUntil(0)
      return order
    }
    assert.equal(await orderOf(7), await orderOf(7))
    const orders = await Promise.all(Array.from({ length: 20 }, (_, seed) => orderOf(seed)))
    assert.ok(new Set(orders).size > 15)
  })

  test('all microtasks of an event run before the next event', async () => {
    const clock = new VirtualClock(1)
    const seen: string[] = []
    const chain = async (name: string): Promise<void> => {
      for (let depth = 0; depth < 20; depth++) await null
      seen.push(name)
    }
    clock.at(1, () => void chain('first').then(() => chain('first, later')))
    clock.at(1.5, () => seen.push('second'))
    while (await clock.step());
    assert.deepEqual(seen, ['first', 'first, later', 'second'])
  })

  test('the same from a macrotask', async () => {
    const clock = new VirtualClock(1)
    const seen: string[] = []
    clock.at(1, () => void Promise.resolve().then(() => Promise.resolve().then(() => seen.push('first'))))
    clock.at(2, () => seen.push('second'))
    await new Promise<void>((resolve, reject) => {
      setImmediate(() => clock.runUntil(5).then(() => resolve(), reject))
    })
    assert.deepEqual(seen, ['first', 'second'])
  })

  test('what is cancelled does not happen, and does not move time', async () => {
    const clock = new VirtualClock(1)
    const cancel = clock.at(10, () => assert.fail('cancelled'))
    cancel()
    assert.equal(await clock.step(), false)
    assert.equal(clock.now(), 0)
  })

  test('runUntil a condition: true when it holds, false when the time is over or nothing is left', async () => {
    const clock = new VirtualClock(1)
    let ticks = 0
    const tick = (): void => {
      ticks++
      clock.at(clock.now() + 10, tick)
    }
    tick()
    assert.equal(await clock.runUntil(() => ticks === 5), true)
    assert.equal(clock.now(), 40)
    assert.equal(await clock.runUntil(() => false, 100), false)
    assert.equal(clock.now(), 140)
    assert.equal(await new VirtualClock(1).runUntil(() => false), false)
  })

  test('an error in an event ends the run', async () => {
    const clock = new VirtualClock(1)
    clock.soon(() => {
      throw new Error('broken')
    })
    await assert.rejects(clock.runUntil(1), /broken/)
  })
})

describe('a simulated process', () => {
  test('frozen, it does everything later, in the order in which it came', async () => {
    const clock = new VirtualClock(3)
    const process = clock.process('a')
    const seen: string[] = []
    for (const ms of [1, 2, 3, 4]) process.at(ms, () => seen.push(`${ms} at ${clock.now()}`))
    const cancel = process.at(2.5, () => assert.fail('cancelled while it was held'))
    process.freeze()
    await clock.runUntil(3.5)
    cancel()
    assert.equal(seen.length, 0)
    clock.at(10, () => process.thaw())
    await clock.runUntil(3.9)
    await clock.runUntil(20)
    assert.deepEqual(seen, ['1 at 10', '2 at 10', '3 at 10', '4 at 10'])
    process.soon(() => seen.push('again'))
    await clock.runUntil(21)
    assert.equal(seen.at(-1), 'again')
  })

  test('frozen again while it catches up, the rest waits on', async () => {
    const clock = new VirtualClock(3)
    const process = clock.process('a')
    const seen: number[] = []
    process.at(1, () => process.freeze())
    for (const ms of [2, 3]) process.at(ms, () => seen.push(ms))
    process.freeze()
    await clock.runUntil(5)
    process.thaw()
    await clock.runUntil(6)
    assert.deepEqual(seen, [])
    process.thaw()
    await clock.runUntil(7)
    assert.deepEqual(seen, [2, 3])
  })

  test('killed, it never does anything again', async () => {
    const clock = new VirtualClock(1)
    const process = clock.process('a')
    process.at(5, () => assert.fail('dead'))
    process.freeze()
    await clock.runUntil(6)
    process.kill()
    process.thaw()
    process.soon(() => assert.fail('dead'))
    await clock.runUntil(20)
    assert.equal(process.state, 'killed')
  })

  test('each start has its own chance, the same for the same seed', () => {
    const draws = (seed: number): readonly number[] => {
      const clock = new VirtualClock(seed)
      return [clock.process('a'), clock.process('b'), clock.process('a')].map((process) => process.random())
    }
    assert.deepEqual(draws(5), draws(5))
    assert.equal(new Set([...draws(5), ...draws(6)]).size, 6)
  })
})

test('random streams are even, and independent of each other', () => {
  const sums = Array.from({ length: 100 }, (_, seed) => {
    const next = randomStream(seed, 'x')
    let sum = 0
    for (let i = 0; i < 100; i++) {
      const value = next()
      assert.ok(value >= 0 && value < 1)
      sum += value
    }
    return sum / 100
  })
  const mean = sums.reduce((a, b) => a + b) / sums.length
  assert.ok(Math.abs(mean - 0.5) < 0.02, `mean ${mean}`)
  assert.notEqual(randomStream(1, 'a')(), randomStream(1, 'b')())
})
