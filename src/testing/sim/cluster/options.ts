/** What a simulated cluster is made of. The defaults are Apache Kafka's, but for the initial rebalance delay, which is 0. */

/** Where a transaction's marker goes: into a topic, or into the log of the groups' offsets. */
export type MarkerTarget = 'group' | { readonly topic: string; readonly partition: number }

export interface TopicOptions {
  readonly partitions: number
  /** The first offset of each partition. */
  readonly logStartsAt?: number
}

export interface ClusterOptions {
  /** A number is a number of partitions. */
  readonly topics: Readonly<Record<string, number | TopicOptions>>
  readonly nodes?: number
  /** offset.metadata.max.bytes, which counts UTF-16 code units. */
  readonly metadataMaxChars?: number
  readonly sessionTimeoutMinMs?: number
  readonly sessionTimeoutMaxMs?: number
  readonly transactionTimeoutMaxMs?: number
  /** message.max.bytes: of one batch. */
  readonly batchBytesMax?: number
  /** How long after the decision a transaction's marker is written. Asked once per marker; the simulator draws it. */
  readonly markerDelayMs?: (target: MarkerTarget) => number
}

export type Settings = Required<Omit<ClusterOptions, 'topics'>>

export function settingsOf(options: ClusterOptions): Settings {
  return {
    nodes: options.nodes ?? 2,
    metadataMaxChars: options.metadataMaxChars ?? 4096,
    sessionTimeoutMinMs: options.sessionTimeoutMinMs ?? 6_000,
    sessionTimeoutMaxMs: options.sessionTimeoutMaxMs ?? 1_800_000,
    transactionTimeoutMaxMs: options.transactionTimeoutMaxMs ?? 900_000,
    batchBytesMax: options.batchBytesMax ?? 1_048_588,
    markerDelayMs: options.markerDelayMs ?? (() => 0),
  }
}
