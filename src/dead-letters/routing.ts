/** Where a letter goes when it is redriven, and what of it. What cannot be told is said, and the letter stays. */
import { OURS } from '../consumer/dead-letters.ts'
import type { Header, RawRecord } from '../ports/log-client.ts'
import type { ProducerRecord } from '../producer/index.ts'
import { letterOf, originOf } from './letter.ts'

/** The trace that a redriven record keeps: which letter it was. */
export const REDRIVEN = 'fanlane-redriven'

export type Route =
  | { readonly kind: 'to'; readonly record: ProducerRecord; readonly order: SourceOrder }
  | { readonly kind: 'nowhere'; readonly why: string }

export interface SourceOrder {
  readonly topic: string
  readonly partition: number
  readonly offset: number
}

/** `partitionsOf`: how many a topic has; undefined: there is none of that name that may be written to. */
export function routeOf(record: RawRecord, partitionsOf: (topic: string) => number | undefined): Route {
  const { source } = letterOf(record, false)
  if (source === null) return { kind: 'nowhere', why: 'its headers do not say where it came from' }
  if (source.topic === record.topic) return { kind: 'nowhere', why: 'it says that it came from this very topic' }
  const partitions = partitionsOf(source.topic)
  if (partitions === undefined) return { kind: 'nowhere', why: `there is no topic '${source.topic}' to take it` }
  if (source.partition >= partitions) {
    return { kind: 'nowhere', why: `'${source.topic}' has no partition ${source.partition} any more` }
  }
  return {
    kind: 'to',
    order: source,
    record: {
      topic: source.topic,
      // Not by its key: where its neighbours are is where it came from, whoever chose the partition.
      partition: source.partition,
      key: record.key,
      value: record.value,
      headers: headersOf(record),
    },
  }
}

/** Its own, without ours: it is an ordinary record again. A letter of a letter keeps where it came from first. */
function headersOf(record: RawRecord): (readonly [string, Buffer | string | null])[] {
  const own = record.headers.filter(({ key }) => !OURS.has(key) && key !== REDRIVEN)
  const trace = `${record.topic}-${record.partition}@${record.offset}`
  return [...own.map(({ key, value }: Header) => [key, value] as const), ...firstSource(record), [REDRIVEN, trace]]
}

function firstSource(record: RawRecord): (readonly [string, Buffer | null])[] {
  if (originOf(record) === null) return []
  return record.headers
    .filter(({ key }) => key.startsWith('fanlane-origin-'))
    .map(({ key, value }) => [key.replace('-origin-', '-source-'), value] as const)
}

/** One source partition after the other, each in its order: so letters of one key are behind each other as they once were. */
export function inSourceOrder(a: SourceOrder, b: SourceOrder): number {
  if (a.topic !== b.topic) return a.topic < b.topic ? -1 : 1
  return a.partition - b.partition || a.offset - b.offset
}
