/** The outbox: records that are written in your own SQL transaction, and a relay that publishes them. */
export { createRelay, type Relay, type RelayOptions } from './create-relay.ts'
export { type PostgresOutbox, type PostgresOutboxOptions, postgresOutbox } from './postgres.ts'
export { OUTBOX_ID_HEADER, type RelayProducer, type RelayRecord, type StuckRow } from './publishing.ts'
export type { OutboxBytes, OutboxRecord } from './record.ts'
export type { RelayEvents, RelaySnapshot, RelayState } from './relay.ts'
export { type SqliteOutbox, type SqliteOutboxOptions, sqliteOutbox } from './sqlite.ts'
export type { Backlog, OutboxRow, OutboxTable, TakeLimits, TakenShard } from './table.ts'
