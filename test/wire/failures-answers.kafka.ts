import { PausableProxy } from '../support/pausable-proxy.ts'
import { answers } from './failures-answers.suite.ts'
import { onKafkaBehind } from './support/behind-proxy.ts'

await onKafkaBehind(
  (port) => PausableProxy.start(port),
  120_000,
  (kafka, proxy, port) => {
    answers({ brokers: [`127.0.0.1:${port}`], direct: kafka.brokers, proxy })
  },
)
