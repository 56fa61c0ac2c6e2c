/** `fanlane lag`: how far groups are behind, with what they have finished ahead of their position. */
import type { Command } from 'commander'
import type { Admin } from '../../admin/admin.ts'
import { interruption, UsageError, whole } from '../command.ts'
import { type Context, contextOf, withAdmin } from '../context.ts'
import { type GroupPartition, groupState } from '../group-state.ts'
import { shaded } from '../output/printer.ts'
import { number } from '../output/table.ts'
import { cut } from '../output/width.ts'
import { pause } from '../pause.ts'
import { type Flags, withConnection } from '../settings.ts'

const EVERY_MS = 2_000

export function define(parent: Command): Command {
  return withConnection(parent.command('lag'))
    .option('--group <group>', 'this one; default KAFKA_GROUP_ID, else all groups')
    .option('--watch', 'again and again, until interrupted')
    .option('--every <ms>', 'how often', whole(100, 3_600_000), EVERY_MS)
    .addHelpText('after', '\nExample: fanlane lag --group billing --watch')
    .action(run)
}

interface Line {
  readonly group: string
  readonly partitions: number
  readonly lag: number
  readonly ahead: number
  readonly left: number
}

async function run(flags: Flags): Promise<void> {
  const context = await contextOf(flags)
  const group = (context.config.values.group as string | undefined) ?? (flags.group as string | undefined)
  if (flags.watch === true && context.print.isJson && process.stdout.isTTY) {
    throw new UsageError('--watch --json prints a line for each look: send it somewhere, or leave one of them out.')
  }
  await withAdmin(context, async (admin) => {
    if (flags.watch !== true) return look(context, admin, group)
    const stop = interruption()
    while (!stop.aborted) {
      if (process.stdout.isTTY) process.stdout.write('\u{1b}[2J\u{1b}[H')
      await look(context, admin, group)
      await pause(Number(flags.every), stop)
    }
  })
}

async function look(context: Context, admin: Admin, group: string | undefined): Promise<void> {
  if (group !== undefined) return lookAtOne(context, admin, group)
  const groups = await admin.listGroups()
  const lines: Line[] = []
  for (const { id } of groups) lines.push(totalOf(id, await groupState(admin, id, true)))
  context.print.table<Line>(
    [
      { title: 'GROUP', of: (line) => line.group },
      { title: 'PARTITIONS', of: (line) => line.partitions, spare: 2 },
      { title: 'LAG', of: ({ lag }) => lag },
      { title: 'AHEAD', of: ({ ahead }) => ahead, spare: 1 },
      { title: 'LEFT', of: ({ left }) => left, spare: 1 },
    ],
    lines,
    'There are no groups: nobody has consumed or committed anything.',
  )
  context.print.result({ groups: lines })
}

async function lookAtOne({ print }: Context, admin: Admin, group: string): Promise<void> {
  const partitions = await groupState(admin, group)
  print.table<GroupPartition>(
    [
      { title: 'TOPIC', of: ({ topic }) => topic },
      { title: 'PARTITION', of: ({ partition }) => partition },
      { title: 'POSITION', of: ({ position }) => position, spare: 2 },
      { title: 'LOG END', of: ({ logEnd }) => logEnd, spare: 2 },
      {
        title: 'LAG',
        of: ({ lag }) => lag,
        style: (text, { lag }) => (lag === 0 ? shaded('good', text) : text),
      },
      { title: 'AHEAD', of: ({ ahead }) => ahead, spare: 1 },
      { title: 'LEFT', of: ({ left }) => left, spare: 1 },
    ],
    partitions,
  )
  const total = totalOf(group, partitions)
  print.line(
    shaded('faint', cut(`${number(total.lag)} behind, ${number(total.ahead)} of them finished already.`, print.width)),
  )
  print.result({
    ...total,
    byPartition: partitions.map(({ map: _map, ...rest }) => rest),
  })
}

function totalOf(group: string, partitions: readonly GroupPartition[]): Line {
  const sum = (of: (each: GroupPartition) => number): number => partitions.reduce((all, each) => all + of(each), 0)
  return {
    group,
    partitions: partitions.length,
    lag: sum(({ lag }) => lag),
    ahead: sum(({ ahead }) => ahead),
    left: sum(({ left }) => left),
  }
}
