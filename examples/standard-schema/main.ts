/**
 * One schema, three uses: it checks records, it types the handler, and what does not pass is a dead letter.
 * Run it: `npm run build && npx node examples/standard-schema/main.ts`
 */
import { consume, createProducer, json, text } from 'fanlane'
import { startBroker } from 'fanlane/broker'
import { z } from 'zod'

// Any Standard Schema will do: zod, valibot, arktype.
const Order = z.object({
  id: z.string(),
  amount: z.number().positive(),
  // What comes out is what the handler gets: a Date, although JSON has none.
  at: z.iso.datetime().transform((time) => new Date(time)),
})

const broker = await startBroker({ topics: { orders: 4 } })
const { brokers } = broker
const producer = await createProducer({ brokers })
const at = '2026-01-31T12:00:00Z'
await producer.send([
  { topic: 'orders', key: 'ann', value: JSON.stringify({ id: '1', amount: 20, at }) },
  { topic: 'orders', key: 'ann', value: JSON.stringify({ id: '2', amount: -5, at }) },
  { topic: 'orders', key: 'ann', value: JSON.stringify({ id: '3', amount: 30, at }) },
])

const consumer = await consume({
  brokers,
  group: 'billing',
  topics: ['orders'],
  decode: { key: text(), value: json(Order) },
  handle: ({ key, value }) => {
    // null is a tombstone; beyond this line the compiler knows id, amount and at.
    if (value === null) return
    console.log(`${key} pays ${value.amount.toFixed(2)} for order ${value.id} of ${value.at.getUTCFullYear()}`)
  },
})
// Bytes do not get better by trying again: no retries, the next record of the key goes on.
consumer.on('dead-letter', ({ error }) => console.log(`dead letter: ${String(error).split('. ')[1]}`))
await consumer.idle()

await consumer.close()
await producer.close()
await broker.close()
