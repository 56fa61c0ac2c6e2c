import { onKafka } from '../support/targets.ts'
import { fullMaps } from './full-maps.suite.ts'

await onKafka(fullMaps)
