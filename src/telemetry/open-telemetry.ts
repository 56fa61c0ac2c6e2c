/**
 * The metric table as OpenTelemetry instruments. Only what is used of its API is named here, so that nobody has to install
 * it who does not use it.
 *
 * Counters and gauges are read when the SDK collects. OpenTelemetry has no histogram that can be read that way, so those
 * are recorded as they happen.
 */
import { type Attributes, type Conventions, named } from './conventions.ts'
import { DURATION_BOUNDS } from './histogram.ts'
import { METRICS, type Metric, type Sample } from './metric-table.ts'
import type { TelemetryView } from './view.ts'

interface ObservableResult {
  observe(instrument: object, value: number, attributes?: Attributes): void
}

interface InstrumentOptions {
  readonly description: string
  readonly unit: string
  readonly advice?: { readonly explicitBucketBoundaries: number[] }
}

export interface OtelMeter {
  createObservableGauge(name: string, options: InstrumentOptions): object
  createObservableCounter(name: string, options: InstrumentOptions): object
  createHistogram(name: string, options: InstrumentOptions): { record(value: number, attributes?: Attributes): void }
  addBatchObservableCallback(callback: (result: ObservableResult) => void, instruments: object[]): void
  removeBatchObservableCallback(callback: (result: ObservableResult) => void, instruments: object[]): void
}

export interface OtelMeterProvider {
  getMeter(name: string, version?: string): OtelMeter
}

export interface OtelExport {
  readonly handled: (durationMs: number, isFailed: boolean) => void
  readonly committed: (durationMs: number) => void
  close(): void
}

export function exportTo(
  provider: OtelMeterProvider,
  version: string,
  group: string,
  view: () => TelemetryView,
  conventions: Conventions,
): OtelExport {
  const meter = provider.getMeter('fanlane', version)
  const observed = METRICS.filter((metric) => metric.kind !== 'histogram').map((metric) => ({
    metric,
    instrument: made(meter, metric),
  }))
  const callback = (result: ObservableResult): void => {
    const now = view()
    for (const { metric, instrument } of observed) {
      for (const { labels, value } of metric.read(now) as readonly Sample[]) {
        result.observe(instrument, value, named(attributesOf(labels), conventions))
      }
    }
  }
  const instruments = observed.map(({ instrument }) => instrument)
  meter.addBatchObservableCallback(callback, instruments)
  const common = { 'messaging.system.name': 'kafka', 'messaging.consumer.group.name': group }
  const processed = histogram(meter, 'fanlane_handler_seconds')
  const operation = histogram(meter, 'fanlane_commit_seconds')
  const process = { ...common, 'messaging.operation.name': 'process', 'messaging.operation.type': 'process' }
  const ok = named(process, conventions)
  const failed = named({ ...process, 'error.type': '_OTHER' }, conventions)
  const commit = { ...common, 'messaging.operation.name': 'commit', 'messaging.operation.type': 'settle' }
  const settle = named(commit, conventions)
  return {
    handled: (durationMs, isFailed) => processed.record(durationMs / 1_000, isFailed ? failed : ok),
    committed: (durationMs) => operation.record(durationMs / 1_000, settle),
    close: () => meter.removeBatchObservableCallback(callback, instruments),
  }
}

function made(meter: OtelMeter, { kind, otel, help, unit }: Metric): object {
  const options = { description: help, unit }
  return kind === 'counter' ? meter.createObservableCounter(otel, options) : meter.createObservableGauge(otel, options)
}

function histogram(meter: OtelMeter, name: string): ReturnType<OtelMeter['createHistogram']> {
  const metric = METRICS.find((each) => each.name === name)
  if (metric === undefined) throw new Error(`there is no metric ${name}`)
  const advice = { explicitBucketBoundaries: [...DURATION_BOUNDS] }
  return meter.createHistogram(metric.otel, { description: metric.help, unit: metric.unit, advice })
}

/** Our labels in the words of the messaging conventions, where they have one. */
function attributesOf(labels: Sample['labels']): Attributes {
  return Object.fromEntries(Object.entries(labels).map(([label, value]) => [attributeNames[label] ?? label, value]))
}

const attributeNames: Readonly<Record<string, string>> = {
  group: 'messaging.consumer.group.name',
  topic: 'messaging.destination.name',
  partition: 'messaging.destination.partition.id',
}
