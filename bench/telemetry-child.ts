/**
 * One consumer that is watched in one way, in a process of its own, for `bench/telemetry.ts`: so that each way has its own
 * compiled code and its own heap, and what a browser does is not counted. It does what the parent says, a slice at a time.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Registry } from 'prom-client'
import type { Consumer } from '../src/consumer/consumer.ts'
import type { ConsumeOptions } from '../src/consumer/options.ts'
import { consume } from '../src/index.ts'
import { MemoryLog } from '../src/testing/index.ts'

export type Way = 'bare' | 'metrics' | 'dashboard' | 'open page'

export type Order =
  /** How long a record takes, with so many in a slice. */
  | { readonly kind: 'slices'; readonly way: Way; readonly records: number }
  /** Many partitions and lanes, and nothing moves: what it takes then is what looking takes. */
  | { readonly kind: 'still'; readonly partitions: number; readonly lanes: number; readonly dashboard: boolean }

export type Wish =
  | { readonly kind: 'slice' }
  | { readonly kind: 'share'; readonly seconds: number; readonly query: string | null }
  | { readonly kind: 'snapshot' }

export interface Share {
  readonly percent: number
  readonly frames: number
  readonly bytes: number
}

const PARTITIONS = 8
const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }

function nothing(): void {
  // The parent prints.
}

setFlagsFromString('--expose-gc')
/** Rubbish of the preparation is not what is measured; the parent has switched off that V8 looks for it by itself some seconds later. */
const collect = runInNewContext('gc') as () => void

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

const watching: Readonly<Record<Way, () => Pick<ConsumeOptions, 'metrics' | 'dashboard'>>> = {
  bare: () => ({}),
  metrics: () => ({ metrics: new Registry() }),
  dashboard: () => ({ dashboard: { port: 0 } }),
  'open page': () => ({ dashboard: { port: 0 } }),
}

/** In a process of its own: what a browser does is not what the consumer pays. */
const reader = `
const response = await fetch(process.argv[1])
let frames = 0, bytes = 0
process.on('disconnect', () => process.exit())
process.on('message', () => { process.send({ frames, bytes }); frames = 0; bytes = 0 })
process.send('reading')
try {
  for await (const piece of response.body) {
    bytes += piece.length
    if (Buffer.from(piece).includes('event: frame')) frames++
  }
} catch {
  process.exit() // The consumer has ended.
}`

interface Page {
  /** What came since it was asked last. */
  seen(): Promise<{ readonly frames: number; readonly bytes: number }>
  close(): Promise<void>
}

async function openPage(consumer: Consumer, query: string): Promise<Page> {
  const url = `${consumer.dashboard?.url}api/stream?${query}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', reader, url], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await once(child, 'message')
  return {
    seen: async () => {
      child.send('seen')
      const [seen] = await once(child, 'message')
      return seen
    },
    close: async () => {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

/** The same records again and again: neither the log nor the heap grows. */
async function slices({
  way,
  records,
}: Order & { readonly kind: 'slices' }): Promise<(wish: Wish) => Promise<unknown>> {
  const log = new MemoryLog({ orders: PARTITIONS })
  const value = Buffer.alloc(100)
  for (let n = 0; n < records; n++) log.append('orders', { key: `key-${n % 10_000}`, value })
  let handled = 0
  const handle = (): void => {
    handled++
  }
  const consumer = await consume({ log, group: 'g', topics: ['orders'], logger, ...watching[way](), handle })
  await consumer.idle()
  if (way === 'open page') await openPage(consumer, 'page=partitions')
  return async () => {
    consumer.pause({ topic: 'orders' })
    for (let partition = 0; partition < PARTITIONS; partition++) {
      await consumer.seek({ topic: 'orders', partition, offset: 0 })
    }
    handled = 0
    collect()
    const before = cpuMs()
    consumer.resume({ topic: 'orders' })
    await consumer.idle()
    const spent = cpuMs() - before
    if (handled !== records) throw new Error(`${handled} records were handled, not ${records}`)
    return (spent * 1_000) / records
  }
}

/** As many frames as an open page gets in a few minutes: what is compiled by then is what runs for days. */
const FRAMES_BEFORE = 200

async function lookOften(url: string): Promise<void> {
  for (let n = 0; n < FRAMES_BEFORE; n++) {
    const { body } = await fetch(`${url}api/stream?page=partitions&count=25`)
    const reader = body?.getReader()
    for (let text = ''; !text.includes('event: frame'); ) {
      const piece = await reader?.read()
      if (piece === undefined || piece.done) break
      text += Buffer.from(piece.value).toString()
    }
    await reader?.cancel()
  }
}

async function still(order: Order & { readonly kind: 'still' }): Promise<(wish: Wish) => Promise<unknown>> {
  const { partitions, lanes, dashboard } = order
  const log = new MemoryLog({ orders: partitions })
  const value = Buffer.alloc(100)
  for (let n = 0; n < lanes * 1.2; n++) {
    log.append('orders', { key: `key-${n % lanes}`, value, partition: (n % lanes) % partitions })
  }
  const consumer = await consume({
    log,
    group: 'g',
    topics: ['orders'],
    logger,
    concurrency: 1_000,
    limits: { records: lanes * 2, bytes: 2 ** 31 },
    ...(dashboard ? { dashboard: { port: 0 } } : {}),
    handle: () => new Promise(nothing),
  })
  while (consumer.snapshot().lanes.count < lanes) await sleep(20)
  if (consumer.dashboard !== null) await lookOften(consumer.dashboard.url)
  collect()
  // It goes on in the background for a while.
  await sleep(6_000)
  return async (wish) => {
    if (wish.kind !== 'share') {
      const start = performance.now()
      consumer.snapshot()
      return performance.now() - start
    }
    const page = wish.query === null ? null : await openPage(consumer, wish.query)
    await sleep(2_000)
    await page?.seen()
    const before = cpuMs()
    const start = performance.now()
    await sleep(wish.seconds * 1_000)
    const percent = ((cpuMs() - before) / (performance.now() - start)) * 100
    const seen = await page?.seen()
    await page?.close()
    return { percent, frames: seen?.frames ?? 0, bytes: seen?.bytes ?? 0 } satisfies Share
  }
}

process.once('message', async (order: Order) => {
  const answer = await (order.kind === 'slices' ? slices(order) : still(order))
  process.on('message', async (wish: Wish) => process.send?.(await answer(wish)))
  process.once('disconnect', () => process.exit())
  process.send?.('ready')
})
