import { onKafka } from '../support/targets.ts'
import { transactions } from './transactions.suite.ts'

await onKafka(transactions)
