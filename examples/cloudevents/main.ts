/**
 * CloudEvents in both content modes through one handler, and on to another topic.
 * Run it: `npm run build && npx node examples/cloudevents/main.ts`
 */
import { consume, createProducer } from 'fanlane'
import { startBroker } from 'fanlane/broker'
import { type CloudEvent, cloudEvents, eventOf, recordOf } from 'fanlane/cloudevents'
import { z } from 'zod'

const broker = await startBroker({ topics: { orders: 4, receipts: 4 } })
const { brokers } = broker
const producer = await createProducer({ brokers })

const paid: CloudEvent = {
  specversion: '1.0',
  id: 'evt-1',
  source: '/shop',
  type: 'order.paid',
  // Becomes the key of the record: events of one order stay in order.
  partitionkey: 'order-7',
  data: { amount: 20 },
}
await producer.send(recordOf(paid, { topic: 'orders' }))
await producer.send(recordOf({ ...paid, id: 'evt-2' }, { topic: 'orders', mode: 'structured' }))
await producer.send({ topic: 'orders', key: 'order-7', value: 'not an event' })

const billing = await consume({
  brokers,
  group: 'billing',
  topics: ['orders'],
  // The schema checks `data` and types it; which mode an event came in makes no difference.
  handle: cloudEvents(z.object({ amount: z.number() }), async (event, ctx) => {
    console.log(`${event.type} ${event.id}: ${event.data?.amount}`)
    const receipt: CloudEvent = { ...event, id: `receipt-${event.id}`, source: '/billing', type: 'receipt.made' }
    // Published only if this record finishes.
    await ctx.send(recordOf(receipt, { topic: 'receipts' }))
  }),
})
billing.on('dead-letter', ({ error }) => console.log((error as Error).message))
await billing.idle()
await billing.close()

const printing = await consume({
  brokers,
  group: 'printing',
  topics: ['receipts'],
  // Without a schema, and by hand: useful where not every record of a topic is an event.
  handle: (record) => console.log(`printed ${eventOf(record).id} for ${record.key}`),
})
await printing.idle()
await printing.close()
await producer.close()
await broker.close()
