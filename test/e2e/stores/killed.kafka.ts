import { onKafka } from '../../support/targets.ts'
import { killedSuite } from './killed.suite.ts'

await onKafka(await killedSuite())
