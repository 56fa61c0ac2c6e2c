import { FateProxy } from '../support/fate-proxy.ts'
import { onKafkaBehind } from './support/behind-proxy.ts'
import { transactionFaults } from './transaction-faults.suite.ts'

await onKafkaBehind(
  (port) => FateProxy.start(port),
  300_000,
  (kafka, proxy, port) => {
    const [node] = kafka.nodes
    transactionFaults({
      brokers: [`127.0.0.1:${port}`],
      direct: kafka.brokers,
      proxy,
      async restart() {
        await node?.stop('SIGKILL')
        await node?.start()
      },
    })
  },
)
