/** A consumer whose registry is down, for schema-registry-close.test.ts: it closes, and must then end by itself. */
import avsc from 'avsc'
import { consume } from '../../src/index.ts'
import { avro, schemaRegistry } from '../../src/integrations/schema-registry/index.ts'

const [brokers, url] = process.argv.slice(2) as [string, string]
const registry = schemaRegistry({ url, formats: [avro(avsc)] })
const consumer = await consume({
  brokers,
  group: 'g',
  topics: ['orders'],
  closeMs: 500,
  decode: { value: registry.codec() },
  handle: () => process.send?.('handled'),
})
process.once('message', () => {
  consumer.close().then(
    () => process.disconnect(),
    () => process.exit(1),
  )
})
