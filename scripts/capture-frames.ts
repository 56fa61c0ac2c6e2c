/**
 * Golden frames: runs the suites of real clients against Apache Kafka through a proxy and keeps the smallest and the
 * richest frame of each (API key, version, direction) in test/unit/protocol/fixtures/frames.jsonl.
 *
 * One JSON object a line: { api, version, kind, client, bytes }, where bytes is base64 of header and body without the
 * length in front. The codec tests decode each frame and encode it again, byte for byte.
 *
 * `node scripts/capture-frames.ts [--only kafkajs]`: a part of the suites replaces only what it saw.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Frame, startFrameProxy } from '../test/support/frame-proxy.ts'
import { root } from './files.ts'
import { freePorts, startKafkaCluster } from './kafka/cluster.ts'

type Kept = {
  readonly api: number
  readonly version: number
  readonly kind: Frame['kind']
  readonly client: string
  readonly bytes: string
}

const file = join(root, 'test', 'unit', 'protocol', 'fixtures', 'frames.jsonl')
const { only } = parseArgs({ options: { only: { type: 'string', default: '' } } }).values
/** A frame above this is richer than a fixture has to be. */
const richBytesMax = 1_500
const fileBytesMax = 300_000

const seen = new Map<string, { smallest: Kept; richest: Kept }>()
let frames = 0
let client = ''

const sizeOf = ({ bytes }: Kept): number => Buffer.byteLength(bytes, 'base64')

function keep(frame: Kept): void {
  const key = `${frame.api} ${frame.version} ${frame.kind}`
  const known = seen.get(key)
  if (known === undefined) {
    seen.set(key, { smallest: frame, richest: frame })
    return
  }
  const size = sizeOf(frame)
  if (size < sizeOf(known.smallest)) known.smallest = frame
  if (size > sizeOf(known.richest) && size <= richBytesMax) known.richest = frame
  // The first frame may have been above the limit: anything within it is better.
  else if (sizeOf(known.richest) > richBytesMax && size <= richBytesMax) known.richest = frame
}

if (existsSync(file) && only !== '') {
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) keep(JSON.parse(line) as Kept)
}

const [proxyPort] = (await freePorts(1)) as [number]
const kafka = await startKafkaCluster({ proxyPorts: [proxyPort] })
const record = ({ kind, apiKey, apiVersion, bytes }: Frame): void => {
  frames++
  keep({ api: apiKey, version: apiVersion, kind, client, bytes: bytes.toString('base64') })
}
const proxy = await startFrameProxy(() => kafka.nodes[0]?.proxied as string, record, proxyPort)
// Clients of the SASL listener go on to Kafka itself once they have its metadata: the log-in is what is kept.
const saslProxy = await startFrameProxy(() => kafka.saslBrokers[0] as string, record)

let failed = 0
for (const name of ['kafkajs', 'platformatic', 'kcat', 'confluent', 'java', 'tools']) {
  if (!name.includes(only)) continue
  client = name
  const before = frames
  const env = {
    ...process.env,
    KAFKA_BROKERS: `127.0.0.1:${proxyPort}`,
    KAFKA_SASL_BROKERS: `127.0.0.1:${saslProxy.port}`,
    FANLANE_TARGET: 'kafka',
  }
  const args = ['--test', '--test-reporter=dot', `test/clients/${client}.kafka.ts`]
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] })
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) failed++
  console.log(`${client}: ${frames - before} frames${code === 0 ? '' : ', and failed tests'}`)
}
await Promise.all([proxy.close(), saslProxy.close()])
await kafka.stop()

const kept = [...seen.values()]
  .flatMap(({ smallest, richest }) => (smallest === richest ? [smallest] : [smallest, richest]))
  .sort((a, b) => a.api - b.api || a.version - b.version || (a.kind < b.kind ? -1 : 1))
const text = kept.map((frame) => `${JSON.stringify(frame)}\n`).join('')
mkdirSync(dirname(file), { recursive: true })
writeFileSync(file, text)
const apis = new Set(kept.map(({ api }) => api)).size
console.log(`kept ${kept.length} of ${frames} frames: ${apis} APIs, ${(text.length / 1000).toFixed(0)} kB`)
if (text.length > fileBytesMax) console.error(`that is more than ${fileBytesMax / 1000} kB: lower richBytesMax`)
process.exitCode = failed > 0 || text.length > fileBytesMax ? 1 : 0
