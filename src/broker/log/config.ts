/** The topic settings that the log itself obeys; each comment has Kafka's name for it. */
export interface LogConfig {
  /** segment.bytes */
  readonly segmentBytes: number
  /** segment.ms: counted in the records' own time, as in Kafka. */
  readonly segmentMs: number
  /** index.interval.bytes */
  readonly indexIntervalBytes: number
  /** retention.ms; -1: for ever */
  readonly retentionMs: number
  /** retention.bytes; -1: no limit */
  readonly retentionBytes: number
  /** cleanup.policy contains delete */
  readonly deletes: boolean
  /** cleanup.policy contains compact */
  readonly compacts: boolean
  /** message.timestamp.type */
  readonly timestampType: 'CreateTime' | 'LogAppendTime'
}

export const defaultLogConfig: LogConfig = {
  segmentBytes: 1_073_741_824,
  segmentMs: 604_800_000,
  indexIntervalBytes: 4_096,
  retentionMs: 604_800_000,
  retentionBytes: -1,
  deletes: true,
  compacts: false,
  timestampType: 'CreateTime',
}
