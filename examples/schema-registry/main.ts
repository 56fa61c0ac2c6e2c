/**
 * Avro through a schema registry, both directions. The registry here is a toy in this file, so that the example runs anywhere;
 * with a real one it is `REGISTRY_URL=http://localhost:8081`.
 * Run it: `npm run build && npx node examples/schema-registry/main.ts`
 */
import avsc from 'avsc'
import { consume, createProducer } from 'fanlane'
import { startBroker } from 'fanlane/broker'
import { avro, schemaRegistry } from 'fanlane/schema-registry'
import { startToyRegistry } from './toy-registry.ts'

const toy = process.env.REGISTRY_URL === undefined ? await startToyRegistry() : null
// The package that knows Avro is yours to import: its version is your choice, and it is there at the start or not at all.
const registry = schemaRegistry({ url: toy?.url ?? String(process.env.REGISTRY_URL), formats: [avro(avsc)] })

interface Order {
  readonly id: string
  readonly amount: number
}

const orders = registry.serializer<Order>({
  subject: 'orders-value',
  type: 'AVRO',
  schema: {
    type: 'record',
    name: 'Order',
    fields: [
      { name: 'id', type: 'string' },
      { name: 'amount', type: 'int' },
    ],
  },
})

const broker = await startBroker({ topics: { orders: 4 } })
const { brokers } = broker
const producer = await createProducer({ brokers })
for (let at = 1; at <= 3; at++) {
  // The first one registers the schema; all others are local work.
  const value = await orders.encode({ id: `order-${at}`, amount: at * 10 })
  await producer.send({ topic: 'orders', key: 'ann', value })
}
console.log(`on the wire: ${(await orders.encode({ id: 'a', amount: 7 })).toString('hex')}`)

const consumer = await consume({
  brokers,
  group: 'billing',
  topics: ['orders'],
  // Ids that are new are fetched while other keys go on. A registry that is down is waited for: no record fails because of it.
  decode: { value: registry.codec<Order>() },
  handle: ({ value }) => console.log(`${value?.id}: ${value?.amount}`),
})
await consumer.idle()
await consumer.close()
await producer.close()
await broker.close()
await toy?.close()
