/** A relay in a process of its own, to be killed. */
import { createRelay, type OutboxTable, postgresOutbox, sqliteOutbox } from '../../../src/stores/outbox/index.ts'

export interface RelaySpec {
  readonly brokers: readonly string[]
  readonly kind: 'postgres' | 'sqlite'
  readonly at: string
  readonly table: string
}

const { brokers, kind, at, table } = JSON.parse(process.argv[2] ?? '') as RelaySpec
const outbox: OutboxTable = kind === 'postgres' ? postgresOutbox({ url: at, table }) : sqliteOutbox({ path: at, table })
const relay = await createRelay({ outbox, brokers, pollMs: 5, leaseMs: 1_000, rowsMax: 20 })
relay.on('published', () => process.send?.({ published: relay.snapshot().published }))
relay.on('failing', (error) => process.send?.({ failing: String(error) }))
process.send?.({ started: true })
process.on('disconnect', () => process.exit(0))
