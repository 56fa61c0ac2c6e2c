/**
 * Looks at what a group has stored, again and again while the test runs: every commit that is seen must be honest, and none
 * goes back behind one that was seen before.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger } from './ledger.ts'
import type { RawKafka } from './raw-kafka.ts'

const everyMs = 15

export interface Watch {
  /** How many different commits were seen. */
  readonly seen: number
  /** Rejects with the first lie. */
  stop(): Promise<void>
}

export function watchCommits(raw: RawKafka, group: string, ledger: Ledger, hasHoles = false): Watch {
  const seen = new Set<string>()
  const positions = new Map<string, number>()
  let isOver = false
  const look = async (): Promise<void> => {
    const stored = await raw.stored(group)
    // What is stored was finished before: the ledger as it is after the answer holds all of it.
    const fresh = stored.filter((each) => !seen.has(JSON.stringify(each)))
    if (fresh.length > 0) ledger.assertHonest(fresh, hasHoles)
    for (const each of fresh) {
      seen.add(JSON.stringify(each))
      const name = `${each.topic}-${each.partition}`
      const before = positions.get(name) ?? -1
      assert.ok(each.position >= before, `${name} went back from ${before} to ${each.position}`)
      positions.set(name, each.position)
    }
  }
  const run = async (): Promise<void> => {
    while (!isOver) {
      await look()
      await sleep(everyMs)
    }
    await look()
  }
  const running = run()
  running.catch(() => undefined)
  return {
    get seen() {
      return seen.size
    },
    async stop() {
      isOver = true
      await running
    },
  }
}
