import { onKafka } from '../../support/targets.ts'
import { outboxSuite } from './outbox.suite.ts'

await onKafka(await outboxSuite())
