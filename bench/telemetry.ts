/**
 * What it costs to be watched: `npm run bench:telemetry [-- --json]`.
 *
 * 1. A no-op handler over a log in memory: CPU time of a record bare, with metrics that nobody reads, with a dashboard that nobody
 *    looks at, and with an open page. Each way is a process that stays; they take turns in short slices, in changing order, and
 *    each slice is compared with the bare one of its turn. A second bare process shows what such a comparison is worth: what
 *    lies within its spread is no cost. Processes are started anew several times, as each has its own luck with its memory.
 * 2. 1,000 partitions and 100,000 lanes that stand still: what a snapshot takes, and the share of a core that the process takes
 *    without a dashboard, with one that nobody looks at, and with an open page.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import type { Order, Share, Way, Wish } from './telemetry-child.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    records: { type: 'string', default: '40000' },
    /** Turns of one set of processes. */
    rounds: { type: 'string', default: '20' },
    /** Sets of processes. */
    sets: { type: 'string', default: '3' },
    partitions: { type: 'string', default: '1000' },
    lanes: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '20' },
  },
})
const given = (name: 'records' | 'rounds' | 'sets' | 'partitions' | 'lanes' | 'seconds'): number => Number(values[name])

const WARM_UP = 4

class Child {
  readonly #process = fork(new URL('./telemetry-child.ts', import.meta.url), {
    execArgv: ['--no-memory-reducer'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })

  static async start(order: Order): Promise<Child> {
    const child = new Child()
    child.#process.send(order)
    await once(child.#process, 'message')
    return child
  }

  async ask<Answer>(wish: Wish): Promise<Answer> {
    this.#process.send(wish)
    const ended = new AbortController()
    const answered = once(this.#process, 'message', { signal: ended.signal })
    const died = once(this.#process, 'exit', { signal: ended.signal }).then(() => {
      throw new Error('a process of the bench has died')
    })
    try {
      const [answer] = await Promise.race([answered, died])
      return answer
    } finally {
      ended.abort()
      await Promise.allSettled([answered, died])
    }
  }

  async end(): Promise<void> {
    const exited = once(this.#process, 'exit')
    this.#process.disconnect()
    await exited
  }
}

interface Spread {
  readonly median: number
  /** Half of all lies between. */
  readonly low: number
  readonly high: number
}

function spreadOf(all: readonly number[]): Spread {
  const sorted = all.toSorted((a, b) => a - b)
  const at = (part: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}

const names = ['bare', 'bare again', 'metrics', 'dashboard', 'open page'] as const
type Name = (typeof names)[number]

interface Cost {
  readonly microseconds: Spread
  readonly ratio: Spread
}

async function costs(): Promise<Record<Name, Cost>> {
  const spent: Record<Name, number[]> = { bare: [], 'bare again': [], metrics: [], dashboard: [], 'open page': [] }
  for (let set = 0; set < given('sets'); set++) {
    const children = new Map<Name, Child>()
    for (const name of names) {
      const way: Way = name === 'bare again' ? 'bare' : name
      children.set(name, await Child.start({ kind: 'slices', way, records: given('records') }))
    }
    for (let round = -WARM_UP; round < given('rounds'); round++) {
      // Whoever comes after somebody else finds the machine as that one has left it: everybody comes after everybody.
      const turn = names.map((_, at) => names[(at + round + WARM_UP) % names.length] ?? 'bare')
      for (const name of round % 2 === 0 ? turn : turn.toReversed()) {
        const microseconds = await children.get(name)?.ask<number>({ kind: 'slice' })
        if (round >= 0) spent[name].push(microseconds ?? Number.NaN)
      }
    }
    for (const child of children.values()) await child.end()
  }
  const cost = (name: Name): Cost => ({
    microseconds: spreadOf(spent[name]),
    ratio: spreadOf(spent[name].map((each, at) => each / (spent.bare[at] ?? Number.NaN))),
  })
  return Object.fromEntries(names.map((name) => [name, cost(name)])) as Record<Name, Cost>
}

async function still() {
  const order = { kind: 'still', partitions: given('partitions'), lanes: given('lanes') } as const
  const seconds = given('seconds')
  const bare = await Child.start({ ...order, dashboard: false })
  const without = await bare.ask<Share>({ kind: 'share', seconds, query: null })
  await bare.end()
  const child = await Child.start({ ...order, dashboard: true })
  const took: number[] = []
  for (let n = 0; n < 20; n++) took.push(await child.ask<number>({ kind: 'snapshot' }))
  const nobody = await child.ask<Share>({ kind: 'share', seconds, query: null })
  const page = await child.ask<Share>({ kind: 'share', seconds, query: 'page=partitions&count=25' })
  await child.end()
  return { partitions: order.partitions, lanes: order.lanes, snapshotMs: spreadOf(took), without, nobody, page }
}

const result = {
  costs: given('sets') === 0 ? null : await costs(),
  still: given('seconds') === 0 ? null : await still(),
}
if (values.json) console.log(JSON.stringify(result))
else {
  const spread = ({ median, low, high }: Spread, digits: number): string =>
    `${median.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`
  for (const [name, { microseconds, ratio }] of Object.entries(result.costs ?? {})) {
    console.log(`${name.padEnd(10)} ${spread(microseconds, 2)} µs of CPU a record, ÷ bare ${spread(ratio, 3)}`)
  }
  if (result.still !== null) {
    const { partitions, lanes, snapshotMs, without, nobody, page } = result.still
    console.log(`${partitions} partitions, ${lanes} lanes: a snapshot takes ${spread(snapshotMs, 1)} ms`)
    console.log(
      `CPU without a dashboard ${without.percent.toFixed(2)} %, with nobody looking ${nobody.percent.toFixed(2)} %, with an open page ${page.percent.toFixed(2)} % (${page.frames} frames of ${Math.round(page.bytes / Math.max(1, page.frames))} bytes)`,
    )
  }
}
