/** A consumer with two worker processes, to be killed. Its records make one of them busy for ever. */
import { consume } from '../../../src/consume.ts'
import { MemoryLog } from '../../../src/testing/index.ts'

const log = new MemoryLog({ t: 1 })
log.append('t', { key: 'a', value: 'busy' })
log.append('t', { key: 'b', value: 'idle' })
await consume({
  log,
  group: 'g',
  topics: ['t'],
  engine: { kind: 'processes', workers: 2 },
  handler: process.argv[2] ?? '',
})
