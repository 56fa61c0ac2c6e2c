/** `fanlane offsets`: the committed position and the map beside it, drawn. It only looks. */
import type { Command } from 'commander'
import { UsageError } from '../command.ts'
import { type Context, contextOf, withAdmin } from '../context.ts'
import { type GroupPartition, groupState, plainMap } from '../group-state.ts'
import { harmless } from '../output/harmless.ts'
import { shaded } from '../output/printer.ts'
import { signs, strip } from '../output/strip.ts'
import { number } from '../output/table.ts'
import { cut, padded, widthOf } from '../output/width.ts'
import { type Flags, withConnection } from '../settings.ts'

/** Where nobody says how wide the paper is. */
const COLUMNS_DEFAULT = 100
const STRIP_LEAST = 8

export function define(parent: Command): Command {
  return withConnection(parent.command('offsets'))
    .option('--group <group>', 'whose; default KAFKA_GROUP_ID')
    .option('--topic <topic>', 'only this one')
    .addHelpText(
      'after',
      `
A group of fanlane commits a position and, in its metadata, a
map of what is finished after it. This shows both.

Example: fanlane offsets --group billing`,
    )
    .action(run)
}

async function run(flags: Flags): Promise<void> {
  const context = await contextOf(flags)
  const group = context.config.values.group as string | undefined
  if (group === undefined) throw new UsageError('Whose offsets? Give --group, or set KAFKA_GROUP_ID.')
  await withAdmin(context, async (admin) => {
    const all = await groupState(admin, group)
    const partitions = all.filter(({ topic }) => flags.topic === undefined || topic === flags.topic)
    if (!context.print.isJson) picture(context, partitions)
    context.print.result({
      group,
      partitions: partitions.map(({ map, ...rest }) => ({ ...rest, map: plainMap(map) })),
    })
  })
}

function picture({ print }: Context, partitions: readonly GroupPartition[]): void {
  const width = Number.isFinite(print.width) ? print.width : COLUMNS_DEFAULT
  const names = partitions.map(({ topic, partition }) => `${harmless(topic)}-${partition}`)
  const nameWidth = Math.min(Math.max(...names.map(widthOf), 1), Math.max(10, Math.floor(width / 3)))
  const positions = partitions.map(({ position }) => (position === null ? '–' : number(position)))
  const positionWidth = Math.max(...positions.map(widthOf), 1)
  const room = width - nameWidth - positionWidth - 3
  for (const [at, each] of partitions.entries()) {
    const name = padded(cut(names[at] ?? '', nameWidth), nameWidth, false)
    const position = padded(positions[at] ?? '', positionWidth, true)
    const words = wordsFor(each)
    // Beside the picture where there is room, below it where there is not.
    const isBeside = room - widthOf(words) - 2 >= STRIP_LEAST * 2
    const columns = Math.max(STRIP_LEAST, isBeside ? room - widthOf(words) - 2 : room)
    const { cells } = strip(
      {
        position: each.position ?? each.logStart,
        logEnd: each.logEnd,
        runs: each.map.kind === 'map' ? each.map.runs : [],
      },
      columns,
    )
    const drawn = padded(cells, columns, false)
    print.line(`${name} ${position} ${coloured(drawn)}${isBeside ? `  ${shaded('faint', words)}` : ''}`.trimEnd())
    if (!isBeside) print.line(`  ${shaded('faint', cut(words, width - 2))}`)
  }
  print.line()
  for (const line of legend(width)) print.line(shaded('faint', line))
}

function wordsFor({ lag, ahead, map }: GroupPartition): string {
  if (map.kind === 'ignored') return `lag ${number(lag)}, its metadata is no map of ours (${map.reason})`
  if (map.kind === 'none') return `lag ${number(lag)}, no map`
  return `lag ${number(lag)}, ${number(ahead)} ahead, ${map.encoding} ${number(map.chars)} chars`
}

function coloured(cells: string): string {
  return cells.replaceAll(/[█▓]+/g, (part) => shaded('good', part)).replaceAll(/[░▒]+/g, (part) => shaded('warn', part))
}

function legend(width: number): string[] {
  const parts = [
    `${signs.finished} finished`,
    `${signs.most}${signs.some} in part`,
    `${signs.none} not finished`,
    `${signs.beyond} not in the map`,
  ]
  const line = parts.join('   ')
  return widthOf(line) <= width ? [line] : parts
}
