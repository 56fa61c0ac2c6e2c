/** Records to an HTTP service, three at a time, in order for each key: `npm run build && npx node examples/http-engine/main.ts` */
import { consume } from 'fanlane'
import { MemoryLog } from 'fanlane/testing'
import { HttpEngine } from './http-engine.ts'
import { startService } from './service.ts'

const service = await startService(({ key, value }) => {
  console.log(`${Buffer.from(key ?? '', 'base64')}: ${Buffer.from(value ?? '', 'base64')}`)
  return undefined
})
const log = new MemoryLog({ orders: 2 })
for (let at = 0; at < 10; at++) log.append('orders', { key: `customer ${at % 3}`, value: `order ${at}` })

const engine = new HttpEngine({ url: service.url, connections: 3 })
const consumer = await consume({ log, group: 'posting', topics: ['orders'], engine })
await consumer.idle()
await consumer.close()
console.log(`at most ${service.connectionsMost()} connections`)
await service.close()
