import { onEmbedded } from '../support/targets.ts'
import { transactions } from './transactions.suite.ts'

await onEmbedded(transactions)
