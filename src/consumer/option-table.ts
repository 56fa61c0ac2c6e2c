/** Every option, and what it must be. */
import {
  abortSignal,
  type Check,
  codec,
  either,
  fn,
  methods,
  number,
  oneOf,
  shape,
  text,
  topics,
} from './option-checks.ts'

const WEEK_MS = 7 * 24 * 3_600_000

export const CHECKS: Readonly<Record<string, Check>> = {
  log: (value) => (typeof value === 'object' && value !== null ? null : 'a MemoryLog'),
  group: text,
  topics,
  order: oneOf('key', 'partition', 'none'),
  nullKeys: oneOf('unordered', 'ordered'),
  delivery: oneOf('at-most-once', 'at-least-once', 'exactly-once'),
  concurrency: either(
    number(1, 1_000_000),
    shape({ min: number(1, 1_000_000), max: number(1, 1_000_000) }, ['min', 'max']),
  ),
  engine: either(oneOf('async'), methods('an engine', 'submit', 'completions', 'inFlight', 'capacity', 'shutdown')),
  keyOf: fn,
  decode: shape({ key: codec, value: codec }),
  startFrom: either(
    oneOf('earliest', 'latest', 'fail'),
    shape({ timestamp: number(0, Number.MAX_SAFE_INTEGER) }, ['timestamp']),
  ),
  limits: shape({
    records: number(1, 10_000_000),
    bytes: number(1, Number.MAX_SAFE_INTEGER),
    pauseAt: number(0.01, 1, false),
    resumeAt: number(0, 1, false),
  }),
  scheduling: shape({ blockingBurst: number(1, 1_000_000) }),
  output: oneOf('finished', 'input'),
  handlerTimeoutMs: number(1, WEEK_MS),
  retry: shape({
    attempts: number(1, Number.POSITIVE_INFINITY),
    initialMs: number(0, WEEK_MS),
    factor: number(1, 100, false),
    maxMs: number(0, WEEK_MS),
    jitter: number(0, 1, false),
    isPermanent: fn,
  }),
  onExhausted: either(oneOf('dead-letter', 'skip', 'stop'), fn),
  deadLetter: shape({ topic: fn }),
  commit: either(
    oneOf('manual'),
    shape({
      everyMs: number(1, WEEK_MS),
      everyRecords: number(1, Number.MAX_SAFE_INTEGER),
      mapMaxChars: number(0, 1_000_000),
    }),
  ),
  drainMs: number(0, WEEK_MS),
  closeMs: number(0, WEEK_MS),
  logger: methods('a logger', 'debug', 'info', 'warn', 'error'),
  signal: abortSignal,
  handle: fn,
  handleBatch: fn,
  batch: shape({
    max: number(1, 1_000_000),
    min: number(1, 1_000_000),
    lingerMs: number(0, WEEK_MS),
    by: oneOf('key', 'any'),
  }),
}

/** Options that fanlane will have. Left out, or undefined, they do no harm. */
export const NOT_YET: Readonly<Record<string, string>> = {
  brokers: "read from a log in memory: log: new MemoryLog({ orders: 8 }), from 'fanlane/testing'",
  partitions: "consume whole topics with 'group' and 'topics'",
  handler: "give the function itself: 'handle'",
  tune: 'leave it out',
  isolation: 'leave it out; a log in memory holds committed records only',
  dedup: 'make the handler idempotent',
  transactionalId: 'leave it out',
  client: 'leave it out',
  metrics: 'read consumer.snapshot()',
  dashboard: 'read consumer.snapshot()',
}

/** The same for single values of options that exist. */
export const VALUES_NOT_YET: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  engine: { threads: "use 'async'", processes: "use 'async'" },
  onExhausted: { log: "give a function that writes the line, or use 'skip', which logs" },
}
