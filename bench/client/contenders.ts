/** Who is compared, and how each is started. */
import type { NodeContender } from './contestants.ts'

interface Common {
  readonly name: string
  readonly title: string
  readonly kind: 'consume' | 'produce'
  /** True: it commits, and counts only if the group's offsets are at the end afterwards. */
  readonly commits: boolean
}

export type Contender = Common & ({ readonly node: NodeContender } | { readonly java: 'Consume' | 'Produce' })

const consumer = (commits: boolean): Pick<Common, 'kind' | 'commits'> => ({ kind: 'consume', commits })
const producer = { kind: 'produce', commits: false } as const

// biome-ignore format: a table is read by its columns
export const contenders: readonly Contender[] = [
  { name: 'fanlane-bare', title: 'fanlane, bare read loop', node: 'fanlane-bare', ...consumer(false) },
  { name: 'fanlane', title: 'fanlane, whole consumer', node: 'fanlane', ...consumer(true) },
  { name: 'fanlane-touch', title: 'fanlane, whole, key + value read', node: 'fanlane-touch', ...consumer(true) },
  { name: 'kafkajs', title: 'KafkaJS eachBatch', node: 'kafkajs', ...consumer(true) },
  { name: 'platformatic-stream', title: 'platformatic stream', node: 'platformatic-stream', ...consumer(true) },
  { name: 'platformatic-fetch', title: 'platformatic raw fetchV17 loop', node: 'platformatic-fetch', ...consumer(false) },
  { name: 'java', title: 'Java KafkaConsumer loop', java: 'Consume', ...consumer(true) },
  { name: 'fanlane-produce', title: 'fanlane', node: 'fanlane-produce', ...producer },
  { name: 'kafkajs-produce', title: 'KafkaJS', node: 'kafkajs-produce', ...producer },
  { name: 'platformatic-produce', title: 'platformatic', node: 'platformatic-produce', ...producer },
  { name: 'java-produce', title: 'Java KafkaProducer', java: 'Produce', ...producer },
]

/** Ours that all others are set against, by kind. */
export const measures: Readonly<Record<Common['kind'], string>> = { consume: 'fanlane', produce: 'fanlane-produce' }
