import { onKafka } from '../support/targets.ts'
import { sessions } from './sessions.suite.ts'

await onKafka(sessions)
