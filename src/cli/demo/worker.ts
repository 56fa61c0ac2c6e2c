/** One consumer of the demo with its handler. It tells what happens to each order, and counts nothing itself. */
import { consume } from '../../consume.ts'
import { json, text } from '../../consumer/codecs.ts'
import type { Consumer } from '../../consumer/consumer.ts'
import type { ConsumedRecord, HandlerContext } from '../../engines/handler.ts'
import { FanlaneError } from '../../errors.ts'
import type { WorkId } from '../../kernel/events.ts'
import type { Clock } from '../../ports/clock.ts'
import { silent, TOPIC } from './ground.ts'
import type { Order } from './orders.ts'

const HANDLER_MS = 5
const SLOW_MS = 4_000
const RETRY = { attempts: 3, initialMs: 40 }
/** As short as brokers allow: whoever is killed should be missed soon. */
const SESSION_MS = 6_000

export interface WorkerOptions {
  readonly brokers: readonly string[]
  readonly group: string
  readonly order: 'key' | 'partition'
  readonly concurrency: number
  /** Null: it has none. */
  readonly dashboardPort: number | null
}

export type Told =
  | { readonly kind: 'started' | 'over'; readonly order: Order }
  | { readonly kind: 'retry' | 'dead-letter' }

export async function startWorker(options: WorkerOptions, clock: Clock, tell: (told: Told) => void): Promise<Consumer> {
  const { brokers, group, order, concurrency, dashboardPort } = options
  /** Orders that will never go through, by where they lie: a dead letter tells no more. */
  const poison = new Map<string, Order>()
  const handle = async (record: ConsumedRecord<string, Order>, { attempt, signal }: HandlerContext): Promise<void> => {
    const { value } = record
    if (value === null) throw new FanlaneError('NO_ORDER', 'The demo writes no tombstones.')
    tell({ kind: 'started', order: value })
    const ms = value.fate === 'slow' ? SLOW_MS : HANDLER_MS
    await new Promise<void>((resolve) => {
      const cancel = clock.at(clock.now() + ms, resolve)
      // Nobody waits for a slow order when its partition goes, or at the end.
      if (value.fate === 'slow') signal.addEventListener('abort', () => [cancel(), resolve()], { once: true })
    })
    if (value.fate === 'slow' && signal.aborted) throw new FanlaneError('STOPPED', 'the partition has gone elsewhere')
    if (value.fate === 'poison') {
      poison.set(nameOf(record), value)
      throw new FanlaneError('CARD_UNREADABLE', 'the card cannot be read')
    }
    if (value.fate === 'fails-once' && attempt === 1) throw new FanlaneError('TIMED_OUT', 'the bank did not answer')
    tell({ kind: 'over', order: value })
  }
  const consumer = await consume<string, Order>({
    brokers,
    group,
    topics: [TOPIC],
    order,
    concurrency,
    retry: RETRY,
    deadLetter: { topic: () => deadLetterTopicOf(group) },
    decode: { key: text(), value: json() },
    logger: silent,
    client: { sessionTimeoutMs: SESSION_MS },
    ...(dashboardPort === null ? {} : { dashboard: { port: dashboardPort } }),
    handle,
  })
  consumer.on('retry', () => tell({ kind: 'retry' }))
  consumer.on('dead-letter', ({ work }: { readonly work: WorkId }) => {
    const letter = poison.get(nameOf(work))
    if (letter === undefined) return
    tell({ kind: 'dead-letter' })
    tell({ kind: 'over', order: letter })
  })
  return consumer
}

export function deadLetterTopicOf(group: string): string {
  return `${TOPIC}.${group}.dlq`
}

function nameOf({ partition, offset }: { readonly partition: number; readonly offset: number }): string {
  return `${partition}@${offset}`
}
