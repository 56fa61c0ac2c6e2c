/** Kafka's Java clients and tools, and the small Java programs of test/clients/java, compiled once per change. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cache, classPath, KafkaUnavailable, kafkaJars } from '../../scripts/kafka/jars.ts'
import { type CommandOptions, type CommandResult, command, exists, mustRun } from './command.ts'

const sources = join(import.meta.dirname, '..', 'clients', 'java')
const flags = [
  '-Xmx256m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Xshare:auto',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=error',
]

/** The reason why Java programs cannot run here, if there is one. */
export async function whyNoJava(): Promise<string | undefined> {
  try {
    await kafkaJars()
    return (await exists('javac', ['-version'])) ? undefined : 'javac is not installed'
  } catch (error) {
    if (error instanceof KafkaUnavailable) return error.message
    throw error
  }
}

/** Runs a class of Kafka's jars or one of ours; a bad exit code is an answer. */
export async function java(main: string, args: readonly string[], options?: CommandOptions): Promise<CommandResult> {
  return command('java', await argumentsFor(main, args), options)
}

/** Runs one of our programs, which ends with 0 only if all its assertions hold. */
export async function mustRunJava(main: string, args: readonly string[], options?: CommandOptions): Promise<string> {
  return (await mustRun('java', await argumentsFor(main, args), options)).stdout
}

/** For whoever has to start the program differently. */
export async function argumentsFor(main: string, args: readonly string[]): Promise<string[]> {
  return [...flags, '-cp', classPath(await kafkaJars(), await programs()), main, ...args]
}

async function programs(): Promise<string> {
  const files = readdirSync(sources)
    .filter((name) => name.endsWith('.java'))
    .map((name) => join(sources, name))
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(file))
  const folder = join(cache, `programs-${hash.digest('hex').slice(0, 12)}`)
  if (existsSync(folder)) return folder
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  await mustRun('javac', ['-cp', classPath(await kafkaJars()), '-d', unfinished, ...files])
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    // Somebody else compiled the same sources at the same time.
    if (!existsSync(folder)) throw error
  }
  return folder
}
