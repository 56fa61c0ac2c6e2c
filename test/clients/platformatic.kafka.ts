import { onKafka } from '../support/targets.ts'
import { platformatic } from './platformatic/suite.ts'

await onKafka(platformatic)
