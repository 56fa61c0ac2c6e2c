/** `fanlane groups`: who is in them, and where they stand. Positions move only while nobody is there, and after a look (`--dry-run`). */
import { type Command, InvalidArgumentError } from 'commander'
import type { Admin } from '../../admin/admin.ts'
import type { OffsetAt } from '../../admin/list-offsets.ts'
import { FanlaneError } from '../../errors.ts'
import { several, severalWhole, UsageError } from '../command.ts'
import { contextOf, withAdmin } from '../context.ts'
import { boundsOf, groupState } from '../group-state.ts'
import { shaded } from '../output/printer.ts'
import { counted } from '../output/table.ts'
import { type Flags, withConnection } from '../settings.ts'

export function define(parent: Command): Command {
  const groups = parent.command('groups').addHelpText(
    'after',
    `
Example: fanlane groups describe billing
         fanlane groups reset billing --to earliest --dry-run`,
  )
  withConnection(groups.command('ls').description('all groups (default)')).action(list)
  withConnection(groups.command('describe <group>').description('members, and what they hold')).action(describe)
  withConnection(groups.command('delete <group>').description('delete a group without members, with its offsets'))
    .option('--yes', 'really')
    .action(remove)
  withConnection(groups.command('reset <group>').description('move its positions; only while it has no members'))
    .requiredOption('--to <where>', 'earliest, latest, an offset, +n or -n from where it is, or a time', target)
    .option('--topic <topic>', 'only this one; repeatable, default all it has committed', several)
    .option('--partition <p>', 'only this one; repeatable', severalWhole)
    .option('--dry-run', 'only say what would happen')
    .option('--yes', 'do it')
    .action(reset)
  return groups
}

async function list(flags: Flags): Promise<void> {
  const context = await contextOf(flags)
  await withAdmin(context, async (admin) => {
    const groups = await admin.listGroups()
    context.print.table(
      [
        { title: 'GROUP', of: ({ id }) => id },
        { title: 'STATE', of: ({ state }) => state },
        { title: 'TYPE', of: ({ type }) => type, spare: 1 },
        { title: 'PROTOCOL', of: ({ protocolType }) => protocolType, spare: 2 },
        { title: 'COORDINATOR', of: ({ coordinator }) => coordinator, spare: 3 },
      ],
      groups,
      'There are no groups: nobody has consumed or committed anything.',
    )
    context.print.result({ groups })
  })
}

async function describe(group: string, flags: Flags): Promise<void> {
  const context = await contextOf(flags)
  await withAdmin(context, async (admin) => {
    const [description] = await admin.describeGroups([group])
    if (description === undefined || description.state === 'Dead') throw unknown(group)
    const { print } = context
    const { state, type, assignor, members } = description
    print.line(
      `${group}: ${state}, ${type}${assignor === null ? '' : `, ${assignor}`}, ${counted(members.length, 'member')}`,
    )
    print.table(
      [
        { title: 'CLIENT', of: ({ clientId }) => clientId },
        { title: 'HOST', of: ({ host }) => host },
        { title: 'PARTITIONS', of: ({ assignment }) => held(assignment) },
        { title: 'MEMBER', of: ({ id }) => id, spare: 1 },
        { title: 'INSTANCE', of: ({ instanceId }) => instanceId, spare: 2 },
      ],
      members,
      'Nobody is in it now.',
    )
    const partitions = await groupState(admin, group, true)
    if (partitions.length > 0) print.line()
    print.table(
      [
        { title: 'TOPIC', of: ({ topic }) => topic },
        { title: 'PARTITION', of: ({ partition }) => partition },
        { title: 'POSITION', of: ({ position }) => position },
        { title: 'LOG END', of: ({ logEnd }) => logEnd },
        { title: 'LAG', of: ({ lag }) => lag },
      ],
      partitions,
      'It has committed nothing.',
    )
    print.result({
      ...description,
      partitions: partitions.map(({ topic, partition, position, logEnd, lag }) => ({
        topic,
        partition,
        position,
        logEnd,
        lag,
      })),
    })
  })
}

function held(
  assignment: readonly { readonly topic: string; readonly partitions: readonly number[] }[] | null,
): string {
  return (assignment ?? []).map(({ topic, partitions }) => `${topic}:${partitions.join(',')}`).join(' ')
}

function unknown(group: string): FanlaneError {
  return new FanlaneError('GROUP_UNKNOWN', `There is no group '${group}': see 'fanlane groups'.`)
}

async function remove(group: string, flags: Flags): Promise<void> {
  if (flags.yes !== true) throw new UsageError(`This deletes all offsets of ${group}: say --yes if you mean it.`)
  const context = await contextOf(flags)
  await withAdmin(context, async (admin) => {
    await admin.deleteGroups([group])
    context.print.line(`Deleted: ${group}.`)
    context.print.result({ deleted: [group] })
  })
}

interface Move {
  readonly topic: string
  readonly partition: number
  readonly from: number | null
  readonly to: number
}

/** For commander: nobody is asked about a place that there is not. */
function target(to: string): string {
  if (/^(earliest|latest|\d{1,12}|[+-]\d+)$/.test(to) || Number.isSafeInteger(timeIn(to))) return to
  throw new InvalidArgumentError('It takes earliest, latest, an offset, +n, -n, or a time like 2026-01-31T12:00:00Z.')
}

/** NaN: it is no time. */
function timeIn(to: string): number {
  return /^\d{13,}$/.test(to) ? Number(to) : Date.parse(to)
}

async function reset(group: string, flags: Flags): Promise<void> {
  const isDry = flags.dryRun === true
  if (!isDry && flags.yes !== true) {
    throw new UsageError(`This moves the positions of ${group}: look at it with --dry-run, then say --yes.`)
  }
  const context = await contextOf(flags)
  await withAdmin(context, async (admin) => {
    const moves = await movesOf(admin, group, flags)
    const { print } = context
    print.table<Move>(
      [
        { title: 'TOPIC', of: ({ topic }) => topic },
        { title: 'PARTITION', of: ({ partition }) => partition },
        { title: 'FROM', of: ({ from }) => from },
        { title: 'TO', of: ({ to }) => to },
        { title: '', of: ({ from, to }) => change(from, to), style: (text) => shaded('faint', text), spare: 1 },
      ],
      moves,
    )
    // The map is left behind: it is about records after the old position.
    if (!isDry)
      await admin.alterOffsets(
        group,
        moves.map(({ topic, partition, to }) => ({ topic, partition, offset: to })),
      )
    print.line(isDry ? 'Nothing was changed (--dry-run).' : `Moved: ${counted(moves.length, 'position')} of ${group}.`)
    print.result({ group, dryRun: isDry, moves })
  })
}

function change(from: number | null, to: number): string {
  if (from === null) return 'new'
  return to === from ? 'as it is' : to < from ? `${from - to} run again` : `${to - from} are passed over`
}

async function movesOf(admin: Admin, group: string, flags: Flags): Promise<readonly Move[]> {
  const topics = (flags.topic ?? []) as readonly string[]
  const only = (flags.partition ?? []) as readonly number[]
  const committed = await admin.committed(group)
  const given = topics.length === 0 ? [] : await admin.describeTopics(topics)
  const places =
    topics.length === 0
      ? committed
      : given.flatMap(({ name, partitions }) => partitions.map(({ partition }) => ({ topic: name, partition })))
  const wanted = places.filter(({ partition }) => only.length === 0 || only.includes(partition))
  if (wanted.length === 0) {
    throw new FanlaneError(
      'NOTHING_TO_RESET',
      `Group '${group}' has committed nothing there: name topics with --topic.`,
    )
  }
  const [starts, ends] = await Promise.all([boundsOf(admin, wanted, 'earliest'), boundsOf(admin, wanted, 'latest')])
  const target = await targetOf(admin, wanted, String(flags.to))
  return wanted.map(({ topic, partition }) => {
    const name = `${topic}-${partition}`
    const from = committed.find((each) => each.topic === topic && each.partition === partition)?.offset ?? null
    const [start, end] = [starts.get(name) ?? 0, ends.get(name) ?? 0]
    return { topic, partition, from, to: Math.min(end, Math.max(start, target(name, from, start, end))) }
  })
}

type Target = (name: string, from: number | null, start: number, end: number) => number

async function targetOf(
  admin: Admin,
  partitions: readonly { readonly topic: string; readonly partition: number }[],
  to: string,
): Promise<Target> {
  if (to === 'earliest') return (_name, _from, start) => start
  if (to === 'latest') return (_name, _from, _start, end) => end
  if (/^\d{1,12}$/.test(to)) return () => Number(to)
  if (/^[+-]\d+$/.test(to)) return (_name, from, start) => (from ?? start) + Number(to)
  const at: OffsetAt = { timestamp: timeIn(to) }
  const found = await admin.listOffsets(partitions.map(({ topic, partition }) => ({ topic, partition, at })))
  const offsets = new Map(found.map(({ topic, partition, offset }) => [`${topic}-${partition}`, offset]))
  return (name, _from, _start, end) => offsets.get(name) ?? end
}
