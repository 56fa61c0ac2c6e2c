/**
 * A web service that consumes: probes and metrics for whoever runs it, and a close that loses nothing.
 * Run it: `npm run build && npx node examples/fastify/main.ts`; it ends by itself, `--stay` keeps it until Ctrl-C.
 */
import { randomUUID } from 'node:crypto'
import { consume, createProducer, json } from 'fanlane'
import { startBroker } from 'fanlane/broker'
import { fanlane } from 'fanlane/fastify'
import Fastify from 'fastify'

const broker = await startBroker({ topics: { orders: 4 } })
const { brokers } = broker
const producer = await createProducer({ brokers })
const totals = new Map<string, number>()
/** Whoever looks at the dashboard needs it. Yours comes from where you keep secrets. */
const token = randomUUID()

const app = Fastify()
// After the plugins that handlers use (a database, say): Fastify closes the last one first, so they outlive the consumer.
await app.register(fanlane, {
  prefix: '/internal',
  // A function, so that it starts when its turn comes, and so that the type of `value` is known in `handle`.
  consume: () =>
    consume({
      brokers,
      group: 'totals',
      topics: ['orders'],
      dashboard: { port: 0, token },
      decode: { value: json<{ customer: string; amount: number }>() },
      handle: ({ value }) => {
        if (value !== null) totals.set(value.customer, (totals.get(value.customer) ?? 0) + value.amount)
      },
    }),
})
app.post<{ Body: { customer: string; amount: number } }>('/orders', async ({ body }, reply) => {
  await producer.send({ topic: 'orders', key: body.customer, value: JSON.stringify(body) })
  return reply.code(202).send()
})
app.get<{ Params: { customer: string } }>('/totals/:customer', ({ params }) => ({
  total: totals.get(params.customer) ?? 0,
}))

const address = await app.listen({ port: 0 })
if (process.argv.includes('--stay')) {
  console.log(`listening on ${address}; the dashboard: ${address}/internal/dashboard/?token=${token}`)
  await new Promise((resolve) => process.once('SIGINT', resolve))
} else {
  for (const amount of [20, 22]) {
    const body = JSON.stringify({ customer: 'ann', amount })
    await fetch(`${address}/orders`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  }
  await app.fanlane.idle()
  console.log('total of ann:', await (await fetch(`${address}/totals/ann`)).json())
  console.log('ready:', (await fetch(`${address}/internal/readyz`)).status)
  const metrics = await (await fetch(`${address}/internal/metrics`)).text()
  console.log('metrics:', metrics.includes('fanlane_') ? 'yes' : 'no')
  const headers = { authorization: `Bearer ${token}` }
  console.log('dashboard:', (await fetch(`${address}/internal/dashboard/`, { headers })).status)
}
// Stops HTTP, then drains and commits.
await app.close()
await producer.close()
await broker.close()
console.log('closed')
