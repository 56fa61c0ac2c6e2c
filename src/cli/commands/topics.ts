/** `fanlane topics`: what there is, what it is made of, and changes of it. Deleting asks for `--yes`. */
import type { Command } from 'commander'
import type { Admin } from '../../admin/admin.ts'
import type { DescribedConfig } from '../../admin/configs.ts'
import { several, UsageError, whole } from '../command.ts'
import { contextOf, withAdmin } from '../context.ts'
import { counted } from '../output/table.ts'
import { clock, pause } from '../pause.ts'
import type { Flags } from '../settings.ts'
import { withConnection } from '../settings.ts'

export function define(parent: Command): Command {
  const topics = parent.command('topics').addHelpText(
    'after',
    `
Example: fanlane topics create orders --partitions 8
         fanlane topics describe orders`,
  )
  withConnection(topics.command('ls').description('all topics (default)'))
    .option('--internal', "Kafka's own as well")
    .action(list)
  withConnection(topics.command('create <topic>').description('make a topic'))
    .option('--partitions <n>', 'how many; default what the cluster prefers', whole(1, 100_000))
    .option('--replicas <n>', 'how many; default what the cluster prefers', whole(1, 1_000))
    .option('--set <k=v>', 'a setting of the topic; repeatable', several)
    .action(create)
  withConnection(topics.command('describe <topic>').description('partitions, where they are, how long')).action(
    describe,
  )
  withConnection(topics.command('delete <topic...>').description('delete topics, with all their records'))
    .option('--yes', 'really')
    .action(remove)
  withConnection(topics.command('config <topic>').description('show settings, or change them'))
    .option('--set <k=v>', 'change one; repeatable', several)
    .option('--unset <k>', 'back to the default; repeatable', several)
    .option('--all', 'defaults as well')
    .action(config)
  return topics
}

async function list(flags: Flags): Promise<void> {
  const context = await contextOf(flags)
  await withAdmin(context, async (admin) => {
    const topics = await admin.listTopics({ internal: flags.internal === true })
    context.print.table(
      [
        { title: 'TOPIC', of: ({ name }) => name },
        { title: 'PARTITIONS', of: ({ partitions }) => partitions },
        { title: 'REPLICAS', of: ({ replicationFactor }) => replicationFactor, spare: 1 },
      ],
      topics,
      'There are no topics: make one with fanlane topics create NAME.',
    )
    context.print.result({ topics })
  })
}

async function create(topic: string, flags: Flags): Promise<void> {
  const context = await contextOf(flags)
  const configs = pairsOf(flags.set)
  const { partitions, replicas } = flags as { readonly partitions?: number; readonly replicas?: number }
  await withAdmin(context, async (admin) => {
    const [created] = await admin.createTopics([
      {
        name: topic,
        ...(partitions === undefined ? {} : { partitions }),
        ...(replicas === undefined ? {} : { replicationFactor: replicas }),
        ...(Object.keys(configs).length === 0 ? {} : { configs }),
      },
    ])
    context.print.line(`${topic} is there, with ${counted(created?.partitions ?? partitions ?? 1, 'partition')}.`)
    context.print.result({ created })
  })
}

async function describe(topic: string, flags: Flags): Promise<void> {
  const context = await contextOf(flags)
  await withAdmin(context, async (admin) => {
    const [description] = await admin.describeTopics([topic])
    const partitions = await lengthsOf(admin, topic, description?.partitions ?? [])
    const { print } = context
    print.line(`${topic}${description?.id === null ? '' : `  (id ${description?.id})`}`)
    print.table(
      [
        { title: 'PARTITION', of: ({ partition }) => partition },
        { title: 'FROM', of: ({ start }) => start },
        { title: 'TO', of: ({ end }) => end },
        { title: 'RECORDS', of: ({ start, end }) => Math.max(0, end - start) },
        { title: 'LEADER', of: ({ leader }) => leader, spare: 1 },
        { title: 'REPLICAS', of: ({ replicas }) => replicas.join(','), spare: 2 },
        { title: 'IN SYNC', of: ({ isr }) => isr.join(','), spare: 2 },
      ],
      partitions,
    )
    print.result({ topic, id: description?.id ?? null, partitions })
  })
}

async function lengthsOf<P extends { readonly partition: number }>(
  admin: Admin,
  topic: string,
  partitions: readonly P[],
): Promise<(P & { readonly start: number; readonly end: number })[]> {
  const at = async (where: 'earliest' | 'latest'): Promise<Map<number, number>> => {
    const found = await admin.listOffsets(partitions.map(({ partition }) => ({ topic, partition, at: where })))
    return new Map(found.map(({ partition, offset }) => [partition, offset ?? 0]))
  }
  const [starts, ends] = await Promise.all([at('earliest'), at('latest')])
  return partitions.map((each) => ({
    ...each,
    start: starts.get(each.partition) ?? 0,
    end: ends.get(each.partition) ?? 0,
  }))
}

async function remove(topics: readonly string[], flags: Flags): Promise<void> {
  if (flags.yes !== true)
    throw new UsageError(`This deletes all records of ${topics.join(', ')}: say --yes if you mean it.`)
  const context = await contextOf(flags)
  await withAdmin(context, async (admin) => {
    const deleted = await admin.deleteTopics(topics)
    context.print.line(`Deleted: ${deleted.map(({ name }) => name).join(', ')}.`)
    context.print.result({ deleted: deleted.map(({ name }) => name) })
  })
}

async function config(topic: string, flags: Flags): Promise<void> {
  const context = await contextOf(flags)
  const set = pairsOf(flags.set)
  const unset = (flags.unset ?? []) as readonly string[]
  await withAdmin(context, async (admin) => {
    if (Object.keys(set).length + unset.length > 0) {
      await admin.alterConfigs([{ type: 'topic', name: topic, set, delete: unset }])
    }
    const configs = await configsOf(admin, topic, set)
    const entries = Object.values(configs).filter((each) => flags.all === true || !each.isDefault)
    const { print } = context
    if (entries.length === 0) print.line(`${topic} has no settings of its own; --all shows the defaults.`)
    else
      print.table(
        [
          { title: 'SETTING', of: ({ name }) => name },
          { title: 'VALUE', of: ({ value, isSensitive }) => (isSensitive ? '[redacted]' : (value ?? '')) },
          { title: 'FROM', of: ({ source }) => source, spare: 1 },
        ],
        entries,
      )
    print.result({ topic, configs: Object.fromEntries(entries.map(({ name, value }) => [name, value])) })
  })
}

/** How long a broker may take to hear of what another one was told. */
const NEWS_MS = 3_000
const LOOK_AGAIN_MS = 50

/** Once they are what was set: whoever answers may not know it yet. */
async function configsOf(
  admin: Admin,
  topic: string,
  set: Readonly<Record<string, string>>,
): Promise<DescribedConfig['configs']> {
  const endMs = clock.now() + NEWS_MS
  for (;;) {
    const [described] = await admin.describeConfigs([{ type: 'topic', name: topic }])
    const configs = described?.configs ?? {}
    const isNew = Object.entries(set).every(([name, value]) => configs[name]?.value === value)
    if (isNew || clock.now() > endMs) return configs
    await pause(LOOK_AGAIN_MS)
  }
}

function pairsOf(given: unknown): Record<string, string> {
  return Object.fromEntries(
    ((given ?? []) as readonly string[]).map((text) => {
      const at = text.indexOf('=')
      if (at < 1) throw new UsageError(`--set takes KEY=VALUE, not '${text}'.`)
      return [text.slice(0, at), text.slice(at + 1)]
    }),
  )
}
