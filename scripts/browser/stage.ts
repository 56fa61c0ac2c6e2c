/**
 * A shop on a bad day, for pictures of the dashboard: two real consumers of one group on an embedded broker, with records that
 * are stuck, retried and dead, a key that is parked, and one that is hot.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { startBroker } from '../../src/broker/index.ts'
import { type Consumer, consume, createProducer, PermanentError, text } from '../../src/index.ts'
import { freePorts } from '../kafka/cluster.ts'

export interface Stage {
  /** With the token: actions are on. */
  readonly link: string
  readonly brokers: readonly string[]
  close(): Promise<void>
}

const customers = ['acme', 'globex', 'initech', 'umbrella', 'hooli', 'stark', 'wayne', 'wonka', 'tyrell', 'cyberdyne']
const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing }
function nothing(): void {
  // Pictures need no log.
}

class PaymentError extends Error {
  override readonly name = 'PaymentError'
}

export async function openStage(): Promise<Stage> {
  const broker = await startBroker({ port: 0, topics: { orders: 8, payments: 4 } })
  const [port] = (await freePorts(1)) as [number]
  const stop = new AbortController()
  const open = (clientId: string): Promise<Consumer> =>
    consume({
      brokers: broker.brokers,
      group: 'billing',
      topics: ['orders', 'payments'],
      client: { clientId },
      concurrency: 60,
      limits: { records: 1_500 },
      decode: { key: text(), value: text() },
      retry: { attempts: 9, initialMs: 1_500, factor: 2, maxMs: 20_000 },
      breaker: { poisons: 3 },
      stalledAfterMs: 5_000,
      dashboard: { port, allowActions: true },
      logger: silent,
      handle: ({ key, value }, { signal, attempt }) => handle(String(key), String(value), attempt, signal),
    })
  const consumers = [await open('billing-1'), await open('billing-2')]
  const traffic = produce(broker.brokers, stop.signal)
  return {
    link: consumers[0]?.dashboard?.link ?? '',
    brokers: broker.brokers,
    async close() {
      stop.abort()
      await traffic
      await Promise.all(consumers.map((consumer) => consumer.close()))
      await broker.close()
    },
  }
}

async function handle(key: string, value: string, attempt: number, signal: AbortSignal): Promise<void> {
  const { does } = JSON.parse(value) as { does: string }
  switch (does) {
    case 'hang':
      return sleep(600_000, undefined, { signal, ref: false })
    case 'unavailable':
      throw new PaymentError(`503 from payments.example, no charge for ${key}`)
    case 'flaky':
      if (attempt < 3) throw new PaymentError('socket hang up')
      return
    case 'poison':
      throw new PermanentError(`total is not a number: "12,00 EUR"`)
    default:
      return sleep(does === 'hot' ? 60 : 15 + (value.length % 7) * 10)
  }
}

/** The same shop every time; only the clock differs. */
async function produce(brokers: readonly string[], signal: AbortSignal): Promise<void> {
  const producer = await createProducer({ brokers: [...brokers] })
  const send = (topic: string, key: string, does: string, n: number): Promise<unknown> =>
    producer.send({ topic, key, value: JSON.stringify({ id: n, does, total: `${(n * 37) % 500}.00` }) })
  const before = performance.now()
  for (let n = 0; !signal.aborted; n++) {
    const seconds = (performance.now() - before) / 1_000
    const sends: Promise<unknown>[] = []
    for (let i = 0; i < 60 + Math.round(30 * Math.sin(seconds / 6)); i++) {
      const customer = `${customers[(n * 7 + i * 3) % customers.length]}-${(n * 13 + i * 29) % 400}`
      sends.push(send(i % 3 === 0 ? 'payments' : 'orders', customer, 'ok', n * 100 + i))
    }
    for (let i = 0; i < 3; i++) sends.push(send('orders', 'marketplace', 'hot', n))
    for (let i = 0; i < 2; i++) sends.push(send('payments', 'reseller-us', 'hot', n))
    if (n % 8 !== 0) for (let i = 0; i < 2; i++) sends.push(send('orders', 'reseller-eu', 'hot', n))
    if (n % 40 === 11) sends.push(send('payments', `hooli-${n}`, 'flaky', n))
    if (n % 30 === 7 && n < 200) sends.push(send('orders', 'wonka-import', 'poison', n))
    if (n === 20) sends.push(send('orders', 'acme', 'unavailable', n))
    if (n === 30) sends.push(send('payments', 'globex-eu', 'hang', n))
    if (n > 20 && n % 25 === 0) sends.push(send('orders', 'acme', 'ok', n))
    await Promise.all(sends)
    await sleep(100)
  }
  await producer.close()
}
