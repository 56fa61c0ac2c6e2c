/**
 * Asks a fresh Apache Kafka and keeps what it says: `node test/unit/broker/admin/capture.ts 127.0.0.1:9092 [script …]`.
 * One node, number 1, formatted as the tool does it by itself, with the settings that a single node needs (replication factors
 * of one) and otherwise its defaults.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { RawClient } from '../../../support/raw-client.ts'
import { scripts } from './scripts/all.ts'
import { Conversation } from './transcript.ts'

const [address, ...names] = process.argv.slice(2)
if (address === undefined) throw new Error('say where Apache Kafka listens, e.g. 127.0.0.1:9092')

for (const [name, script] of Object.entries(scripts)) {
  if (names.length > 0 && !names.includes(name)) continue
  const client = await RawClient.connect(address)
  const conversation = new Conversation(client, () => sleep(300))
  await script(conversation)
  await client.close()
  const lines = conversation.lines.map((line) => JSON.stringify(line))
  writeFileSync(join(import.meta.dirname, 'fixtures', `${name}.json`), `[\n${lines.join(',\n')}\n]\n`)
  process.stdout.write(`${name}: ${lines.length} answers\n`)
}
