/** Under which circumstances figures were taken: whoever reads them later cannot ask. */
import { execFileSync } from 'node:child_process'
import { cpus, release, totalmem, type } from 'node:os'
import { root } from '../../scripts/files.ts'
import { command } from '../../test/support/command.ts'
import { versionOf } from './install.ts'
import { jarVersion } from './java.ts'

export const machine = (): string =>
  `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GB`

export const system = (): string => `${type()} ${release()}`

export function git(...args: readonly string[]): string {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    // A copy without history.
    return ''
  }
}

/** Of everything that takes part; Java's only where there is Java. */
export async function versions(withJava: boolean): Promise<Record<string, string>> {
  const packages = ['kafkajs', '@platformatic/kafka', 'p-limit', '@confluentinc/kafka-javascript']
  const found: Record<string, string> = { node: process.versions.node }
  for (const name of packages) found[name] = versionOf(name) ?? 'not installed'
  if (!withJava) return found
  try {
    const { stderr, stdout } = await command('java', ['-version'])
    found.java = /version "([^"]+)"/.exec(`${stderr}${stdout}`)?.[1] ?? 'unknown'
    found['Apache Kafka and its Java clients'] = await jarVersion('kafka', 'kafka-clients')
    found['Confluent Parallel Consumer'] = await jarVersion('pc', 'parallel-consumer-core')
    found['kafka-clients of Confluent Parallel Consumer'] = await jarVersion('pc', 'kafka-clients')
  } catch (error) {
    // Its contenders have failed already, each with its reason.
    found.java = `not available: ${error instanceof Error ? error.message.split('\n')[0] : error}`
  }
  return found
}
