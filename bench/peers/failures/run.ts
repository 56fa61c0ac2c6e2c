/**
 * Failures that other clients show on Apache Kafka, tried one by one: `node bench/peers/failures/run.ts [--json]
 * [--only eviction,metadata] [--clients kafkajs]`. By hand only: it says what is, and fails nothing.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { freePorts, startKafkaCluster } from '../../../scripts/kafka/cluster.ts'
import { peers } from './clients/index.ts'
import { type FailureName, failures, type Outcome } from './outcome.ts'
import type { Ground } from './stage.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    clients: { type: 'string', default: '' },
  },
})
const trialTimeoutMs = 120_000
const main = fileURLToPath(new URL('one.ts', import.meta.url))
const runFile = promisify(execFile)

const names = Object.keys(failures) as FailureName[]
const wanted = (list: string, all: readonly string[]): string[] => {
  const chosen = list.split(',').filter((each) => each !== '')
  const unknown = chosen.filter((each) => !all.includes(each))
  if (unknown.length > 0) throw new Error(`no ${unknown.join(', ')}; there are ${all.join(', ')}`)
  return all.filter((each) => chosen.length === 0 || chosen.includes(each))
}

interface Row extends Outcome {
  readonly failure: string
  readonly client: string
  readonly version: string | null
}

async function tryOne(client: string, failure: string, ground: Ground): Promise<Outcome> {
  const args = ['--disable-warning=TimeoutNegativeWarning', main, client, failure, JSON.stringify(ground)]
  try {
    const { stdout } = await runFile(process.execPath, args, { timeout: trialTimeoutMs, killSignal: 'SIGKILL' })
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Outcome
  } catch (error) {
    const { killed, message } = error as Error & { killed?: boolean }
    const why = killed === true ? `not over within ${trialTimeoutMs / 1_000} s` : message.split('\n')[0]
    return { verdict: 'not possible', evidence: `the trial did not end well: ${why}` }
  }
}

const [proxyPort = 0] = await freePorts(1)
const cluster = await startKafkaCluster({ proxyPorts: [proxyPort] })
const ground: Ground = { brokers: cluster.brokers, proxyPort, proxied: cluster.nodes[0]?.proxied ?? '' }
const rows: Row[] = []
try {
  const clients = wanted(
    values.clients,
    peers.map(({ name }) => name),
  )
  for (const failure of wanted(values.only, names)) {
    if (!values.json) console.log(`\n${failure}: ${failures[failure as FailureName]}`)
    for (const { name, version } of peers.filter((peer) => clients.includes(peer.name))) {
      const outcome: Outcome =
        version() === null
          ? { verdict: 'not possible', evidence: 'NOT INSTALLED: npm install in bench/peers' }
          : await tryOne(name, failure, ground)
      rows.push({ failure, client: name, version: version(), ...outcome })
      if (!values.json) console.log(`  ${outcome.verdict.padEnd(12)} ${name.padEnd(32)} ${outcome.evidence}`)
    }
  }
  if (values.json) console.log(JSON.stringify(rows, null, 2))
  else console.log(`\n${table(rows)}`)
} finally {
  await cluster.stop()
}

function table(all: readonly Row[]): string {
  const clients = [...new Set(all.map(({ client, version }) => `${client} ${version ?? '–'}`))]
  const lines = [
    `| failure | ${clients.join(' | ')} |`,
    `|---|${clients.map(() => '---|').join('')}`,
    ...[...Map.groupBy(all, ({ failure }) => failure)].map(
      ([failure, cells]) =>
        `| ${failures[failure as FailureName]} | ${cells.map(({ verdict }) => verdict).join(' | ')} |`,
    ),
  ]
  return lines.join('\n')
}
