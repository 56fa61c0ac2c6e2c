/** Which partition each outgoing record belongs to. Topics are looked up once per topic. */
import { FanlaneError } from '../../../errors.ts'
import type { Publication } from '../../../kernel/events.ts'
import type { OutgoingRecord } from '../../../ports/log-client.ts'
import type { ProducedRecord } from '../cluster/log-messages.ts'
import { partitionKey } from './ownership.ts'
import { toProduced } from './record-batch.ts'
import type { Topics } from './topics.ts'
import type { Wire } from './wire.ts'

export interface RoutedRecord {
  readonly key: string
  readonly topic: string
  readonly partition: number
  readonly record: ProducedRecord
}

export type Routed =
  | { readonly kind: 'routed'; readonly records: readonly RoutedRecord[] }
  | { readonly kind: 'unknown'; readonly error: FanlaneError }

/** What a publication sends, in order; `unknown` if one of its topics does not exist (now). */
export async function route(wire: Wire, topics: Topics, publication: Publication): Promise<Routed> {
  const records: RoutedRecord[] = []
  for (const output of publication.sends as readonly OutgoingRecord[]) {
    const { topic } = output
    const count = await topics.partitionCount(topic)
    if (count === null) {
      const message = `Topic ${topic} is not known to the cluster. Create it, or correct its name.`
      return { kind: 'unknown', error: new FanlaneError('UNKNOWN_TOPIC_OR_PARTITION', message, { retriable: true }) }
    }
    const partition = output.partition ?? wire.options.partitionOf(topic, output.key, count)
    records.push({ key: partitionKey({ topic, partition }), topic, partition, record: toProduced(output) })
  }
  return { kind: 'routed', records }
}
