import { onEmbedded } from '../support/targets.ts'
import { deliveries } from './deliveries.suite.ts'

await onEmbedded(deliveries)
