/** The contenders on the JVM: their jars by Maven, their sources by javac, each once for every change. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cache, classPath, jarsOf, kafkaJars } from '../../scripts/kafka/jars.ts'
import { mustRun } from '../../test/support/command.ts'

/** `kafka`: the clients of the broker's own version. `pc`: Confluent Parallel Consumer with the clients that it runs with. */
export type JavaKind = 'kafka' | 'pc'

const sources = join(import.meta.dirname, '..', 'contenders', 'java')

/** Room for a heap like that of a service; the collector that is Kafka's choice for its own scripts. */
export const javaFlags: readonly string[] = [
  '-Xmx1g',
  '-XX:+UseG1GC',
  '-XX:MaxGCPauseMillis=20',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=error',
]

const jars = (kind: JavaKind): Promise<string> =>
  kind === 'kafka' ? kafkaJars() : jarsOf(join(sources, 'pc', 'pom.xml'))

/** What goes behind `-cp`. */
export async function javaClassPath(kind: JavaKind): Promise<string> {
  const libraries = await jars(kind)
  const files = ['common', kind].flatMap((folder) =>
    readdirSync(join(sources, folder))
      .filter((name) => name.endsWith('.java'))
      .map((name) => join(sources, folder, name)),
  )
  const hash = createHash('sha256').update(libraries)
  for (const file of files) hash.update(readFileSync(file))
  const folder = join(cache, `contenders-${kind}-${hash.digest('hex').slice(0, 12)}`)
  if (!existsSync(folder)) await compile(folder, libraries, files)
  return classPath(libraries, folder)
}

async function compile(folder: string, libraries: string, files: readonly string[]): Promise<void> {
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  try {
    await mustRun('javac', ['-cp', classPath(libraries), '-d', unfinished, ...files])
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    // Somebody else compiled the same sources at the same time.
    if (!existsSync(folder)) throw error
  }
}

/** The version of a library, as the name of its jar says it. */
export async function jarVersion(kind: JavaKind, library: string): Promise<string> {
  const names = readdirSync(await jars(kind))
  const found = names.map((name) => new RegExp(`^${library}-(\\d[^/]*)\\.jar$`).exec(name)?.[1])
  return found.find((version) => version !== undefined) ?? 'unknown'
}
