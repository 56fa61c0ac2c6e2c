/** CloudEvents 1.0 over Kafka, both content modes, both directions: `fanlane/cloudevents`. */
import type { ConsumedRecord, Handler, HandlerContext, StandardSchema } from '../../index.ts'
import { validated } from '../validated.ts'
import type { CloudEvent } from './event.ts'
import { eventOf } from './reading.ts'

export type { CloudEvent } from './event.ts'
export { type EventRecord, eventOf } from './reading.ts'
export { type EventRecordOptions, type OutgoingEvent, recordOf } from './writing.ts'

export type EventHandler<Data> = (
  event: CloudEvent<Data>,
  context: HandlerContext,
  record: ConsumedRecord<Buffer, Buffer>,
) => unknown

/**
 * For `handle`: the handler gets events. Not a codec, because in binary mode an event is in the headers too, and a codec sees
 * bytes only. With a schema its data is checked and typed. What is not an event fails permanently.
 */
export function cloudEvents(handler: EventHandler<unknown>): Handler<Buffer, Buffer>
export function cloudEvents<Data>(schema: StandardSchema<Data>, handler: EventHandler<Data>): Handler<Buffer, Buffer>
export function cloudEvents<Data>(
  first: StandardSchema<Data> | EventHandler<Data>,
  second?: EventHandler<Data>,
): Handler<Buffer, Buffer> {
  if (second === undefined) {
    const handler = first as EventHandler<unknown>
    return (record, context) => handler(eventOf(record), context, record)
  }
  const schema = first as StandardSchema<Data>
  return (record, context) => {
    const event = eventOf(record)
    const data = validated(schema, event.data, 'CLOUD_EVENT_INVALID')
    if (!(data instanceof Promise)) return second({ ...event, data }, context, record)
    return data.then((late) => second({ ...event, data: late }, context, record))
  }
}
