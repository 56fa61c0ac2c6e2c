/**
 * Every metric, once: its names, what it means, and where its value comes from. The Prometheus text, the OpenTelemetry
 * instruments and the page in docs/ are all made from this table.
 *
 * Labels are few and bounded: a group, a topic, a partition, a word of a fixed list. Never a key, never an offset.
 */
import type { HistogramValue } from './histogram.ts'
import type { TelemetryView } from './view.ts'

export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface HistogramSample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: HistogramValue
}

interface Named {
  /** For Prometheus. */
  readonly name: string
  /** For OpenTelemetry. */
  readonly otel: string
  /** UCUM, as OpenTelemetry wants it. */
  readonly unit: string
  readonly help: string
}

export type Metric =
  | (Named & { readonly kind: 'counter' | 'gauge'; readonly read: (view: TelemetryView) => readonly Sample[] })
  | (Named & { readonly kind: 'histogram'; readonly read: (view: TelemetryView) => readonly HistogramSample[] })

type PartitionView = TelemetryView['snapshot']['partitions'][number]

/** One sample for each partition that has a value. */
function perPartition(
  value: (partition: PartitionView, view: TelemetryView) => number | null,
): Metric['read'] & ((view: TelemetryView) => readonly Sample[]) {
  return (view: TelemetryView) =>
    view.snapshot.partitions.flatMap((partition) => {
      const found = value(partition, view)
      if (found === null) return []
      return [
        { labels: { ...groupOf(view), topic: partition.topic, partition: String(partition.partition) }, value: found },
      ]
    })
}

function one(value: (view: TelemetryView) => number): (view: TelemetryView) => readonly Sample[] {
  return (view) => [{ labels: groupOf(view), value: value(view) }]
}

/** One sample for each word of a fixed list. */
function by(
  label: string,
  values: (view: TelemetryView) => Readonly<Record<string, number>>,
): (view: TelemetryView) => readonly Sample[] {
  return (view) =>
    Object.entries(values(view)).map(([word, value]) => ({ labels: { ...groupOf(view), [label]: word }, value }))
}

function groupOf({ group }: TelemetryView): { readonly group: string } {
  return { group }
}

const PAUSES = ['backpressure', 'map-full', 'user', 'parked'] as const

export const METRICS: readonly Metric[] = [
  // How far behind.
  {
    name: 'kafka_consumergroup_group_lag',
    otel: 'kafka.consumergroup.group.lag',
    kind: 'gauge',
    unit: '{record}',
    help: 'True lag: log end minus the position up to which everything is finished.',
    read: perPartition(({ trueLag }) => trueLag),
  },
  {
    name: 'kafka_consumergroup_group_lag_seconds',
    otel: 'kafka.consumergroup.group.lag.seconds',
    kind: 'gauge',
    unit: 's',
    help: 'Age of the oldest unfinished record by its timestamp; 0 when there is none.',
    read: perPartition(({ lagMs }) => (lagMs === null ? null : lagMs / 1_000)),
  },
  {
    name: 'fanlane_position',
    otel: 'fanlane.position',
    kind: 'gauge',
    unit: '{offset}',
    help: 'Everything below this offset is finished.',
    read: perPartition(({ position }) => position),
  },
  {
    name: 'fanlane_committed_position',
    otel: 'fanlane.committed.position',
    kind: 'gauge',
    unit: '{offset}',
    help: 'The position that the broker has acknowledged.',
    read: perPartition(({ committed }) => committed),
  },
  {
    name: 'fanlane_gap_records',
    otel: 'fanlane.gap.records',
    kind: 'gauge',
    unit: '{record}',
    help: 'Finished records after the position: what is only in the offset map.',
    read: perPartition(({ gap }) => gap),
  },
  // Why it does not commit.
  {
    name: 'fanlane_blocking_offset',
    otel: 'fanlane.blocking.offset',
    kind: 'gauge',
    unit: '{offset}',
    help: 'The record that holds the position back; absent when nothing does.',
    read: perPartition(({ blocking }) => blocking?.offset ?? null),
  },
  {
    name: 'fanlane_blocking_seconds',
    otel: 'fanlane.blocking.duration',
    kind: 'gauge',
    unit: 's',
    help: 'For how long the same record has held the position back.',
    read: perPartition(({ blocking }) => (blocking === null ? 0 : blocking.durationMs / 1_000)),
  },
  {
    name: 'fanlane_map_chars',
    otel: 'fanlane.map.chars',
    kind: 'gauge',
    unit: '{char}',
    help: 'Characters of commit metadata that the last offset map took.',
    read: perPartition(({ map }) => map.chars),
  },
  {
    name: 'fanlane_map_truncated_total',
    otel: 'fanlane.map.truncated',
    kind: 'counter',
    unit: '{record}',
    help: 'Finished records left out of a map that was full; a crash would run them again.',
    read: one(({ snapshot }) => snapshot.totals.truncated),
  },
  {
    name: 'fanlane_paused',
    otel: 'fanlane.paused',
    kind: 'gauge',
    unit: '{partition}',
    help: 'Partitions whose fetching is paused, by reason.',
    read: by('reason', ({ snapshot }) =>
      Object.fromEntries(
        PAUSES.map((reason) => [reason, snapshot.partitions.filter(({ paused }) => paused.includes(reason)).length]),
      ),
    ),
  },
  // What is here.
  {
    name: 'fanlane_partitions',
    otel: 'fanlane.partitions',
    kind: 'gauge',
    unit: '{partition}',
    help: 'Partitions held.',
    read: one(({ snapshot }) => snapshot.partitions.length),
  },
  {
    name: 'fanlane_in_flight_records',
    otel: 'fanlane.in_flight.records',
    kind: 'gauge',
    unit: '{record}',
    help: 'Admitted records: queued, running, deferred or waiting for a retry.',
    read: one(({ snapshot }) => snapshot.limits.records.used),
  },
  {
    name: 'fanlane_in_flight_records_limit',
    otel: 'fanlane.in_flight.records.limit',
    kind: 'gauge',
    unit: '{record}',
    help: 'How many records may be admitted.',
    read: one(({ snapshot }) => snapshot.limits.records.limit),
  },
  {
    name: 'fanlane_in_flight_bytes',
    otel: 'fanlane.in_flight.bytes',
    kind: 'gauge',
    unit: 'By',
    help: 'Decompressed bytes of admitted records and of what they sent.',
    read: one(({ snapshot }) => snapshot.limits.bytes.used),
  },
  {
    name: 'fanlane_in_flight_bytes_limit',
    otel: 'fanlane.in_flight.bytes.limit',
    kind: 'gauge',
    unit: 'By',
    help: 'How many bytes may be admitted.',
    read: one(({ snapshot }) => snapshot.limits.bytes.limit),
  },
  {
    name: 'fanlane_queued_records',
    otel: 'fanlane.queued.records',
    kind: 'gauge',
    unit: '{record}',
    help: 'Fetched, and waiting for their turn or for a retry.',
    read: one(({ snapshot }) => snapshot.partitions.reduce((sum, { queued }) => sum + queued, 0)),
  },
  {
    name: 'fanlane_lanes',
    otel: 'fanlane.lanes',
    kind: 'gauge',
    unit: '{lane}',
    help: 'Lanes that have records.',
    read: one(({ snapshot }) => snapshot.lanes.count),
  },
  {
    name: 'fanlane_hottest_lane_records',
    otel: 'fanlane.hottest_lane.records',
    kind: 'gauge',
    unit: '{record}',
    help: 'Depth of the deepest lane: key skew.',
    read: one(({ snapshot }) => snapshot.lanes.hottest[0]?.depth ?? 0),
  },
  {
    name: 'fanlane_parked_keys',
    otel: 'fanlane.parked.keys',
    kind: 'gauge',
    unit: '{key}',
    help: 'Keys that their breaker has stopped.',
    read: one(({ snapshot }) => snapshot.partitions.reduce((sum, { parked }) => sum + parked.length, 0)),
  },
  {
    name: 'fanlane_running_handlers',
    otel: 'fanlane.running.handlers',
    kind: 'gauge',
    unit: '{call}',
    help: 'Handler calls under way.',
    read: one(({ snapshot }) => snapshot.engine.running),
  },
  {
    name: 'fanlane_concurrency_limit',
    otel: 'fanlane.concurrency.limit',
    kind: 'gauge',
    unit: '{call}',
    help: 'Handler calls that may be under way; moves with adaptive concurrency.',
    read: one(({ snapshot }) => snapshot.engine.limit),
  },
  {
    name: 'fanlane_engine',
    otel: 'fanlane.engine',
    kind: 'gauge',
    unit: '1',
    help: 'Figures of the engine itself. Threads and processes: workers that are ready, those that are busy, deaths since the start.',
    read: by('figure', ({ engine }) => engine),
  },
  // What has happened.
  {
    name: 'fanlane_consumed_messages_total',
    otel: 'messaging.client.consumed.messages',
    kind: 'counter',
    unit: '{message}',
    help: 'Records that were admitted: read, and not finished before.',
    read: one(({ snapshot }) => snapshot.totals.admitted),
  },
  {
    name: 'fanlane_records_total',
    otel: 'fanlane.records',
    kind: 'counter',
    unit: '{record}',
    help: 'Records that ended, by how: done, skipped, exhausted (dead letter, log line or your function), restored (finished before a restart) or dropped (at-most-once).',
    read: by('end', ({ snapshot: { totals } }) => ({
      done: totals.done,
      skipped: totals.skipped,
      exhausted: totals.exhausted,
      restored: totals.restored,
      dropped: totals.dropped,
    })),
  },
  {
    name: 'fanlane_retries_total',
    otel: 'fanlane.retries',
    kind: 'counter',
    unit: '{attempt}',
    help: 'Failed attempts that are tried again.',
    read: one(({ snapshot }) => snapshot.totals.retries),
  },
  {
    name: 'fanlane_stale_results_total',
    otel: 'fanlane.stale_results',
    kind: 'counter',
    unit: '{result}',
    help: 'Results that came too late for their lease, or twice: counted, and nothing else.',
    read: by('kind', ({ snapshot: { totals } }) => ({ stale: totals.stale, duplicate: totals.duplicates })),
  },
  {
    name: 'fanlane_commits_total',
    otel: 'fanlane.commits',
    kind: 'counter',
    unit: '{commit}',
    help: 'Commits of one partition, by what became of them.',
    read: by('outcome', ({ commits }) => commits),
  },
  {
    name: 'fanlane_transactions_total',
    otel: 'fanlane.transactions',
    kind: 'counter',
    unit: '{transaction}',
    help: 'Transactions of exactly-once, by what became of them.',
    read: by('outcome', ({ transactions }) => transactions),
  },
  {
    name: 'fanlane_rebalances_total',
    otel: 'fanlane.rebalances',
    kind: 'counter',
    unit: '{rebalance}',
    help: 'Assignments that changed, by what happened to partitions.',
    read: by('change', ({ rebalances }) => rebalances),
  },
  // How long it takes.
  {
    name: 'fanlane_handler_seconds',
    otel: 'messaging.process.duration',
    kind: 'histogram',
    unit: 's',
    help: 'From the start of a handler to its end, failures included.',
    read: (view) => view.handlerSeconds.map(({ status, value }) => ({ labels: { ...groupOf(view), status }, value })),
  },
  {
    name: 'fanlane_commit_seconds',
    otel: 'messaging.client.operation.duration',
    kind: 'histogram',
    unit: 's',
    help: 'From sending a commit to its answer.',
    read: (view) => [{ labels: groupOf(view), value: view.commitSeconds }],
  },
  {
    name: 'fanlane_event_loop_delay_seconds',
    otel: 'fanlane.event_loop.delay',
    kind: 'gauge',
    unit: 's',
    help: 'Delay of the event loop since it was read last: a handler that blocks it shows here.',
    read: by('stat', ({ eventLoop }) => eventLoop),
  },
]
