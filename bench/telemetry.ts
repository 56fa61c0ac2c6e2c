/**
 * What it costs to be watched: `npm run bench:telemetry [-- --json]`.
 *
 * 1. A no-op handler over a log in memory, bare, with metrics, with a dashboard that nobody looks at, and with one that
 *    somebody looks at: CPU time of a record, round by round in one run.
 * 2. 1,000 partitions and 100,000 lanes, all of them busy: what a frame takes, and the share of the CPU that the dashboard
 *    takes of the consumer while a page is open.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { Registry } from 'prom-client'
import type { Consumer } from '../src/consumer/consumer.ts'
import type { ConsumeOptions } from '../src/consumer/options.ts'
import { consume } from '../src/index.ts'
import { MemoryLog } from '../src/testing/index.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    records: { type: 'string', default: '300000' },
    rounds: { type: 'string', default: '5' },
    partitions: { type: 'string', default: '1000' },
    lanes: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '10' },
  },
})
const number = (name: 'records' | 'rounds' | 'partitions' | 'lanes' | 'seconds'): number => Number(values[name])

const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }

function nothing(): void {
  // The bench prints its own lines.
}

type Watching = Pick<ConsumeOptions, 'metrics' | 'dashboard'> & { readonly looks?: boolean }

const ways: Readonly<Record<string, () => Watching>> = {
  bare: () => ({}),
  metrics: () => ({ metrics: new Registry() }),
  dashboard: () => ({ dashboard: { port: 0 } }),
  'open page': () => ({ dashboard: { port: 0 }, looks: true }),
}

/** In a process of its own: what a browser does is not what the consumer pays. */
const reader = `
const response = await fetch(process.argv[1])
let frames = 0, bytes = 0
process.on('disconnect', () => process.exit())
process.on('message', () => process.send({ frames, bytes }))
process.send('reading')
for await (const piece of response.body) {
  bytes += piece.length
  if (Buffer.from(piece).includes('event: frame')) frames++
}`

interface Looked {
  readonly frames: number
  readonly bytes: number
}

/** Reads frames until it is told to stop; answers how many there were and how large. */
async function look(consumer: Consumer, query: string): Promise<{ stop(): Promise<Looked> }> {
  const url = `${consumer.dashboard?.url}api/stream?${query}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', reader, url], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await once(child, 'message')
  return {
    stop: async () => {
      child.send('stop')
      const [looked] = (await once(child, 'message')) as [Looked]
      child.disconnect()
      await once(child, 'exit')
      return looked
    },
  }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

async function microsecondsARecord(watching: Watching): Promise<number> {
  const { looks = false, ...options } = watching
  const records = number('records')
  const log = new MemoryLog({ orders: 8 })
  const value = Buffer.alloc(100)
  for (let n = 0; n < records; n += 1_000) {
    log.append(
      'orders',
      Array.from({ length: 1_000 }, (_, at) => ({ key: `key-${(n + at) % 10_000}`, value })),
    )
  }
  const consumer = await consume({ log, group: 'g', topics: ['orders'], logger, ...options, handle: nothing })
  consumer.pause({ topic: 'orders' })
  const page = looks ? await look(consumer, 'page=partitions') : null
  const before = cpuMs()
  consumer.resume({ topic: 'orders' })
  await consumer.idle()
  const spent = cpuMs() - before
  await page?.stop()
  await consumer.close()
  return (spent * 1_000) / records
}

const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0
const shown = (all: readonly number[]) => ({ median: median(all), least: Math.min(...all), most: Math.max(...all) })

async function costs() {
  const found: Record<string, number[]> = {}
  for (let round = 0; round < number('rounds'); round++) {
    for (const [name, way] of Object.entries(ways)) {
      const spent = await microsecondsARecord(way())
      found[name] = [...(found[name] ?? []), spent]
    }
  }
  const bare = found.bare ?? []
  return Object.fromEntries(
    Object.entries(found).map(([name, all]) => [
      name,
      { microseconds: shown(all), ratio: shown(all.map((each, at) => each / (bare[at] ?? each))) },
    ]),
  )
}

async function large() {
  const partitions = number('partitions')
  const lanes = number('lanes')
  const log = new MemoryLog({ orders: partitions })
  const value = Buffer.alloc(100)
  for (let n = 0; n < lanes * 1.2; n++)
    log.append('orders', { key: `key-${n % lanes}`, value, partition: (n % lanes) % partitions })
  const gate = Promise.withResolvers<void>()
  const consumer = await consume({
    log,
    group: 'g',
    topics: ['orders'],
    logger,
    concurrency: 1_000,
    limits: { records: lanes * 2, bytes: 2 ** 31 },
    dashboard: { port: 0 },
    handle: () => gate.promise,
  })
  while (consumer.snapshot().lanes.count < lanes) await new Promise((resolve) => setTimeout(resolve, 20))
  const took: number[] = []
  for (let n = 0; n < 20; n++) {
    const start = performance.now()
    consumer.snapshot()
    took.push(performance.now() - start)
  }
  const idleShare = async (query: string | null) => {
    const page = query === null ? null : await look(consumer, query)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const before = cpuMs()
    const start = performance.now()
    await new Promise((resolve) => setTimeout(resolve, number('seconds') * 1_000))
    const share = (cpuMs() - before) / (performance.now() - start)
    return { percent: share * 100, ...(await page?.stop()) }
  }
  // Nothing else happens in the process then: what it takes is what looking takes.
  const nobody = await idleShare(null)
  const page = await idleShare('page=partitions&count=25')
  gate.resolve()
  await consumer.close()
  return { partitions, lanes, snapshotMs: shown(took), nobody, page }
}

const result = { costs: await costs(), large: await large() }
if (values.json) console.log(JSON.stringify(result))
else {
  for (const [name, { microseconds, ratio }] of Object.entries(result.costs)) {
    console.log(
      `${name.padEnd(10)} ${microseconds.median.toFixed(2)} µs a record (${microseconds.least.toFixed(2)}–${microseconds.most.toFixed(2)}), ÷ bare ${ratio.median.toFixed(2)} (${ratio.least.toFixed(2)}–${ratio.most.toFixed(2)})`,
    )
  }
  const { snapshotMs, nobody, page } = result.large
  console.log(
    `${values.partitions} partitions, ${values.lanes} lanes: a snapshot ${snapshotMs.median.toFixed(1)} ms, CPU with nobody looking ${nobody.percent.toFixed(2)} %, with an open page ${page.percent.toFixed(2)} % (${page.frames ?? 0} frames, ${page.bytes ?? 0} bytes)`,
  )
}
