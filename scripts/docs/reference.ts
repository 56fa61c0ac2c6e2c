/**
 * The reference of the guide, from the types themselves. What an option means and what holds without it is told by the table
 * of settings or by the comment at the type; the few that have neither are told here. One that nobody tells is refused.
 */
import { settings } from '../../src/config/schema.ts'
import { type Member, membersOf } from './interfaces.ts'

/** Members that neither the table of settings nor a comment explains; `Interface.member` where a name means two things. */
const WORDS: Readonly<Record<string, string>> = {
  keyOf: 'Another lane than the key: a string, a Buffer, or null for no lane',
  decode: 'How keys and values become what a handler gets; without it they are Buffers',
  limits: 'How much may be in flight, retries included',
  scheduling: 'Who runs first',
  retry: 'What follows a failed attempt',
  'retry.isPermanent': 'True for errors that need no further attempt',
  deadLetter: 'Where records go that failed for good',
  'deadLetter.topic': 'Names the topic of a letter. Default `<topic>.dlq`',
  'breaker.poisons': 'So many failures in a row park a key',
  commit:
    "When to commit: `everyMs` (1,000; exactly-once 100), `everyRecords` (10,000), `mapMaxChars` (4,000); `'manual'`: by `consumer.commit()` alone",
  logger: 'Shaped like pino. Default: one line for each event, on stderr',
  signal: 'Aborted: the consumer closes',
  handle: 'Called for every record',
  handleBatch: 'Called for several records at once',
  store: 'The store',
  kind: 'Threads or processes',
  'client.tls': 'True, or the options of `node:tls`',
  tls: 'True, or the options of `node:tls`; for the broker its certificate and key',
  sasl: 'How to log in: `{ mechanism, username, password }`, or `oauthbearer` with `token`; for the broker who may',
  'sasl.mechanisms': 'PLAIN and SCRAM unless you choose',
  'sasl.users': 'Names and passwords',
  compression: '`none`, `gzip`, `snappy`, `lz4` or `zstd`. Default by `tune`',
  client: 'How to connect',
  'client.clientId': 'How brokers call us in their logs and quotas',
  clientId: 'How brokers call us in their logs and quotas',
  'client.sasl': 'How to log in',
  'client.requestTimeoutMs': 'How long a broker may take to answer. Default 30,000',
  'client.connectTimeoutMs': 'How long a connection may take. Default 10,000',
  syncIntervalMs: 'For `sync: interval`. Default 1,000',
  'BrokerOptions.limits': 'Connections, bytes of a request, partitions …: see `BrokerLimits`',
  'advertised.host': 'The host',
  'advertised.port': 'The port',
  committed: 'What was acknowledged',
  topic: 'Topic',
  partition: 'Partition',
  epoch: 'Of the lease: rises with every stay of the partition here',
  state: '`opening`, `open`, `draining`, `committing`',
  position: 'Everything below it is finished',
  logEnd: 'Where the log ends, as far as we know',
  trueLag: 'Log end minus position',
  gap: 'Records that finished after the position',
  blocking: 'The record that holds the position back, or null',
  inFlight: 'Queued, running, deferred, waiting for a retry',
  queued: 'Of those, not started yet',
  map: 'The offset map of the next commit',
  'map.chars': 'Its length',
  'map.encoding': 'How it is written',
  'map.entries': 'Finished records in it',
  'map.truncated': 'Finished records that did not fit',
  paused: 'Why nothing is fetched: `backpressure`, `user`, `map-full` …',
  offset: 'Its offset',
  key: 'Its key as text; null: it has none',
  since: 'When it began to hold the position back',
  durationMs: 'For how long it does',
  doing: 'What it does now',
  detail: 'The same in finer words',
  attempt: 'Which attempt it is at',
  nextAttemptAt: 'When the next one is due',
  partitions: 'One entry for each that is held here; see below',
  lanes: 'Keys with records in flight',
  'lanes.count': 'How many',
  'lanes.hottest': 'The deepest, at most 20',
  totals: 'Counts since the start; see below',
  rates: 'Records a second, over the last seconds: `finished`, `admitted`, `retries`',
  engine: 'What runs',
  'engine.running': 'Handlers under way',
  'engine.limit': 'How many there may be',
  'engine.ready': 'Records that could start',
  'limits.records': 'In flight, and the limit',
  'limits.bytes': 'Bytes in flight, and the limit',
  'limits.records.used': 'Used',
  'limits.records.limit': 'The limit',
  'limits.bytes.used': 'Used',
  'limits.bytes.limit': 'The limit',
  admitted: 'Taken in',
  done: 'Handled',
  skipped: 'Given up',
  exhausted: 'Failed for good, and out by their way',
  retries: 'Attempts that failed and were tried again',
  commits: 'Commits that were acknowledged',
  transactions: 'Transactions that were committed',
  transactionAborts: 'Transactions that were aborted',
}

/** Where the command line has another one. */
const DEFAULTS: Readonly<Record<string, string>> = { brokers: '`KAFKA_BROKERS`' }

interface Table {
  readonly title: string
  readonly text?: string
  readonly file: string
  readonly name: string
  /** Before the names, to find them in the table of settings; undefined: they are not there. */
  readonly prefix?: string
  readonly head?: string
  /** What is no option has no default. */
  readonly isData?: boolean
}

const TABLES: readonly Table[] = [
  {
    title: 'consume',
    text: '`await consume(options)` gives a `Consumer`.',
    file: 'src/consumer/options.ts',
    name: 'ConsumeOptions',
    prefix: '',
  },
  {
    title: 'consume: client',
    text: 'The connection and the membership. [Connecting to Kafka](kafka.md) explains them.',
    file: 'src/clients/native/client-options.ts',
    name: 'ClientOptions',
    prefix: 'client.',
  },
  { title: 'consume: dedup', file: 'src/consumer/dedup.ts', name: 'DedupOptions' },
  {
    title: 'consume: engine',
    text: "`engine: 'threads'` is `engine: { kind: 'threads' }`.",
    file: 'src/consumer/engine-options.ts',
    name: 'WorkerEngineOptions',
    prefix: 'engine.',
  },
  { title: 'consume: dashboard', file: 'src/dashboard/server.ts', name: 'DashboardOptions', prefix: 'dashboard.' },
  {
    title: 'Events of a consumer',
    text: '`consumer.on(name, listener)`, `once`, `off`.',
    file: 'src/consumer/events.ts',
    name: 'ConsumerEvents',
    head: '| event | carries | when |',
    isData: true,
  },
  {
    title: 'consumer.snapshot()',
    text: 'Plain data.',
    file: 'src/kernel/snapshot.ts',
    name: 'KernelSnapshot',
    isData: true,
  },
  { title: 'snapshot().partitions', file: 'src/kernel/snapshot.ts', name: 'PartitionSnapshot', isData: true },
  { title: 'snapshot().partitions[].blocking', file: 'src/kernel/snapshot.ts', name: 'BlockingSnapshot', isData: true },
  { title: 'snapshot().totals', file: 'src/kernel/state.ts', name: 'Totals', isData: true },
  {
    title: 'createProducer',
    text: '`await createProducer(options)`: [producing](producing.md).',
    file: 'src/producer/options.ts',
    name: 'ProducerOptions',
  },
  { title: 'createAdmin', text: '`await createAdmin(options)`.', file: 'src/create-admin.ts', name: 'AdminOptions' },
  {
    title: 'startBroker',
    text: '`await startBroker(options)` of `fanlane/broker`: [a Kafka in your process](broker.md).',
    file: 'src/broker/options.ts',
    name: 'BrokerOptions',
  },
]

const cell = (text: string): string => text.replaceAll('|', '\\|')

function tableText(table: Table): string {
  const { title, text, file, name, isData = false } = table
  const head = table.head ?? (isData ? '| field | type | |' : '| option | type | default | |')
  const rows = membersOf(file, name).map((member) => rowOf(member, table))
  const rule = '|---'.repeat(head.split('|').length - 2)
  return [`## ${title}`, ...(text === undefined ? [] : [text]), [head, `${rule}|`, ...rows].join('\n')].join('\n\n')
}

function rowOf(member: Member, { prefix, isData = false, file, name }: Table): string {
  const { path, type, comment } = member
  const setting = prefix === undefined ? undefined : settings.find((each) => each.name === `${prefix}${path}`)
  const words = WORDS[`${name}.${path}`] ?? WORDS[path]
  const said = comment === '' ? (sentence(setting?.about) ?? words) : comment
  if (said === undefined) throw new Error(`${file}: nobody says what ${name}.${path} is: write a comment at the type`)
  const cells = [
    `\`${path}\``,
    `\`${cell(type)}\``,
    ...(isData ? [] : [cell(DEFAULTS[path] ?? setting?.fallback ?? '')]),
    cell(said),
  ]
  return `| ${cells.join(' | ')} |`
}

function sentence(text: string | undefined): string | undefined {
  return text === undefined ? undefined : text.charAt(0).toUpperCase() + text.slice(1)
}

export function referenceText(): string {
  return TABLES.map(tableText).join('\n\n')
}
