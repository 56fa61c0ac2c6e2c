/** A consumer on the embedded broker with its dashboard, and requests that a browser would not let one send. */
import { type IncomingHttpHeaders, request } from 'node:http'
import { startBroker } from '../../../src/broker/index.ts'
import type { Consumer } from '../../../src/consumer/consumer.ts'
import type { ConsumeOptions } from '../../../src/consumer/options.ts'
import type { Frame } from '../../../src/dashboard/frames.ts'
import type { DashboardOptions } from '../../../src/dashboard/server.ts'
import { consume, createProducer } from '../../../src/index.ts'
import { until } from '../../support/wait.ts'
import { notebook } from '../support.ts'

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Ask {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** Any header, `Host` too. */
export function ask(url: string, { method = 'GET', headers = {}, body }: Ask = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece) => {
        text += piece
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The first frame of a stream for which it is true. */
export async function frame(
  url: string,
  query: string,
  wanted: (frame: Frame) => boolean = () => true,
): Promise<Frame> {
  const response = await fetch(`${url}api/stream?${query}`)
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true })
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const data = /^event: frame\ndata: (.*)$/m.exec(event)?.[1]
      if (data === undefined) continue
      const told = JSON.parse(data) as Frame
      if (wanted(told)) return told
    }
  }
  throw new Error('the stream ended')
}

type Options = Omit<ConsumeOptions, 'topics' | 'dashboard' | 'brokers'>

export interface Stage extends AsyncDisposable {
  readonly brokers: readonly string[]
  readonly consumer: Consumer
  readonly url: string
  readonly token: string
  readonly logger: ReturnType<typeof notebook>
  send(records: readonly { readonly key: string; readonly value: string; readonly partition?: number }[]): Promise<void>
  /** Another one of the same group. */
  join(dashboard: Partial<DashboardOptions>): Promise<Consumer>
}

export const TOKEN = 'a-token-of-the-user'

export async function stage(options: Partial<Options>, dashboard: Partial<DashboardOptions> = {}): Promise<Stage> {
  const broker = await startBroker({ topics: { orders: 2 } })
  const logger = notebook()
  const consumers: Consumer[] = []
  const join = async (more: Partial<DashboardOptions>): Promise<Consumer> => {
    const consumer = await consume({
      brokers: broker.brokers,
      group: 'billing',
      topics: ['orders'],
      logger,
      handle: () => undefined,
      ...options,
      dashboard: { port: 0, allowActions: true, token: TOKEN, ...more },
    })
    consumers.push(consumer)
    return consumer
  }
  const consumer = await join(dashboard)
  const producer = await createProducer({ brokers: broker.brokers })
  await until('partitions are held', () => consumer.snapshot().partitions.length === 2)
  return {
    brokers: broker.brokers,
    consumer,
    url: consumer.dashboard?.url ?? '',
    token: TOKEN,
    logger,
    join,
    send: async (records) => {
      await producer.send(records.map((record) => ({ topic: 'orders', ...record })))
    },
    [Symbol.asyncDispose]: async () => {
      await producer.close()
      await Promise.all(consumers.map((each) => each.close()))
      await broker.close()
    },
  }
}

export interface Gated {
  open(): void
  handle(record: { readonly key: Buffer | null }): Promise<void>
}

/** A handler that some keys never leave, until they are let go. */
export function gated(keys: readonly string[]): Gated {
  const gate = Promise.withResolvers<void>()
  return {
    open: () => gate.resolve(),
    handle: async ({ key }) => {
      if (keys.includes(String(key))) await gate.promise
    },
  }
}
