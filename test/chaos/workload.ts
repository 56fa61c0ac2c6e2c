/**
 * The records of a run: which key comes next, what is in them, which of them no handler can do. Everything follows from the
 * seed, and every record says itself which one it is: `k17:42` is record 42 of key k17.
 */
import { randomStream } from '../../src/testing/sim/random.ts'

export interface Planned {
  readonly key: string
  readonly value: string
}

export interface Meaning {
  readonly key: string
  readonly seq: number
  /** `permanent`: a handler refuses it at once; `retryable`: every time. */
  readonly poison: 'permanent' | 'retryable' | null
  /** Its first attempt kills the worker that runs it, where there are workers. */
  readonly isLethal: boolean
}

const poisonShare = 0.01
const lethalShare = 0.002

/** Keys by Zipf's law: the second most frequent comes half as often as the first, the third a third as often … */
export function* workload(seed: number, keys: number, valueBytes: number): Generator<Planned, never, undefined> {
  const chance = randomStream(seed, 'workload')
  const upTo: number[] = []
  let sum = 0
  for (let rank = 1; rank <= keys; rank++) {
    sum += 1 / rank
    upTo.push(sum)
  }
  const counts = new Map<string, number>()
  for (;;) {
    const key = `k${firstAbove(upTo, chance() * sum)}`
    const seq = counts.get(key) ?? 0
    counts.set(key, seq + 1)
    const luck = chance()
    const poison = chance() < 0.5 ? '!permanent' : '!retryable'
    const kind = luck < poisonShare ? poison : luck < poisonShare + lethalShare ? '!lethal' : ''
    const head = `${key}:${seq}${kind}`
    yield { key, value: valueBytes > head.length ? `${head} ${'x'.repeat(valueBytes - head.length - 1)}` : head }
  }
}

export function meaningOf(value: string): Meaning {
  const match = /^(k\d+):(\d+)(?:!(permanent|retryable|lethal))?( |$)/.exec(value)
  if (match === null) throw new Error(`not a record of ours: ${value.slice(0, 80)}`)
  const poison = match[3] === 'permanent' || match[3] === 'retryable' ? match[3] : null
  return { key: String(match[1]), seq: Number(match[2]), poison, isLethal: match[3] === 'lethal' }
}

function firstAbove(sorted: readonly number[], value: number): number {
  let low = 0
  let high = sorted.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) > value) high = middle
    else low = middle + 1
  }
  return low
}
