/**
 * The control plane alone: `npm run bench:kernel` (`--json`: the last line is one JSON object).
 * One process, one core. Ratios matter more than numbers: these machines are noisy.
 */
import { Bench } from 'tinybench'
import { asOffset, asPosition } from '../src/kernel/ids.ts'
import { Slots } from '../src/kernel/slots.ts'
import { Tracker } from '../src/kernel/tracker.ts'
import { randomStream } from '../src/testing/sim/random.ts'
import { PATH_OPTIONS, PathBench, zipfKeys } from './kernel-path.ts'
import { memoryBench } from './memory.ts'
import { offsetMapBench } from './offset-map.ts'

const WINDOW = 100_000
const PATH_RECORDS = 500_000

interface Rate {
  readonly name: string
  readonly perSecond: number
  readonly spreadPercent: number
  readonly samples: number
}

/** Settles in random order over a window: each settle is one operation. */
function trackerTask(): () => void {
  const order = Int32Array.from({ length: WINDOW }, (_, at) => at)
  const random = randomStream(1, 'order')
  for (let at = WINDOW - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    const held = order[at] as number
    order[at] = order[other] as number
    order[other] = held
  }
  const slots = new Slots(WINDOW)
  const window = new Int32Array(WINDOW)
  return () => {
    const tracker = new Tracker(slots, asPosition(0), [])
    for (let offset = 0; offset < WINDOW; offset++) {
      const slot = slots.allocate()
      slots.offset[slot] = offset
      window[offset] = slot
      tracker.admit(slot, asOffset(offset))
    }
    for (const offset of order) {
      const slot = window[offset] as number
      tracker.settle(slot)
      slots.release(slot)
    }
    if (tracker.position !== WINDOW) throw new Error('the tracker is wrong')
  }
}

async function rates(): Promise<readonly Rate[]> {
  const zipf = zipfKeys(10_000, PATH_RECORDS)
  const distinct = Array.from({ length: PATH_RECORDS }, (_, at) => `order-${at}`)
  const bench = new Bench({ time: 3_000, iterations: 5, warmupIterations: 3, warmupTime: 500 })
  const operations: Record<string, number> = {}
  const add = (name: string, count: number, task: () => void): void => {
    operations[name] = count
    bench.add(name, task)
  }
  add('tracker: admit and settle, random order, window 100,000', WINDOW, trackerTask())
  add('kernel path: 10,000 Zipf keys', PATH_RECORDS, () => {
    new PathBench(zipf).run()
  })
  add('kernel path: no order', PATH_RECORDS, () => {
    new PathBench(zipf, { ...PATH_OPTIONS, order: 'none' }).run()
  })
  add('kernel path: every key once', PATH_RECORDS, () => {
    new PathBench(distinct).run()
  })
  await bench.run()
  return bench.tasks.map((task) => {
    const { result } = task
    if (result.state !== 'completed') throw new Error(`${task.name}: ${result.state}`)
    const count = operations[task.name] as number
    const { p50, samplesCount, min, p75 } = result.latency
    return {
      name: task.name,
      perSecond: Math.round((count / p50) * 1_000),
      spreadPercent: Math.round(((p75 - min) / p50) * 100),
      samples: samplesCount,
    }
  })
}

const kernel = await rates()
const memory = memoryBench()
const map = await offsetMapBench()
console.table(
  kernel.map(({ name, perSecond, spreadPercent }) => ({ name, 'records/s': perSecond, 'spread %': spreadPercent })),
)
console.table(memory)
if (process.argv.includes('--json')) console.log(JSON.stringify({ node: process.version, kernel, memory, map }))
