import { onEmbedded } from '../../support/targets.ts'
import { outboxSuite } from './outbox.suite.ts'

await onEmbedded(await outboxSuite())
