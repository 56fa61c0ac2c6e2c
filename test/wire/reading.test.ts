import { onEmbedded } from '../support/targets.ts'
import { reading } from './reading.suite.ts'

await onEmbedded(reading)
