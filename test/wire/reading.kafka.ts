import { onKafka } from '../support/targets.ts'
import { reading } from './reading.suite.ts'

await onKafka(reading)
