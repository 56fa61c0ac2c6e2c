/** The embedded broker, told to send its clients to the proxy. */
import { after, describe } from 'node:test'
import { freePorts } from '../../scripts/kafka/cluster.ts'
import { quickSettings } from '../../scripts/kafka/settings.ts'
import { startBroker } from '../../src/broker/index.ts'
import { PausableProxy } from '../support/pausable-proxy.ts'
import { answers } from './failures-answers.suite.ts'

const config = Object.fromEntries(Object.entries(quickSettings).map(([name, value]) => [name, String(value)]))
const [port = 0] = await freePorts(1)
const proxy = await PausableProxy.start(port)
const broker = await startBroker({ config, advertised: { port } })
proxy.target = `127.0.0.1:${broker.port}`

describe('on embedded broker', { timeout: 120_000 }, () => {
  after(async () => {
    await proxy.stop()
    await broker.close()
  })
  answers({ brokers: [`127.0.0.1:${port}`], direct: [proxy.target], proxy })
})
