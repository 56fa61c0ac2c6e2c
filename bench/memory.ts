/** What it costs to be far ahead, and to see many keys: measured on the heap, after a collection. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { asOffset, asPosition } from '../src/kernel/ids.ts'
import { Slots } from '../src/kernel/slots.ts'
import { Tracker } from '../src/kernel/tracker.ts'
import { PathBench } from './kernel-path.ts'

export interface MemoryRow {
  readonly what: string
  readonly before: string
  readonly after: string
  readonly growthBytes: number
}

function collect(): number {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  gc()
  gc()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(2)} MB`

function measure(what: string, run: () => object): MemoryRow {
  const before = collect()
  const held = run()
  const after = collect()
  // The thing measured must still be there.
  if (Object.keys(held).length < 0) throw new Error('unreachable')
  return { what, before: megabytes(before), after: megabytes(after), growthBytes: after - before }
}

export function memoryBench(): readonly MemoryRow[] {
  return [
    measure('10 million completions past one blocked record', () => {
      const slots = new Slots(2_000)
      const tracker = new Tracker(slots, asPosition(0), [])
      const take = (offset: number): number => {
        const slot = slots.allocate()
        slots.offset[slot] = offset
        tracker.admit(slot, asOffset(offset))
        return slot
      }
      take(0)
      for (let offset = 1; offset <= 10_000_000; offset++) {
        const slot = take(offset)
        tracker.settle(slot)
        slots.release(slot)
      }
      return { slots, tracker }
    }),
    measure('a million keys, once each, through the whole kernel', () => {
      const bench = new PathBench(Array.from({ length: 1_000_000 }, (_, at) => `key-${at}`))
      bench.run()
      return { state: bench.state }
    }),
  ]
}
