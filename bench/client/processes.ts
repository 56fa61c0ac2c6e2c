/** Contenders as processes: a fresh Node or JVM for each run. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { classPath, kafkaJars } from '../../scripts/kafka/jars.ts'
import { command, mustRun } from '../../test/support/command.ts'
import type { Contender } from './contenders.ts'
import { keyCount, type Outcome, outcomeMark, type Task, totalOf, valueBytes } from './task.ts'

const runTimeoutMs = 300_000
const runFile = fileURLToPath(new URL('./run.ts', import.meta.url))
const javaSources = join(import.meta.dirname, 'java')
/** As Kafka's own scripts start its clients. */
const javaFlags = ['-Xmx512m', '-XX:+UseG1GC', '-XX:MaxGCPauseMillis=20']

/** Compiles the Java contenders; gives the folder of their classes. */
export async function compileJava(folder: string): Promise<string> {
  const files = readdirSync(javaSources).map((name) => join(javaSources, name))
  await mustRun('javac', ['-cp', classPath(await kafkaJars()), '-d', folder, ...files])
  return folder
}

/** Runs it to its end; rejects with what it printed if it crashed, hung, or found a record lost or doubled. */
export async function runContender(
  contender: Contender,
  task: Task,
  classes: string,
  nodeFlags: readonly string[] = [],
): Promise<Outcome> {
  if ('node' in contender) return runNode({ ...task, contender: contender.node }, nodeFlags)
  const { brokers, topic, ends, group } = task
  const rest =
    contender.java === 'Consume' ? [group, ends.join()] : [totalOf(ends), valueBytes, keyCount].map((n) => String(n))
  const log = '-Dorg.slf4j.simpleLogger.defaultLogLevel=error'
  const path = classPath(await kafkaJars(), classes)
  return outcomeOf('java', [...javaFlags, log, '-cp', path, contender.java, brokers.join(), topic, ...rest])
}

export function runNode(task: Task, nodeFlags: readonly string[] = []): Promise<Outcome> {
  return outcomeOf(process.execPath, [...nodeFlags, runFile, JSON.stringify(task)])
}

async function outcomeOf(file: string, args: readonly string[]): Promise<Outcome> {
  const { code, stdout, stderr } = await command(file, args, { timeoutMs: runTimeoutMs })
  const line = stdout.split('\n').findLast((each) => each.startsWith(outcomeMark))
  if (code === 0 && line !== undefined) return JSON.parse(line.slice(outcomeMark.length)) as Outcome
  throw new Error(`ended with ${code}: ${`${stdout}\n${stderr}`.trim().slice(-1_500)}`)
}
