/** A consumer with a dashboard on the embedded broker, whose handler does what each record says, until it is told otherwise. */
import { startBroker } from '../../src/broker/index.ts'
import { type Consumer, consume, createProducer, PermanentError, text } from '../../src/index.ts'
import { notebook } from '../e2e/support.ts'

export interface Shop {
  readonly consumer: Consumer
  readonly url: string
  /** With the token that lets a browser act. */
  readonly link: string
  /** Sends records with these keys, each of which does `what`. */
  send(what: Deed, ...keys: readonly string[]): Promise<void>
  /** Records that wait for it go on. */
  release(key: string): void
  [Symbol.asyncDispose](): Promise<void>
}

/** finish · wait until released · fail with this message, again and again · fail for good with this message */
export type Deed = 'finish' | 'wait' | { readonly fail: string } | { readonly die: string }

export interface ShopOptions {
  readonly group?: string
  readonly partitions?: number
  readonly port?: number
  readonly allowActions?: boolean
  readonly stalledAfterMs?: number
}

class HttpError extends Error {
  override readonly name = 'HttpError'
}

export async function openShop(options: ShopOptions = {}): Promise<Shop> {
  const { group = 'billing', partitions = 1, port = 0, allowActions = true, stalledAfterMs = 60_000 } = options
  const broker = await startBroker({ port: 0, topics: { orders: partitions } })
  const producer = await createProducer({ brokers: broker.brokers })
  const waiting = new Map<string, () => void>()
  const released = new Set<string>()
  const consumer = await consume({
    brokers: broker.brokers,
    group,
    topics: ['orders'],
    concurrency: 50,
    decode: { key: text(), value: text() },
    retry: { attempts: 100, initialMs: 20_000, maxMs: 60_000, jitter: 0 },
    commit: { everyMs: 200 },
    stalledAfterMs,
    closeMs: 500,
    logger: notebook(),
    dashboard: { port, allowActions },
    handle: async (record, { signal }) => {
      const deed = JSON.parse(String(record.value)) as Deed
      const key = String(record.key)
      if (deed === 'finish') return
      if (deed === 'wait') {
        if (released.has(key)) return
        await new Promise<void>((resolve) => {
          waiting.set(key, resolve)
          signal.addEventListener('abort', () => resolve())
        })
      } else if ('fail' in deed) throw new HttpError(deed.fail)
      else throw new PermanentError(deed.die)
    },
  })
  const { url, link } = consumer.dashboard ?? { url: '', link: '' }
  return {
    consumer,
    url,
    link,
    async send(what, ...keys) {
      await producer.send(keys.map((key) => ({ topic: 'orders', key, value: JSON.stringify(what) })))
    },
    release(key) {
      released.add(key)
      waiting.get(key)?.()
    },
    async [Symbol.asyncDispose]() {
      await consumer.close()
      await producer.close()
      await broker.close()
    },
  }
}
