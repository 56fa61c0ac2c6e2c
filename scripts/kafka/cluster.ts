/**
 * Apache Kafka in KRaft mode on loopback: free ports, a temporary directory, one java process for each node.
 *
 * What always holds: however the starting process ends, kill -9 included, the nodes end too and the directory goes. A shell
 * that does nothing but read a pipe from this process sees to that: the pipe ends when the process does.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { classPath, kafkaJars } from './jars.ts'
import { liveBrokers } from './probe.ts'
import { type NodePorts, nodeSettings, saslUser, scramMechanisms, toProperties } from './settings.ts'

export type KafkaOptions = {
  readonly nodes?: number
  /** More lines for server.properties; they win over ours. */
  readonly properties?: Readonly<Record<string, string | number | boolean>>
  /** One port for each node: a further listener sends its clients there, where a proxy forwards to `proxied`. */
  readonly proxyPorts?: readonly number[]
  /** Before the nodes start: what the proxies on `proxyPorts` have to forward to, where the nodes themselves need them. */
  readonly onProxied?: (targets: readonly string[]) => void
  /** For benchmarks: all of the compiler and Kafka's own choice of collector, at the price of a slower start. */
  readonly forSpeed?: boolean
}

export type KafkaNode = {
  readonly id: number
  readonly address: string
  readonly saslAddress: string
  /** The address that a proxy on its `proxyPorts` entry forwards to. */
  readonly proxied: string | undefined
  readonly logFile: string
  pid(): number | undefined
  /** Ends the process and waits for that. SIGTERM is a clean stop: Kafka moves leaders away first. */
  stop(signal?: NodeJS.Signals): Promise<void>
  /** Runs it again on the same ports and data, and waits until it answers and sees so many nodes (default: all). */
  start(liveNodes?: number): Promise<void>
}

export type KafkaCluster = {
  readonly brokers: readonly string[]
  readonly saslBrokers: readonly string[]
  readonly nodes: readonly KafkaNode[]
  readonly directory: string
  readonly jars: string
  stop(): Promise<void>
}

const run = promisify(execFile)
const startTimeoutMs = 90_000
const attemptsMax = 3

/** Downloads Kafka if needed and starts it; resolves when every node answers and knows all others. */
export async function startKafkaCluster(options: KafkaOptions = {}): Promise<KafkaCluster> {
  const jars = await kafkaJars()
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(jars, options)
    } catch (error) {
      // A port that was free a moment ago may be taken by now: other ports next time.
      const isTaken = error instanceof Error && /already in use|BindException/.test(error.message)
      if (!isTaken || attempt === attemptsMax) throw error
    }
  }
}

async function startOnce(jars: string, options: KafkaOptions): Promise<KafkaCluster> {
  const count = options.nodes ?? 1
  const directory = mkdtempSync(join(tmpdir(), 'fanlane-kafka-'))
  const watchdog = startWatchdog(directory)
  const ports = await choosePorts(count, options.proxyPorts)
  const flags = options.forSpeed ? speedFlags : quickStartFlags
  const nodes = ports.map((_, i) => nodeOf(i + 1, { ports, directory, jars, flags, options }))
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop('SIGKILL')))
    rmSync(directory, { recursive: true, force: true })
    watchdog.kill('SIGKILL')
  }
  try {
    options.onProxied?.(nodes.flatMap(({ proxied }) => proxied ?? []))
    await format(nodes, directory, jars)
    await Promise.all(nodes.map((node) => node.start()))
  } catch (error) {
    await stop()
    throw error
  }
  return {
    brokers: nodes.map(({ address }) => address),
    saslBrokers: nodes.map(({ saslAddress }) => saslAddress),
    nodes,
    directory,
    jars,
    stop,
  }
}

const quickStartFlags = ['-Xms128m', '-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto']
const speedFlags = ['-Xms1g', '-Xmx1g', '-XX:+UseG1GC', '-XX:MaxGCPauseMillis=20']
const logFlags = [
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
  '-Dorg.slf4j.simpleLogger.showDateTime=true',
  '-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS',
]

type Setup = {
  readonly ports: readonly NodePorts[]
  readonly directory: string
  readonly jars: string
  readonly flags: readonly string[]
  readonly options: KafkaOptions
}

function nodeOf(id: number, { ports, directory, jars, flags, options }: Setup): KafkaNode {
  const own = ports[id - 1] as NodePorts
  const folder = join(directory, `node-${id}`)
  const logFile = join(folder, 'server.log')
  mkdirSync(folder)
  writeFileSync(
    join(folder, 'server.properties'),
    toProperties(nodeSettings(id, ports, folder, options.properties ?? {})),
  )
  let child: ChildProcess | undefined
  let ended: Promise<void> = Promise.resolve()

  const launch = (): void => {
    const log = openSync(logFile, 'a')
    const args = [...flags, ...logFlags, '-cp', classPath(jars), 'kafka.Kafka', join(folder, 'server.properties')]
    const started = spawn('java', args, { cwd: folder, stdio: ['ignore', log, log] })
    closeSync(log)
    started.unref()
    if (started.pid !== undefined) writeFileSync(join(folder, 'pid'), String(started.pid))
    child = started
    ended = new Promise((resolve) => {
      const settle = (): void => {
        if (child === started) child = undefined
        rmSync(join(folder, 'pid'), { force: true })
        resolve()
      }
      started.once('exit', settle)
      started.once('error', settle)
    })
  }

  return {
    id,
    address: `127.0.0.1:${own.plain}`,
    saslAddress: `127.0.0.1:${own.sasl}`,
    proxied: own.proxied && `127.0.0.1:${own.proxied.listen}`,
    logFile,
    pid: () => child?.pid,
    async stop(signal = 'SIGKILL') {
      if (child === undefined) return
      child.kill(signal)
      child.ref()
      await ended
    },
    async start(liveNodes = ports.length) {
      if (child !== undefined) throw new Error(`node ${id} runs already`)
      launch()
      const deadline = performance.now() + startTimeoutMs
      while ((await liveBrokers(own.plain, 1_000)) < liveNodes) {
        const isLate = performance.now() > deadline
        if (child === undefined || isLate) {
          const what = isLate ? `did not answer within ${startTimeoutMs / 1000} s` : 'ended while starting'
          throw new Error(`Apache Kafka, node ${id}, ${what}. Its last words:\n${lastLines(logFile)}`)
        }
        await sleep(50)
      }
    },
  }
}

const lastLines = (file: string): string => readFileSync(file, 'utf8').trim().split('\n').slice(-25).join('\n')

/** Writes the cluster id and the SCRAM users into each node's storage; Kafka does not start without the former. */
async function format(nodes: readonly KafkaNode[], directory: string, jars: string): Promise<void> {
  const clusterId = Buffer.from('fanlane-test-id!').toString('base64url')
  const { username, password } = saslUser
  const users = scramMechanisms.flatMap((m) => ['--add-scram', `${m}=[name=${username},password=${password}]`])
  for (const { id } of nodes) {
    const config = join(directory, `node-${id}`, 'server.properties')
    const tool = ['-cp', classPath(jars), 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', config, ...users]
    await run('java', [...quickStartFlags, ...logFlags, ...tool])
  }
}

/** `pid` files name the processes that run now. A killed process may finish one more write, so the directory is removed until it stays away. */
const watchdogScript = `
cat >/dev/null
for file in "$1"/node-*/pid; do [ -f "$file" ] && kill -9 "$(cat "$file")"; done
tries=0
while [ -e "$1" ] && [ $tries -lt 100 ]; do rm -rf "$1"; tries=$((tries + 1)); sleep 0.1; done
`

function startWatchdog(directory: string): ChildProcess {
  // A session of its own: Ctrl-C in the terminal must not reach it before its work is done.
  const watchdog = spawn('sh', ['-c', watchdogScript, 'watchdog', directory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watchdog.unref()
  if (watchdog.stdin instanceof Socket) watchdog.stdin.unref()
  return watchdog
}

async function choosePorts(nodes: number, proxyPorts: readonly number[] | undefined): Promise<NodePorts[]> {
  const each = proxyPorts === undefined ? 3 : 4
  const free = await freePorts(nodes * each)
  return Array.from({ length: nodes }, (_, i) => {
    const [plain, sasl, controller, listen] = free.slice(i * each) as [number, number, number, number]
    const advertise = proxyPorts?.[i]
    return { plain, sasl, controller, ...(advertise === undefined ? {} : { proxied: { listen, advertise } }) }
  })
}

/** Ports that nobody listens on; all are held until the last one is known, so that none comes twice. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, () => {
      const server = createServer()
      return new Promise<typeof server>((resolve, reject) => {
        server.once('error', reject)
        server.listen(0, '127.0.0.1', () => resolve(server))
      })
    }),
  )
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
