/** `fanlane consume`: records as text. No group, no commit: whoever looks disturbs nobody. */
import { once } from 'node:events'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Admin } from '../../admin/admin.ts'
import type { RawRecord } from '../../ports/log-client.ts'
import { aborted, interruption, severalWhole, UsageError, whole } from '../command.ts'
import { type Context, contextOf, withAdmin } from '../context.ts'
import { boundsOf } from '../group-state.ts'
import { silent } from '../quiet.ts'
import { type RecordFormat, recordFormats, written } from '../records-out.ts'
import { type Flags, withConnection } from '../settings.ts'

export function define(parent: Command): Command {
  return withConnection(parent.command('consume <topic...>'))
    .option('--from <where>', 'earliest, latest, an offset, -n (the last n), or a time', place, 'earliest')
    .option('--until <where>', 'end (of now), an offset, or a time; default end, with --follow never', place)
    .option('--follow', 'go on with what comes, until interrupted')
    .option('--max <n>', 'so many records at most', whole(1))
    .option('--key <key>', 'only records of this key')
    .option('--partition <p>', 'only this one; repeatable', severalWhole)
    .addOption(new Option('--format <format>', 'how to print').choices([...recordFormats]).default('text'))
    .option('--uncommitted', 'what is in open or aborted transactions as well')
    .addHelpText(
      'after',
      `
Reads without a group and commits nothing: nobody is disturbed.

Example: fanlane consume orders --from -10 --format json
         fanlane consume orders --follow --key ada`,
    )
    .action(run)
}

/** For commander: nobody is asked about a place that there is not. */
function place(words: string): string {
  if (/^(earliest|latest|end|-?\d{1,12})$/.test(words) || Number.isSafeInteger(timeIn(words))) return words
  throw new InvalidArgumentError('It takes earliest, latest, an offset, -n, or a time like 2026-01-31T12:00:00Z.')
}

/** NaN: it is no time. */
function timeIn(words: string): number {
  return /^\d{13,}$/.test(words) ? Number(words) : Date.parse(words)
}

interface Range {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  /** Exclusive; null: as far as it goes. */
  readonly until: number | null
}

async function run(topics: readonly string[], flags: Flags): Promise<void> {
  const context = await contextOf(flags)
  const isFollowing = flags.follow === true
  const ranges = await withAdmin(context, (admin) => rangesOf(admin, topics, flags, isFollowing))
  const open = ranges.filter(({ offset, until }) => until === null || until > offset)
  const count = open.length === 0 ? 0 : await read(context, open, flags, isFollowing)
  context.print.result({ topics, records: count })
}

async function read(context: Context, ranges: readonly Range[], flags: Flags, isFollowing: boolean): Promise<number> {
  const { consume } = await import('../../consume.ts')
  const stop = interruption()
  const { stdout } = process
  const format = (context.print.isJson ? 'json' : flags.format) as RecordFormat
  const max = (flags.max as number | undefined) ?? Number.POSITIVE_INFINITY
  const key = flags.key === undefined ? null : Buffer.from(String(flags.key))
  const ends = new Map(ranges.map(({ topic, partition, until }) => [`${topic}-${partition}`, until]))
  const enough = Promise.withResolvers<void>()
  let count = 0
  const print = async (record: RawRecord): Promise<void> => {
    const { topic, partition, offset } = record
    if (offset >= (ends.get(`${topic}-${partition}`) ?? Number.POSITIVE_INFINITY)) return
    if (stop.aborted || count >= max || (key !== null && record.key?.equals(key) !== true)) return
    count++
    if (!stdout.write(written(record, format, stdout.isTTY))) await once(stdout, 'drain')
    if (count >= max) enough.resolve()
  }
  const consumer = await consume({
    brokers: context.brokers,
    client: context.client,
    partitions: ranges.map(({ topic, partition, offset }) => ({ topic, partition, offset })),
    // One at a time, so that what is printed is in order and nothing is printed over another.
    concurrency: 1,
    order: 'partition',
    retry: { attempts: 1 },
    onExhausted: 'stop',
    isolation: flags.uncommitted === true ? 'read_uncommitted' : 'read_committed',
    tune: isFollowing ? 'latency' : 'throughput',
    logger: silent,
    handle: (record) => print(record as RawRecord),
  })
  const idle = isFollowing ? new Promise<void>(() => undefined) : consumer.idle()
  idle.catch(() => undefined)
  try {
    await Promise.race([idle, enough.promise, aborted(stop), consumer.closed])
  } finally {
    await consumer.close()
  }
  return count
}

type Place = { readonly topic: string; readonly partition: number }

async function rangesOf(
  admin: Admin,
  topics: readonly string[],
  flags: Flags,
  isFollowing: boolean,
): Promise<readonly Range[]> {
  const only = (flags.partition ?? []) as readonly number[]
  const places = (await admin.describeTopics(topics)).flatMap(({ name, partitions }) =>
    partitions
      .filter(({ partition }) => only.length === 0 || only.includes(partition))
      .map(({ partition }): Place => ({ topic: name, partition })),
  )
  const missing = only.find((partition) => !places.some((place) => place.partition === partition))
  if (missing !== undefined) throw new UsageError(`There is no partition ${missing} in ${topics.join(', ')}.`)
  const [starts, ends] = await Promise.all([boundsOf(admin, places, 'earliest'), boundsOf(admin, places, 'latest')])
  const from = await placesAt(admin, places, String(flags.from), starts, ends)
  const until = flags.until === undefined ? (isFollowing ? null : 'end') : String(flags.until)
  const to = until === null ? null : await placesAt(admin, places, until, starts, ends)
  return places.map(({ topic, partition }) => {
    const name = `${topic}-${partition}`
    return { topic, partition, offset: from.get(name) ?? 0, until: to === null ? null : (to.get(name) ?? 0) }
  })
}

/** The offset that these words mean, for each partition; always one that the log has, or its end. */
async function placesAt(
  admin: Admin,
  places: readonly Place[],
  words: string,
  starts: ReadonlyMap<string, number>,
  ends: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  const at = (of: (start: number, end: number) => number): Map<string, number> =>
    new Map(
      places.map(({ topic, partition }) => {
        const name = `${topic}-${partition}`
        const [start, end] = [starts.get(name) ?? 0, ends.get(name) ?? 0]
        return [name, Math.min(end, Math.max(start, of(start, end)))]
      }),
    )
  if (words === 'earliest') return at((start) => start)
  if (words === 'latest' || words === 'end') return at((_start, end) => end)
  if (/^\d{1,12}$/.test(words)) return at(() => Number(words))
  if (/^-\d{1,12}$/.test(words)) return at((_start, end) => end + Number(words))
  const timestamp = timeIn(words)
  const found = await admin.listOffsets(places.map((place) => ({ ...place, at: { timestamp } })))
  return new Map(
    found.map(({ topic, partition, offset }) => {
      const name = `${topic}-${partition}`
      return [name, offset ?? ends.get(name) ?? 0]
    }),
  )
}
