/** Metrics and spans in the real libraries: prom-client and the SDKs of OpenTelemetry. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { Registry } from 'prom-client'
import { consume } from '../../../src/index.ts'
import { named } from '../../../src/telemetry/conventions.ts'
import { METRICS } from '../../../src/telemetry/metric-table.ts'
import { type AppendRecord, MemoryLog } from '../../../src/testing/index.ts'
import { until } from '../../support/wait.ts'

const quiet = { debug: nothing, info: nothing, warn: nothing, error: nothing }

function nothing(): void {
  // A test that fails says why by itself.
}

function logWith(records: readonly AppendRecord[]): MemoryLog {
  const log = new MemoryLog({ orders: 2 })
  log.append('orders', records)
  return log
}

const twenty = Array.from({ length: 20 }, (_, n) => ({ key: `k${n}`, value: `${n}` }))

describe('metrics and spans', () => {
  test('P9 · attributes by the current conventions, by the older ones, or by both', () => {
    const attributes = { 'messaging.system.name': 'kafka', 'kafka.offset': 7, 'messaging.destination.name': 't' }
    assert.deepEqual(named(attributes, 'current'), attributes)
    const older = {
      'messaging.system': 'kafka',
      'messaging.kafka.message.offset': 7,
      'messaging.destination.name': 't',
    }
    assert.deepEqual(named(attributes, 'legacy'), older)
    assert.deepEqual(named(attributes, 'both'), { ...attributes, ...older })
  })

  test('P9 · a registry of prom-client shows every metric of the table, and none after the end', async () => {
    const registry = new Registry()
    const log = logWith(twenty)
    await using consumer = await consume({
      log,
      group: 'billing',
      topics: ['orders'],
      metrics: registry,
      logger: quiet,
      retry: { initialMs: 1 },
      handle: ({ offset }, { attempt }) => {
        if (offset === 3 && attempt === 1) throw new Error('once')
      },
    })
    await consumer.idle()
    const text = await registry.metrics()
    for (const { name, kind } of METRICS) assert.match(text, new RegExp(`^# TYPE ${name} ${kind}$`, 'm'))
    assert.match(text, /^fanlane_records_total\{group="billing",end="done"\} 20$/m)
    assert.match(text, /^kafka_consumergroup_group_lag\{group="billing",topic="orders",partition="0"\} 0$/m)
    assert.match(text, /^fanlane_handler_seconds_count\{group="billing",status="ok"\} 20$/m)
    assert.match(text, /^fanlane_handler_seconds_bucket\{.*le="\+Inf".*\} 20$/m)
    assert.match(text, /^fanlane_commits_total\{group="billing",outcome="ok"\} [1-9]/m)
    await consumer.close()
    assert.equal((await registry.metrics()).trim(), '')
  })

  test('P9 · an engine of threads tells about its workers', async () => {
    const registry = new Registry()
    await using consumer = await consume({
      log: logWith(twenty),
      group: 'g',
      topics: ['orders'],
      metrics: registry,
      logger: quiet,
      engine: { kind: 'threads', workers: 2 },
      handler: new URL('data:text/javascript,export default () => undefined'),
    })
    await consumer.idle()
    const text = await registry.metrics()
    assert.match(text, /^fanlane_engine\{group="g",figure="workers"\} 2$/m)
    assert.match(text, /^fanlane_engine\{group="g",figure="deaths"\} 0$/m)
  })

  test('P9 · two consumers share a registry, told apart by their group', async () => {
    const registry = new Registry()
    const options = { topics: ['orders'], metrics: registry, logger: quiet, handle: nothing }
    await using first = await consume({ ...options, log: logWith(twenty), group: 'a' })
    await using second = await consume({ ...options, log: logWith(twenty.slice(5)), group: 'b"\\' })
    await Promise.all([first.idle(), second.idle()])
    const text = await registry.metrics()
    assert.match(text, /^fanlane_records_total\{group="a",end="done"\} 20$/m)
    assert.match(text, /^fanlane_records_total\{group="b\\"\\\\",end="done"\} 15$/m)
    await first.close()
    assert.doesNotMatch(await registry.metrics(), /group="a"/)
    await second.close()
  })

  test('P9 · a meter provider of OpenTelemetry gets the instruments under their names', async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
    const metrics = new MeterProvider({ readers: [reader] })
    const gate = Promise.withResolvers<void>()
    await using consumer = await consume({
      log: logWith(twenty),
      group: 'billing',
      topics: ['orders'],
      metrics,
      logger: quiet,
      handle: ({ key }) => (String(key) === 'k0' ? gate.promise : undefined),
    })
    const collected = async () => {
      await metrics.forceFlush()
      const [scope] = exporter.getMetrics().at(-1)!.scopeMetrics
      return new Map(scope!.metrics.map((metric) => [metric.descriptor.name, metric]))
    }
    await until('all but one are done', () => consumer.snapshot().totals.done === 19)
    const names = await collected()
    // The async engine has no figures of its own.
    for (const { otel } of METRICS) assert.equal(names.has(otel), otel !== 'fanlane.engine', otel)
    gate.resolve()
    await consumer.idle()
    const found = await collected()
    const lag = found.get('kafka.consumergroup.group.lag')!
    assert.deepEqual(
      lag.dataPoints.map(({ attributes, value }) => [attributes['messaging.destination.partition.id'], value]).sort(),
      [
        ['0', 0],
        ['1', 0],
      ],
    )
    const [duration] = found.get('messaging.process.duration')!.dataPoints
    assert.equal((duration!.value as { count: number }).count, 20)
    assert.equal(duration!.attributes['messaging.operation.name'], 'process')
    await consumer.close()
    await metrics.shutdown()
  })

  test('P9 · a span for each handler call, linked to the producer, active inside the handler', async () => {
    const exporter = new InMemorySpanExporter()
    const tracing = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
    propagation.setGlobalPropagator(new W3CTraceContextPropagator())
    const traceId = 'a'.repeat(32)
    const headers = [{ key: 'traceparent', value: Buffer.from(`00-${traceId}-${'b'.repeat(16)}-01`) }]
    const log = logWith([
      { key: 'k', value: '1', headers },
      { key: 'k', value: '2' },
    ])
    const active: (string | undefined)[] = []
    await using consumer = await consume({
      log,
      group: 'billing',
      topics: ['orders'],
      tracing,
      logger: quiet,
      retry: { initialMs: 1 },
      handle: async ({ value }, { attempt }) => {
        await Promise.resolve()
        active.push(trace.getSpan(context.active())?.spanContext().spanId)
        if (String(value) === '1' && attempt === 1) throw Object.assign(new Error('no bank'), { code: 'BANK' })
      },
    })
    await consumer.idle()
    await consumer.close()
    const spans = exporter.getFinishedSpans()
    assert.deepEqual(
      spans.map(({ name, status }) => [name, status.code]),
      [
        ['process orders', 2],
        ['process orders', 0],
        ['process orders', 0],
      ],
    )
    assert.deepEqual(
      spans.map(({ links }) => links.map((link) => link.context.traceId)),
      [[traceId], [traceId], []],
    )
    assert.equal(spans[0]!.attributes['error.type'], 'BANK')
    assert.equal(spans[0]!.attributes['messaging.consumer.group.name'], 'billing')
    assert.equal(spans[1]!.attributes['fanlane.attempt'], 2)
    assert.deepEqual(
      active,
      spans.map((span) => span.spanContext().spanId),
    )
    context.disable()
    propagation.disable()
  })
})
