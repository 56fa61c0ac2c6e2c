/** A fetch that waits, with logs that only say that they moved. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../src/broker/clock.ts'
import { longPoll, type Poll } from '../../../src/broker/fetch/long-poll.ts'
import type { PartitionLog } from '../../../src/broker/log/partition-log.ts'
import type { Departure } from '../../../src/broker/server/route.ts'

class FakeLog {
  readonly listeners = new Set<(log: PartitionLog) => void>()
  bytes = 0

  onAdvance(listener: (log: PartitionLog) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  grow(bytes: number): void {
    this.bytes += bytes
    for (const listener of this.listeners) listener(this as unknown as PartitionLog)
  }
}

class World {
  readonly logs = Array.from({ length: 1_000 }, () => new FakeLog())
  readonly clock = new ManualClock(0)
  readonly departures = new Set<(kind: Departure) => void>()
  readonly changes = new Set<() => void>()
  reads = 0
  looked = 0
  error: Error | undefined

  poll(wantedBytes: number): Promise<number> {
    const sum = (): number => this.logs.reduce((bytes, log) => bytes + log.bytes, 0)
    const poll: Poll<number> = {
      read: () => {
        this.reads++
        if (this.error !== undefined) throw this.error
        return sum()
      },
      isEnough: (bytes) => bytes >= wantedBytes,
      logs: () => this.logs as unknown as PartitionLog[],
      mayBeEnough: (moved) => {
        this.looked += moved.size
        return sum() >= wantedBytes
      },
    }
    const result = longPoll(poll, 500, this)
    assert(result instanceof Promise)
    return result
  }

  get isIdle(): boolean {
    return this.departures.size + this.changes.size === 0 && this.logs.every(({ listeners }) => listeners.size === 0)
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('looks at what has moved, and reads everything only when that is worth while', async () => {
  const world = new World()
  const result = world.poll(100)
  for (let n = 0; n < 99; n++) {
    world.logs[n]?.grow(1)
    await turn()
  }
  assert.deepEqual([world.reads, world.looked], [1, 99])
  world.logs[7]?.grow(1)
  assert.equal(await result, 100)
  assert.equal(world.reads, 2)
  assert(world.isIdle)
})

test('tells what is there when its time is up, and when the connection ends', async () => {
  for (const end of ['time', 'connection'] as const) {
    const world = new World()
    const result = world.poll(100)
    world.logs[0]?.grow(3)
    if (end === 'time') world.clock.advance(500)
    else for (const leave of world.departures) leave('ending')
    assert.equal(await result, 3)
    assert(world.isIdle)
  }
})

test('reads nothing more for a client that is gone', async () => {
  const world = new World()
  const result = world.poll(100)
  for (const leave of world.departures) leave('gone')
  world.logs[0]?.grow(100)
  await assert.rejects(result)
  assert.equal(world.reads, 1)
  assert(world.isIdle)
})

test('reads everything again after a change that is none of a log, and passes an error on', async () => {
  const world = new World()
  const result = world.poll(100)
  world.error = new Error('the topic is gone')
  for (const change of world.changes) change()
  await assert.rejects(result, world.error)
  assert.equal(world.reads, 2)
  assert(world.isIdle)
})
