/** A broker that joins a cluster of Apache Kafka while it runs: a broker only, no controller, on a disk of its own. */
import { execFile, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePorts, type KafkaCluster } from '../../../scripts/kafka/cluster.ts'
import { classPath } from '../../../scripts/kafka/jars.ts'
import { liveBrokers } from '../../../scripts/kafka/probe.ts'
import { until } from '../../support/wait.ts'

const run = promisify(execFile)

/** Resolves when it and all others know one another. It ends with the cluster: its watchdog looks for `node-…/pid`. */
export async function addNode(cluster: KafkaCluster, id: number): Promise<{ stop(): Promise<void> }> {
  const { directory, jars, nodes } = cluster
  const folder = join(directory, `node-${id}`)
  mkdirSync(folder)
  const [port = 0] = await freePorts(1)
  const config = join(folder, 'server.properties')
  writeFileSync(config, settingsLike(join(directory, 'node-1', 'server.properties'), id, folder, port))
  const meta = readFileSync(join(directory, 'node-1', 'data', 'meta.properties'), 'utf8')
  const clusterId = /^cluster\.id=(.+)$/m.exec(meta)?.[1] ?? ''
  const java = [
    '-Xmx512m',
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
  ]
  const classes = ['-cp', classPath(jars)]
  await run('java', [...java, ...classes, 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', config])
  const log = openSync(join(folder, 'server.log'), 'a')
  const child = spawn('java', [...java, ...classes, 'kafka.Kafka', config], {
    cwd: folder,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  writeFileSync(join(folder, 'pid'), String(child.pid))
  await until(`node ${id} is one of them`, async () => {
    if (child.exitCode !== null) throw new Error(readFileSync(join(folder, 'server.log'), 'utf8').slice(-2_000))
    return (await liveBrokers(port, 1_000)) > nodes.length
  })
  return {
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

function settingsLike(file: string, id: number, folder: string, port: number): string {
  const listener = `PLAINTEXT://127.0.0.1:${port}`
  const own: Readonly<Record<string, string>> = {
    'process.roles': 'broker',
    'node.id': String(id),
    listeners: listener,
    'advertised.listeners': listener,
    'log.dirs': join(folder, 'data'),
  }
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  const others = lines.filter((line) => !Object.hasOwn(own, line.slice(0, line.indexOf('='))))
  return [...others, ...Object.entries(own).map(([name, value]) => `${name}=${value}`), ''].join('\n')
}
