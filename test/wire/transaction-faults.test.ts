/** The embedded broker on a disk, told to send its clients to the proxy. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { freePorts } from '../../scripts/kafka/cluster.ts'
import { quickSettings } from '../../scripts/kafka/settings.ts'
import { startBroker } from '../../src/broker/index.ts'
import { FateProxy } from '../support/fate-proxy.ts'
import { transactionFaults } from './transaction-faults.suite.ts'

const config = Object.fromEntries(Object.entries(quickSettings).map(([name, value]) => [name, String(value)]))
const dataDir = mkdtempSync(join(tmpdir(), 'fanlane-txn-faults-'))
const [port = 0] = await freePorts(1)
const proxy = await FateProxy.start(port)
const start = (at: number) => startBroker({ dataDir, port: at, config, advertised: { port } })
let broker = await start(0)
const ownPort = broker.port
proxy.target = `127.0.0.1:${ownPort}`

describe('on embedded broker', { timeout: 240_000 }, () => {
  after(async () => {
    await proxy.stop()
    await broker.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  transactionFaults({
    brokers: [`127.0.0.1:${port}`],
    direct: [proxy.target],
    proxy,
    async restart() {
      await broker.close()
      broker = await start(ownPort)
    },
  })
})
