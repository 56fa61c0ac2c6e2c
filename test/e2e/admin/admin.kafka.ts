import { onKafka } from '../../support/targets.ts'
import { adminSuite } from './suite.ts'

await onKafka(adminSuite)
