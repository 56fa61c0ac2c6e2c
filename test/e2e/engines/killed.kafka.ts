import { onKafka } from '../../support/targets.ts'
import { killed } from './killed.suite.ts'

await onKafka(killed)
