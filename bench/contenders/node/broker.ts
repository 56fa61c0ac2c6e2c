/** Not a contender: the embedded broker of a build, in a process of its own that ends with the runner. `node broker.ts BUILD DATADIR`. */
import { rmSync } from 'node:fs'
import type { startBroker as StartBroker } from '../../../src/broker/index.ts'
import { fromBuild } from './ours.ts'

const [build = '', dataDir = ''] = process.argv.slice(2)
// The runner is gone, however it went, and cannot clear up.
process.stdin
  .on('end', () => {
    rmSync(dataDir, { recursive: true, force: true })
    process.exit(0)
  })
  .resume()
const { startBroker } = await fromBuild<{ startBroker: typeof StartBroker }>(build, 'broker/index')
const broker = await startBroker({ port: 0, dataDir })
process.stdout.write(`${JSON.stringify({ brokers: broker.brokers })}\n`)
process.once('SIGTERM', () => {
  broker.close().then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${error}\n`)
      process.exit(1)
    },
  )
})
