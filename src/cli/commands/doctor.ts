/** `fanlane doctor`: looks at everything that can be wrong from outside, changes nothing, and says what to change. */
import type { Command } from 'commander'
import type { Admin } from '../../admin/admin.ts'
import { FanlaneError } from '../../errors.ts'
import { type Context, contextOf } from '../context.ts'
import type { Finding } from '../doctor/finding.ts'
import { harmless } from '../output/harmless.ts'
import { type Shade, shaded } from '../output/printer.ts'
import { counted } from '../output/table.ts'
import { type Flags, withConnection } from '../settings.ts'

export function define(parent: Command): Command {
  return withConnection(parent.command('doctor'))
    .option('--group <group>', 'look at this one; default KAFKA_GROUP_ID')
    .option('--topic <topic>', 'look at this one; repeatable', (text: string, before?: string) =>
      before === undefined ? text : `${before},${text}`,
    )
    .addHelpText(
      'after',
      `
Looks at brokers, versions, permissions, limits, clocks, topics
and transactions, changes nothing, and says what to change.
Exits with 1 if something is wrong.

Example: fanlane doctor --group billing --topic orders`,
    )
    .action(run)
}

const MAP_DEFAULT_CHARS = 4_000

const signs: Readonly<Record<Finding['state'], readonly [sign: string, shade: Shade]>> = {
  fine: ['ok', 'good'],
  notice: ['note', 'warn'],
  wrong: ['WRONG', 'bad'],
  unknown: ['?', 'faint'],
}

async function run(flags: Flags): Promise<void> {
  const context = await contextOf(flags)
  const { print } = context
  const findings = await examine(context)
  for (const { check, state, message, fix } of findings) {
    const [sign, shade] = signs[state]
    print.line(`${shaded(shade, sign.padEnd(5))} ${harmless(`${check}: ${message}`)}`)
    if (fix !== null) print.line(`      → ${harmless(fix)}`)
  }
  const bad = findings.filter(({ state }) => state === 'wrong').length
  print.line()
  print.line(bad === 0 ? shaded('good', 'Nothing is wrong.') : shaded('bad', `${counted(bad, 'thing')} to put right.`))
  print.result({ ok: bad === 0, wrong: bad, findings })
  if (bad > 0) process.exitCode = 1
}

async function examine(context: Context): Promise<readonly Finding[]> {
  const [cluster, topics] = await Promise.all([
    import('../doctor/cluster-checks.ts'),
    import('../doctor/topic-checks.ts'),
  ])
  const { fine, wrong } = await import('../doctor/finding.ts')
  let admin: Admin
  try {
    admin = await context.admin()
  } catch (error) {
    const code = error instanceof FanlaneError ? error.code : 'UNEXPECTED'
    const how = 'check the addresses, TLS and SASL settings: fanlane config shows where each came from'
    return [wrong('connection', `${code}: ${cluster.messageOf(error)}`, how)]
  }
  try {
    const { values, path } = context.config
    const group = (values.group as string | undefined) ?? null
    const names = ((values.topics ?? []) as readonly unknown[]).filter((each) => typeof each === 'string')
    const mapMaxChars =
      (values.commit as { readonly mapMaxChars?: number } | undefined)?.mapMaxChars ?? MAP_DEFAULT_CHARS
    const description = await admin.describeCluster()
    const findings: Finding[] = [
      fine('configuration', path === null ? 'no config file; flags and environment only' : path),
      ...(await cluster.clusterChecks(admin, description)),
      await cluster.metadataLimit(admin, description, mapMaxChars),
      ...(await cluster.permissionFindings(admin, [], group)),
      await cluster.transactionFinding(admin),
    ]
    for (const name of names) findings.push(...(await topics.topicFindings(admin, name, description.brokers.length)))
    findings.push(cluster.clockFinding(await newestOf(admin, names)))
    if (group !== null) findings.push(...(await topics.groupFindings(admin, group)))
    findings.push(...(await topics.letterFindings(admin, description.brokers[0]?.id ?? 0)))
    return findings
  } finally {
    await admin.close()
  }
}

/** Of these topics, or of all if there are few. */
async function newestOf(admin: Admin, names: readonly string[]): Promise<number | null> {
  const all = await admin.listTopics()
  const wanted = names.length > 0 ? all.filter(({ name }) => names.includes(name)) : all.slice(0, 20)
  const questions = wanted.flatMap(({ name, partitions }) =>
    Array.from({ length: Math.min(partitions, 50) }, (_, partition) => ({
      topic: name,
      partition,
      at: 'max-timestamp' as const,
    })),
  )
  if (questions.length === 0) return null
  const { settled } = await import('../../admin/failures.ts')
  const { results } = await settled(admin.listOffsets(questions))
  const times = results.flatMap(({ timestamp }) => (timestamp === null ? [] : [timestamp]))
  return times.length === 0 ? null : Math.max(...times)
}
