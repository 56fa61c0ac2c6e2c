import { othersOnKafka } from '../support/targets.ts'
import { platformatic } from './platformatic/suite.ts'

await othersOnKafka(platformatic)
