/**
 * Every setting that can be said in one word: the one list behind the flags of `fanlane run`, the names in the environment,
 * `fanlane config` and the table in the guide. What a value must be is not said here: the checks of `consume()` are asked
 * (consumer/option-table.ts), so that the two cannot disagree.
 *
 * Secrets have no flag: every user of a machine can read the arguments of a process.
 */

/** How a value is written where only text is possible; see parse.ts. */
export type Kind =
  | 'text'
  | 'number'
  | 'yes-no'
  | 'list'
  /** A number, or two of them: `100`, `10-200`. */
  | 'range'
  /** `earliest`, `latest`, `fail`, or a time. */
  | 'start'
  /** A list where `/…/` is a pattern. */
  | 'topics'
  /** The path of a file whose content counts. */
  | 'file'
  /** One of a few words. */
  | readonly string[]

export interface Setting {
  /** Its place in the options of `consume()`: `limits.records`. */
  readonly name: string
  readonly kind: Kind
  /** As people read it; `–`: none. */
  readonly fallback: string
  readonly about: string
  /** Names in the environment; the first one that is set counts. */
  readonly env: readonly string[]
  /** Without the dashes; null: there is none. */
  readonly flag: string | null
  readonly isSecret: boolean
  /** Needed by every command that speaks to a cluster. */
  readonly isConnection: boolean
}

type Row = readonly [
  name: string,
  kind: Kind,
  fallback: string,
  about: string,
  more?: { readonly env?: readonly string[]; readonly flag?: string | null; readonly secret?: true },
]

// biome-ignore format: a table is read by its lines
const connection: readonly Row[] = [
  ['brokers', 'list', 'localhost:9092', 'where Kafka is', { env: ['KAFKA_BROKERS', 'FANLANE_BROKERS'] }],
  [
    'client.clientId',
    'text',
    'fanlane',
    'how brokers call us in their logs and quotas',
    { env: ['KAFKA_CLIENT_ID', 'FANLANE_CLIENT_ID'] },
  ],
  ['client.tls', 'yes-no', 'no', 'encrypt the connections', { env: ['KAFKA_SSL', 'FANLANE_TLS'] }],
  ['client.tls.ca', 'file', '–', 'PEM file of whom to trust', { env: ['KAFKA_SSL_CA', 'FANLANE_TLS_CA'] }],
  ['client.tls.cert', 'file', '–', 'PEM file of our certificate', { env: ['KAFKA_SSL_CERT', 'FANLANE_TLS_CERT'] }],
  ['client.tls.key', 'file', '–', 'PEM file of its key', { env: ['KAFKA_SSL_KEY', 'FANLANE_TLS_KEY'] }],
  [
    'client.tls.passphrase',
    'text',
    '–',
    'of that key',
    { env: ['KAFKA_SSL_PASSPHRASE', 'FANLANE_TLS_PASSPHRASE'], secret: true },
  ],
  [
    'client.sasl.mechanism',
    ['plain', 'scram-sha-256', 'scram-sha-512'],
    '–',
    'how to log in',
    { env: ['KAFKA_SASL_MECHANISM', 'FANLANE_SASL_MECHANISM'] },
  ],
  ['client.sasl.username', 'text', '–', 'who we are', { env: ['KAFKA_SASL_USERNAME', 'FANLANE_SASL_USERNAME'] }],
  [
    'client.sasl.password',
    'text',
    '–',
    'the password',
    { env: ['KAFKA_SASL_PASSWORD', 'FANLANE_SASL_PASSWORD'], secret: true },
  ],
  ['client.requestTimeoutMs', 'number', '30000', 'how long a broker may take to answer'],
  ['client.connectTimeoutMs', 'number', '10000', 'how long a connection may take'],
]

// biome-ignore format: a table is read by its lines
const consumer: readonly Row[] = [
  ['group', 'text', '–', 'the consumer group', { env: ['KAFKA_GROUP_ID', 'FANLANE_GROUP'] }],
  ['topics', 'topics', '–', 'what to read; /…/ is a pattern', { flag: 'topic' }],
  ['order', ['key', 'partition', 'none'], 'key', 'what runs one after the other'],
  ['nullKeys', ['unordered', 'ordered'], 'unordered', 'records without a key'],
  ['delivery', ['at-most-once', 'at-least-once', 'exactly-once'], 'at-least-once', 'what a crash may do to a record'],
  ['concurrency', 'range', '100', 'how many handlers at once; 10-200 adapts between the two'],
  ['engine', ['async', 'threads', 'processes'], 'async', 'where handlers run'],
  [
    'engine.workers',
    'number',
    'one per core',
    'how many threads or processes',
    { flag: 'workers', env: ['FANLANE_WORKERS'] },
  ],
  ['handler', 'text', '–', 'the module with the handler; `run` takes it as its argument', { flag: null }],
  ['decode.key', ['bytes', 'text', 'json'], 'bytes', 'what a handler gets as the key'],
  ['decode.value', ['bytes', 'text', 'json'], 'bytes', 'what a handler gets as the value'],
  ['startFrom', 'start', 'earliest', 'where nothing is committed: earliest, latest, fail, or a time'],
  ['limits.records', 'number', '2000', 'records in flight, at most'],
  ['limits.bytes', 'number', '67108864', 'bytes in flight, at most'],
  ['limits.pauseAt', 'number', '1', 'fetching pauses at this share of the limits'],
  ['limits.resumeAt', 'number', '0.7', 'and goes on at this one'],
  ['scheduling.blockingBurst', 'number', '8', 'blocking records in a row before another one'],
  ['output', ['finished', 'input'], 'finished', 'the order in which outputs are released'],
  ['tune', ['latency', 'throughput'], 'latency', 'one knob for fetching and producing'],
  ['isolation', ['read_committed', 'read_uncommitted'], 'read_committed', 'whether open transactions are read'],
  ['handlerTimeoutMs', 'number', '–', 'a handler that takes longer has failed'],
  ['retry.attempts', 'number', '5', 'tries, the first one included'],
  ['retry.initialMs', 'number', '100', 'the first wait'],
  ['retry.factor', 'number', '2', 'each wait is so much longer'],
  ['retry.maxMs', 'number', '30000', 'the longest wait'],
  ['retry.jitter', 'number', '0.2', 'share of chance in a wait'],
  [
    'onExhausted',
    ['dead-letter', 'log', 'skip', 'stop'],
    'dead-letter',
    'what becomes of a record that failed for good',
  ],
  ['deadLetter.create', 'yes-no', 'yes', 'make the dead-letter topic if there is none'],
  ['deadLetter.lineMaxBytes', 'number', '16000', 'for log: longer lines are split'],
  ['breaker.poisons', 'number', '–', 'so many failures in a row park a key'],
  ['commit.everyMs', 'number', '1000', 'how often to commit; exactly-once: 100'],
  ['commit.everyRecords', 'number', '10000', 'or after so many records'],
  ['commit.mapMaxChars', 'number', '4000', 'how large the offset map may be'],
  ['batch.max', 'number', '100', 'for handleBatch: records in a batch, at most'],
  ['batch.min', 'number', '1', 'and at least'],
  ['batch.lingerMs', 'number', '5', 'how long to wait for more'],
  ['batch.by', ['key', 'any'], 'key', 'what may be in one batch'],
  ['drainMs', 'number', '10000', 'how long running work may take when partitions go'],
  ['closeMs', 'number', '25000', 'the same when the consumer closes'],
  ['stalledAfterMs', 'number', '60000', 'a partition held back for longer is reported'],
  ['conventions', ['current', 'legacy', 'both'], 'current', 'names of OpenTelemetry'],
  ['transactionalId', 'text', 'generated', 'for exactly-once'],
  ['dashboard.port', 'number', '–', 'serve the dashboard there', { flag: null }],
  ['dashboard.host', 'text', '127.0.0.1', 'on this address'],
  ['dashboard.allowActions', 'yes-no', 'no', 'let the page pause, skip and redrive'],
  ['dashboard.allowedHosts', 'list', '–', 'other names that a proxy may call it by'],
  ['dashboard.peers', 'list', '–', 'dashboards of other processes of the group'],
  ['dashboard.auditFile', 'text', '–', 'actions are written there too'],
  ['dashboard.token', 'text', 'generated', 'who has it may act', { secret: true }],
]

const membership: readonly Row[] = [
  ['client.sessionTimeoutMs', 'number', '45000', 'how long the group waits for a sign of life'],
  ['client.heartbeatMs', 'number', '3000', 'how often there is one'],
  ['client.rebalanceTimeoutMs', 'number', '60000', 'how long the group waits for us in a rebalance'],
  ['client.maxPollIntervalMs', 'number', '300000', 'how long the event loop may stand still'],
  ['client.heartbeats', ['thread', 'inline'], 'thread', 'where heartbeats come from'],
  ['client.instanceId', 'text', '–', 'static membership'],
  ['client.rack', 'text', '–', 'read from the nearest replica'],
  ['client.assignors', 'list', 'cooperative-sticky', 'classic protocol: in the order of preference'],
  ['client.protocol', ['classic', 'consumer'], 'classic', 'consumer: the broker assigns'],
  ['client.serverAssignor', 'text', '–', 'consumer protocol: uniform or range'],
  ['client.metadataMaxAgeMs', 'number', '60000', 'how often topics are looked at again'],
  ['client.fetchMaxWaitMs', 'number', '500', 'how long a broker may hold a fetch'],
  ['client.fetchMinBytes', 'number', '1', 'unless it has so much'],
  ['client.fetchMaxBytes', 'number', '16777216', 'of one answer'],
  ['client.partitionMaxBytes', 'number', '1048576', 'of one partition in it'],
  ['client.transactionTimeoutMs', 'number', '10000', 'how long a transaction may stay open'],
]

/** Options of `consume()` that are no single word: they are written in a config file, or nowhere. */
export const notFlat: Readonly<Record<string, string>> = {
  log: 'a log in memory is for tests',
  partitions: 'a list of places',
  keyOf: 'a function',
  dedup: 'a store',
  logger: 'an object',
  metrics: 'an object',
  tracing: 'an object',
  signal: 'an object',
  handle: 'a function',
  handleBatch: 'a function',
}

export const settings: readonly Setting[] = [
  ...connection.map((row) => setting(row, true)),
  ...[...consumer, ...membership].map((row) => setting(row, false)),
]

function setting([name, kind, fallback, about, more = {}]: Row, isConnection: boolean): Setting {
  const short = name.replace(/^client\./, '')
  const isSecret = more.secret === true
  const words = short.replaceAll('.', '-').replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-')
  const flag = isSecret ? null : more.flag === undefined ? words.toLowerCase() : more.flag
  const env = more.env ?? [`FANLANE_${words.replaceAll('-', '_').toUpperCase()}`]
  return { name, kind, fallback, about, env, flag, isSecret, isConnection }
}
