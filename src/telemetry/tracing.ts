/**
 * `process` spans, one for each handler call, linked to the span that produced the record (its `traceparent` header) and
 * active while the handler runs, so that what it calls becomes part of it. Names by the messaging conventions of
 * OpenTelemetry; only what is used of its API is named here.
 *
 * A link and not a parent: a record may wait for hours and be run again, and a trace of hours tells nobody anything.
 */
import type { ConsumedRecord } from '../engines/handler.ts'
import { type Conventions, named } from './conventions.ts'

interface SpanContext {
  readonly traceId: string
  readonly spanId: string
}

interface Span {
  setStatus(status: { readonly code: number; readonly message?: string }): unknown
  recordException(error: Error | string): void
  setAttribute(name: string, value: string): unknown
  end(): void
}

export interface OtelTracerProvider {
  getTracer(
    name: string,
    version?: string,
  ): {
    startSpan(
      name: string,
      options: {
        readonly kind: number
        readonly attributes: Readonly<Record<string, string | number | boolean>>
        readonly links: { readonly context: never }[]
      },
    ): Span
  }
}

/** The part of `@opentelemetry/api` that is needed beside the provider. */
export interface OtelApi {
  readonly ROOT_CONTEXT: unknown
  readonly context: { active(): unknown; with<Result>(context: never, work: () => Result): Result }
  readonly propagation: {
    extract(
      context: never,
      carrier: unknown,
      getter: { get(carrier: never, key: string): unknown; keys(carrier: never): string[] },
    ): unknown
  }
  readonly trace: {
    setSpan(context: never, span: never): unknown
    getSpanContext(context: never): SpanContext | undefined
  }
}

const CONSUMER_SPAN = 4
const STATUS_ERROR = 2

export type Traced = <Result>(record: ConsumedRecord<unknown, unknown>, attempt: number, work: () => Result) => Result

export interface TracerParts {
  readonly api: OtelApi
  readonly provider: OtelTracerProvider
  readonly version: string
  readonly group: string
  readonly conventions: Conventions
}

export function tracer({ api, provider, version, group, conventions }: TracerParts): Traced {
  const spans = provider.getTracer('fanlane', version)
  return (record, attempt, work) => {
    const { topic, partition, offset } = record
    const span = spans.startSpan(`process ${topic}`, {
      kind: CONSUMER_SPAN,
      links: linksOf(api, record),
      attributes: named(
        {
          'messaging.system.name': 'kafka',
          'messaging.operation.name': 'process',
          'messaging.operation.type': 'process',
          'messaging.destination.name': topic,
          'messaging.destination.partition.id': String(partition),
          'messaging.consumer.group.name': group,
          'kafka.offset': offset,
          'fanlane.attempt': attempt,
          ...(record.value === null ? { 'kafka.message.tombstone': true } : {}),
        },
        conventions,
      ),
    })
    const active = api.trace.setSpan(api.context.active() as never, span as never)
    try {
      const result = api.context.with(active as never, work)
      if (!isThenable(result)) {
        span.end()
        return result
      }
      result.then(
        () => span.end(),
        (error: unknown) => failed(span, error),
      )
      return result
    } catch (error) {
      failed(span, error)
      throw error
    }
  }
}

function failed(span: Span, error: unknown): void {
  const isError = error instanceof Error
  span.recordException(isError ? error : String(error))
  span.setAttribute(
    'error.type',
    String((error as { readonly code?: unknown } | null)?.code ?? (isError ? error.name : '_OTHER')),
  )
  span.setStatus({ code: STATUS_ERROR, message: isError ? error.message : String(error) })
  span.end()
}

function linksOf(
  { propagation, trace, ROOT_CONTEXT }: OtelApi,
  { headers }: ConsumedRecord<unknown, unknown>,
): { context: never }[] {
  if (headers.length === 0) return []
  const produced = trace.getSpanContext(propagation.extract(ROOT_CONTEXT as never, headers, headerGetter) as never)
  return produced === undefined ? [] : [{ context: produced as never }]
}

type Headers = ConsumedRecord['headers']

/** The last one of a name counts, as everywhere in Kafka. */
const headerGetter = {
  get: (headers: Headers, key: string): string | undefined =>
    headers.findLast((header) => header.key.toLowerCase() === key)?.value?.toString('utf8'),
  keys: (headers: Headers): string[] => headers.map(({ key }) => key),
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function'
}
