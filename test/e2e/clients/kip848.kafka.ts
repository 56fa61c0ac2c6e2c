import { onKafka } from '../../support/targets.ts'
import { suite } from './kip848-suite.ts'

await onKafka(suite)
