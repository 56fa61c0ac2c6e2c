/** `fanlane top`: a group as it goes, from its commits alone; the ones that stand still come first. */
import type { Command } from 'commander'
import { interruption, UsageError, whole } from '../command.ts'
import { type Context, contextOf, withAdmin } from '../context.ts'
import { type GroupPartition, groupState } from '../group-state.ts'
import { shaded } from '../output/printer.ts'
import { number, table } from '../output/table.ts'
import { clock, pause } from '../pause.ts'
import { type Flags, withConnection } from '../settings.ts'

const EVERY_MS = 1_000
const STUCK_MS = 10_000
/** What does not fit on the terminal is said in one line. */
const ROWS_DEFAULT = 30

export function define(parent: Command): Command {
  return withConnection(parent.command('top'))
    .option('--group <group>', 'whose; default KAFKA_GROUP_ID')
    .option('--every <ms>', 'how often to look', whole(100, 3_600_000), EVERY_MS)
    .option('--looks <n>', 'so many times; default until interrupted', whole(1))
    .option('--stuck-after <ms>', 'a position that stands for longer is stuck', whole(100), STUCK_MS)
    .addHelpText(
      'after',
      `
Without a terminal it prints a line for each look.

Example: fanlane top --group billing`,
    )
    .action(run)
}

interface Row extends GroupPartition {
  /** Records finished each second since the look before; null: this is the first. */
  readonly rate: number | null
  /** How long the position has stood although there is something to do; 0: it moves. */
  readonly standingMs: number
}

interface Look {
  readonly atMs: number
  readonly rows: readonly Row[]
  /** When each position was last seen to move. */
  readonly movedMs: ReadonlyMap<string, number>
}

async function run(flags: Flags): Promise<void> {
  const context = await contextOf(flags)
  const group = context.config.values.group as string | undefined
  if (group === undefined) throw new UsageError('Whose? Give --group, or set KAFKA_GROUP_ID.')
  const stop = interruption()
  const looks = (flags.looks as number | undefined) ?? Number.POSITIVE_INFINITY
  await withAdmin(context, async (admin) => {
    let last: Look | null = null
    for (let count = 0; count < looks && !stop.aborted; count++) {
      if (count > 0) await pause(Number(flags.every), stop)
      if (stop.aborted) break
      last = next(await groupState(admin, group), last)
      show(context, group, last, Number(flags.stuckAfter))
    }
  })
}

function next(partitions: readonly GroupPartition[], last: Look | null): Look {
  const atMs = clock.now()
  const movedMs = new Map<string, number>()
  const rows = partitions.map((each): Row => {
    const name = `${each.topic}-${each.partition}`
    const before = last?.rows.find((row) => row.topic === each.topic && row.partition === each.partition)
    const seconds = last === null ? 0 : (atMs - last.atMs) / 1_000
    const finished = (of: GroupPartition): number => (of.position ?? 0) + of.ahead
    const rate = before === undefined || seconds === 0 ? null : Math.max(0, finished(each) - finished(before)) / seconds
    const hasMoved = before === undefined || before.position !== each.position || each.left === 0
    const sinceMs = hasMoved ? atMs : (last?.movedMs.get(name) ?? atMs)
    movedMs.set(name, sinceMs)
    return { ...each, rate, standingMs: atMs - sinceMs }
  })
  return { atMs, rows, movedMs }
}

function show({ print }: Context, group: string, { atMs, rows }: Look, stuckAfterMs: number): void {
  const stuck = rows.filter(({ standingMs }) => standingMs >= stuckAfterMs)
  const total = (of: (row: Row) => number): number => Math.round(rows.reduce((sum, row) => sum + of(row), 0))
  const summary = {
    at: new Date(atMs).toISOString(),
    group,
    partitions: rows.length,
    perSecond: rows.some(({ rate }) => rate !== null) ? total(({ rate }) => rate ?? 0) : null,
    lag: total(({ lag }) => lag),
    ahead: total(({ ahead }) => ahead),
    left: total(({ left }) => left),
    stuck: stuck.map(({ topic, partition }) => `${topic}-${partition}`),
  }
  print.result(summary)
  if (print.isJson) return
  const { perSecond, lag, ahead } = summary
  const pace = perSecond === null ? '' : `${number(perSecond)}/s, `
  const words = `${group}: ${pace}${number(lag)} behind, ${number(ahead)} of them finished, ${stuck.length} stuck`
  if (!process.stdout.isTTY) return print.line(`${summary.at} ${words}`)
  const height = (process.stdout.rows ?? ROWS_DEFAULT) - 4
  const worst = rows.toSorted((a, b) => b.standingMs - a.standingMs || b.left - a.left)
  const lines = table<Row>(
    [
      { title: 'PARTITION', of: ({ topic, partition }) => `${topic}-${partition}` },
      { title: 'PER SECOND', of: ({ rate }) => (rate === null ? null : Math.round(rate)) },
      { title: 'LAG', of: (row) => row.lag },
      { title: 'AHEAD', of: (row) => row.ahead, spare: 1 },
      { title: 'LEFT', of: ({ left }) => left, spare: 2 },
      { title: 'POSITION', of: ({ position }) => position, spare: 3 },
      {
        title: 'STANDS',
        of: ({ standingMs }) => (standingMs < 1_000 ? '' : `${Math.round(standingMs / 1_000)} s`),
        style: (text, { standingMs }) => (standingMs >= stuckAfterMs ? shaded('bad', text) : text),
      },
    ],
    worst.slice(0, height),
    print.width,
  )
  const more = rows.length > height ? [shaded('faint', `and ${rows.length - height} more`)] : []
  // One write, so that nothing flickers: home, the lines with their rests erased, and what is below.
  const text = [shaded('strong', words), '', ...lines, ...more].map((line) => `${line}\u{1b}[K`).join('\n')
  process.stdout.write(`\u{1b}[H${text}\n\u{1b}[J`)
}
