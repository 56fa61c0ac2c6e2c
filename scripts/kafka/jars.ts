/**
 * Apache Kafka's jars, brought by the ordinary Maven client and kept in .cache/kafka/.
 * The folder's name is a hash of pom.xml, so a changed pom resolves again and an unchanged one costs nothing; a folder
 * appears under its name only when it is complete, so an interrupted download is never used.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../files.ts'

/** Java, Maven or the download is missing: the Kafka half cannot run here, for the reason in the message. */
export class KafkaUnavailable extends Error {
  readonly code = 'KAFKA_UNAVAILABLE'
}

const run = promisify(execFile)
const pom = join(import.meta.dirname, 'pom.xml')
const downloadTimeoutMs = 600_000

/** Where downloads of the Kafka half live; git ignores it. */
export const cache: string = join(root, '.cache', 'kafka')

/** The folder with Apache Kafka's jars. */
export const kafkaJars = (): Promise<string> => jarsOf(pom)

/** The folder with the jars that a pom names; downloads them if it was never resolved here. */
export async function jarsOf(pom: string): Promise<string> {
  // A run of many processes finds out once.
  const reason = process.env.KAFKA_UNAVAILABLE
  if (reason !== undefined) throw new KafkaUnavailable(reason)
  await demand('java', ['-version'], 'Java 17 or newer')
  const hash = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12)
  const folder = join(cache, `jars-${hash}`)
  if (existsSync(folder)) return folder

  await demand('mvn', ['-version'], 'Maven')
  mkdirSync(cache, { recursive: true })
  const unfinished = `${folder}.${process.pid}`
  try {
    await copyDependencies(pom, unfinished)
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    // Two processes may have downloaded at once: the first to finish wins, and its folder is as good as ours.
    if (!existsSync(folder)) throw new KafkaUnavailable(`Maven could not bring what ${pom} names: ${reasonOf(error)}`)
  }
  return folder
}

/** Everything in the folder, as a class path argument that `java` expands by itself. */
export const classPath = (jars: string, ...more: readonly string[]): string =>
  [...more, join(jars, '*')].join(delimiter)

async function copyDependencies(pom: string, folder: string): Promise<void> {
  const args = ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${folder}`]
  await run('mvn', args, { timeout: downloadTimeoutMs, maxBuffer: 16 << 20 })
}

async function demand(command: string, args: readonly string[], name: string): Promise<void> {
  try {
    await run(command, args)
  } catch (error) {
    throw new KafkaUnavailable(`${name} is needed for Apache Kafka and "${command}" does not run: ${reasonOf(error)}`)
  }
}

function reasonOf(error: unknown): string {
  const {
    stdout = '',
    stderr = '',
    message = String(error),
  } = error as Partial<{
    stdout: string
    stderr: string
    message: string
  }>
  return `${stdout}${stderr}`.trim().split('\n').slice(0, 5).join('\n') || message
}
