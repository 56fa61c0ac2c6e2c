/**
 * What a relay needs of an outbox. Rows are in shards; whoever takes a shard has it for a time, alone, and reads its rows from the
 * oldest on. A relay that dies loses its shards when that time is over; its rows are still there.
 */
export interface OutboxRow {
  /** Rises with the order in which rows have to be published. */
  readonly id: string
  readonly uid: string
  readonly topic: string
  readonly partition: number | null
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly (readonly [string, Buffer | null])[]
}

export interface TakenShard {
  readonly shard: number
  /** In order, from the oldest. */
  readonly rows: readonly OutboxRow[]
}

export interface TakeLimits {
  readonly leaseMs: number
  readonly shardsMax: number
  /** For each shard. */
  readonly rowsMax: number
  /** For each shard, but one row at least. */
  readonly bytesMax: number
}

export interface Backlog {
  /** At `countMax` it stops counting. */
  readonly pending: number
  readonly oldestAgeMs: number
}

export interface OutboxTable {
  /** Shards that have rows and that nobody else has. */
  take(owner: string, limits: TakeLimits): Promise<readonly TakenShard[]>
  renew(owner: string, shards: readonly number[], leaseMs: number): Promise<void>
  /** These rows are published: they go, and so does our hold on the shard. */
  settle(owner: string, shard: number, published: readonly string[]): Promise<void>
  backlog(countMax: number): Promise<Backlog>
}
