import { onKafka } from '../support/targets.ts'
import { deliveries } from './deliveries.suite.ts'

await onKafka(deliveries)
