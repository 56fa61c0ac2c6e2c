/** A producer that never stops while nodes die, and what must be true of a log that it wrote. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createProducer } from '../../../src/index.ts'
import { cleanUp } from './cleanup.ts'
import type { Pulse } from './mixed-pulse.ts'

const keys = 24
const everyMs = 100

export interface Placed {
  readonly partition: number
  readonly offset: number
  readonly value: string | null
}

export interface Load {
  readonly written: readonly Placed[]
  /** Resolves when everything is acknowledged; rejects if something was not. */
  pause(): Promise<void>
  resume(): void
}

/** One record a key, every 100 ms, none waited for; the values of a key count up: `k7:0`, `k7:1`, … */
export async function startLoad(
  t: TestContext,
  brokers: readonly string[],
  topic: string,
  pulse: Pulse,
): Promise<Load> {
  const producer = await createProducer({ brokers, deliveryTimeoutMs: 100_000 })
  const written: Placed[] = []
  const failed: unknown[] = []
  let round = 0
  let isOver = false
  const send = (key: string): void => {
    const value = `${key}:${round}`
    producer.send({ topic, key, value }).then(
      ([delivered]) => {
        assert.ok(delivered)
        written.push({ value, ...delivered })
        pulse.beat(delivered.partition)
      },
      (error: unknown) => failed.push(error),
    )
  }
  const run = async (): Promise<void> => {
    for (; !isOver; round++) {
      for (let key = 0; key < keys; key++) send(`k${key}`)
      await sleep(everyMs)
    }
    await producer.flush()
  }
  let running = run()
  cleanUp(t, async () => {
    isOver = true
    await producer.close({ timeoutMs: 1_000 })
  })
  return {
    written,
    async pause() {
      isOver = true
      await running
      assert.deepEqual(failed, [])
    },
    resume() {
      isOver = false
      running = run()
    },
  }
}

/** In the order of the log, as text. */
export function inOrder(records: readonly Placed[]): string[] {
  return records
    .toSorted((a, b) => a.partition - b.partition || a.offset - b.offset)
    .map(({ partition, offset, value }) => `${partition}@${offset} ${value}`)
}

/** Every key counts from 0 without a gap, without a repetition, in the order of the log; so many records in all. */
export function assertCounted(records: readonly Placed[], count: number, what: string): void {
  const next = new Map<string, number>()
  for (const each of inOrder(records)) {
    const [key = '', number] = (each.split(' ')[1] ?? '').split(':')
    assert.equal(Number(number), next.get(key) ?? 0, `${what}: ${each}`)
    next.set(key, Number(number) + 1)
  }
  assert.equal(records.length, count, what)
}
