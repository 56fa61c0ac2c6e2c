/** Every option, and what it must be. */
import {
  abortSignal,
  type Check,
  codec,
  either,
  fn,
  listOf,
  methods,
  number,
  object,
  oneOf,
  shape,
  text,
  topics,
  yesOrNo,
} from './option-checks.ts'
import { LINE_MIN_BYTES } from './poison-log.ts'

const WEEK_MS = 7 * 24 * 3_600_000

const ANY_MS = number(1, WEEK_MS)
const ANY_BYTES = number(1, 2 ** 31 - 1)

/** Passed on to the Kafka client, which looks into what is an object. */
const CLIENT_CHECKS: Readonly<Record<string, Check>> = {
  clientId: text,
  tls: either(yesOrNo, object('options of node:tls')),
  sasl: object('{ mechanism, username, password }'),
  sessionTimeoutMs: ANY_MS,
  sessionTimeout: ANY_MS,
  heartbeatMs: ANY_MS,
  rebalanceTimeoutMs: ANY_MS,
  maxPollIntervalMs: ANY_MS,
  heartbeats: oneOf('thread', 'inline'),
  instanceId: text,
  rack: text,
  assignors: listOf(either(text, methods('an assignor', 'assign'))),
  protocol: oneOf('classic', 'consumer'),
  serverAssignor: text,
  requestTimeoutMs: ANY_MS,
  connectTimeoutMs: ANY_MS,
  metadataMaxAgeMs: ANY_MS,
  fetchMaxWaitMs: number(0, WEEK_MS),
  fetchMinBytes: ANY_BYTES,
  fetchMaxBytes: ANY_BYTES,
  partitionMaxBytes: ANY_BYTES,
  transactionTimeoutMs: ANY_MS,
}

const DEDUP_STORE = methods('a dedup store', 'begin', 'done', 'release')

const WORKERS = shape(
  {
    kind: oneOf('threads', 'processes'),
    workers: number(1, 1_024),
    maxRecordsPerWorker: number(1, Number.MAX_SAFE_INTEGER),
    memoryMb: number(8, 1_000_000),
    affinity: yesOrNo,
    execArgv: listOf(text),
  },
  ['kind'],
)
const ENGINE = methods('an engine', 'submit', 'completions', 'inFlight', 'capacity', 'shutdown')

/** What has a kind is one of ours; anything else has to be a whole engine. */
const engine: Check = (value) => {
  if (typeof value !== 'object' || value === null) {
    return either(oneOf('async', 'threads', 'processes'), WORKERS, ENGINE)(value)
  }
  return 'kind' in value ? WORKERS(value) : ENGINE(value)
}

export const CHECKS: Readonly<Record<string, Check>> = {
  brokers: either(text, listOf(text)),
  log: (value) => (typeof value === 'object' && value !== null ? null : 'a MemoryLog'),
  group: text,
  topics,
  partitions: listOf(
    shape({ topic: text, partition: number(0, 2 ** 31 - 1), offset: number(0, Number.MAX_SAFE_INTEGER) }, [
      'topic',
      'partition',
    ]),
  ),
  order: oneOf('key', 'partition', 'none'),
  nullKeys: oneOf('unordered', 'ordered'),
  delivery: oneOf('at-most-once', 'at-least-once', 'exactly-once'),
  concurrency: either(
    number(1, 1_000_000),
    shape({ min: number(1, 1_000_000), max: number(1, 1_000_000) }, ['min', 'max']),
  ),
  engine,
  handler: either(text, (value) => (value instanceof URL ? null : 'the URL or the path of a module')),
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
  tune: oneOf('latency', 'throughput'),
  isolation: oneOf('read_committed', 'read_uncommitted'),
  transactionalId: text,
  client: shape(CLIENT_CHECKS),
  handlerTimeoutMs: number(1, WEEK_MS),
  retry: shape({
    attempts: number(1, Number.POSITIVE_INFINITY),
    initialMs: number(0, WEEK_MS),
    factor: number(1, 100, false),
    maxMs: number(0, WEEK_MS),
    jitter: number(0, 1, false),
    isPermanent: fn,
  }),
  onExhausted: either(oneOf('dead-letter', 'log', 'skip', 'stop'), fn),
  deadLetter: shape({ topic: fn, create: yesOrNo, lineMaxBytes: number(LINE_MIN_BYTES, 2 ** 30) }),
  breaker: shape({ poisons: number(1, 1_000_000) }, ['poisons']),
  commit: either(
    oneOf('manual'),
    shape({
      everyMs: number(1, WEEK_MS),
      everyRecords: number(1, Number.MAX_SAFE_INTEGER),
      mapMaxChars: number(0, 1_000_000),
    }),
  ),
  dedup: either(
    DEDUP_STORE,
    shape({ store: DEDUP_STORE, idOf: fn, claimMs: number(100, WEEK_MS), timeoutMs: number(1, WEEK_MS) }, ['store']),
  ),
  drainMs: number(0, WEEK_MS),
  closeMs: number(0, WEEK_MS),
  logger: methods('a logger', 'debug', 'info', 'warn', 'error'),
  metrics: either(
    methods('a Registry of prom-client', 'registerMetric', 'removeSingleMetric'),
    methods('a MeterProvider of OpenTelemetry', 'getMeter'),
  ),
  tracing: methods('a TracerProvider of OpenTelemetry', 'getTracer'),
  conventions: oneOf('current', 'legacy', 'both'),
  stalledAfterMs: number(1, WEEK_MS),
  dashboard: shape(
    {
      port: number(0, 65_535),
      host: text,
      allowActions: yesOrNo,
      token: text,
      allowedHosts: listOf(text),
      peers: listOf(text),
      auditFile: text,
    },
    ['port'],
  ),
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
