import { onKafka } from '../support/targets.ts'
import { commits } from './commits.suite.ts'

await onKafka(commits)
