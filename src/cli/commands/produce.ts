/** `fanlane produce`: lines become records. What is read and not yet acknowledged is bounded; it ends when all is acknowledged. */
import { createReadStream } from 'node:fs'
import { type Command, Option } from 'commander'
import { FanlaneError } from '../../errors.ts'
import type { Producer, ProducerOptions, ProducerRecord } from '../../producer/index.ts'
import { interruption, several, UsageError, whole } from '../command.ts'
import { contextOf, withAdmin } from '../context.ts'
import { linesOf } from '../output/lines.ts'
import { progressOf } from '../output/progress.ts'
import { counted, number } from '../output/table.ts'
import { clock, pause } from '../pause.ts'
import { type Recipe, toRecord } from '../records-in.ts'
import { type Flags, withConnection } from '../settings.ts'

/** So many records are handed over at once, and so many such lots are under way: what is read is bounded. */
const LOT = 500
const LOTS_MAX = 8

export function define(parent: Command): Command {
  return withConnection(parent.command('produce <topic>'))
    .option('--file <file>', 'read this instead of stdin; repeatable', several)
    .addOption(new Option('--format <format>', 'what a line is').choices(['text', 'json']).default('text'))
    .option('--key-separator <text>', 'text: the line is KEY<text>VALUE')
    .option('--key <key>', 'for records that bring none')
    .option('--header <k=v>', 'for every record; repeatable', several)
    .option('--partition <p>', 'write there (default: by key)', whole(0, 2 ** 31 - 1))
    .option('--empty-is-null', 'an empty value is a tombstone')
    .option('--rate <n>', 'records a second, at most', whole(1, 10_000_000))
    .addOption(new Option('--acks <acks>', 'who must have it').choices(['all', '1', '0']).default('all'))
    .addOption(new Option('--compression <name>', 'how to pack').choices(['none', 'gzip', 'snappy', 'lz4', 'zstd']))
    .addHelpText(
      'after',
      `
A JSON line is { "key", "value", "headers", "partition" }, as
'fanlane consume --format json' writes it.

Example: echo 'ada:3' | fanlane produce orders --key-separator :`,
    )
    .action(run)
}

async function run(topic: string, flags: Flags): Promise<void> {
  const context = await contextOf(flags)
  const recipe = recipeOf(topic, flags)
  // That nobody answers is said before anything is read.
  await withAdmin(context, async () => undefined)
  const acks = flags.acks === 'all' ? 'all' : (Number(flags.acks) as 0 | 1)
  const compression = flags.compression as ProducerOptions['compression']
  const producer = await context.producer({
    acks,
    tune: flags.rate === undefined ? 'throughput' : 'latency',
    ...(compression === undefined ? {} : { compression }),
  })
  const startMs = clock.now()
  const stop = interruption()
  const progress = progressOf(`to ${topic}`)
  try {
    const rate = flags.rate as number | undefined
    const count = await copy(recordsOf(sources(flags), recipe, stop), producer, rate, stop, (done) =>
      progress.show(done, null),
    )
    progress.end()
    const seconds = (clock.now() - startMs) / 1_000
    const pace = Math.round(count / Math.max(0.001, seconds))
    context.print.line(`${counted(count, 'record')} to ${topic} in ${seconds.toFixed(1)} s (${number(pace)}/s).`)
    context.print.result({ topic, records: count, seconds: Number(seconds.toFixed(3)), isInterrupted: stop.aborted })
  } finally {
    progress.end()
    await producer.close()
  }
}

function recipeOf(topic: string, flags: Flags): Recipe {
  const format = flags.format as 'text' | 'json'
  const separator = (flags.keySeparator as string | undefined) ?? null
  if (format === 'json' && separator !== null) throw new UsageError('--key-separator is for text; JSON brings its key.')
  if (separator === '') throw new UsageError('--key-separator must not be empty.')
  return {
    topic,
    format,
    separator,
    key: (flags.key as string | undefined) ?? null,
    headers: ((flags.header ?? []) as readonly string[]).map(headerOf),
    partition: (flags.partition as number | undefined) ?? null,
    isEmptyNull: flags.emptyIsNull === true,
  }
}

function headerOf(text: string): readonly [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw new UsageError(`--header takes KEY=VALUE, not '${text}'.`)
  return [text.slice(0, at), text.slice(at + 1)]
}

function sources(flags: Flags): readonly AsyncIterable<Buffer>[] {
  const files = (flags.file ?? []) as readonly string[]
  if (files.length > 0) return files.map((file) => createReadStream(file))
  return [process.stdin as AsyncIterable<Buffer>]
}

async function* recordsOf(
  inputs: readonly AsyncIterable<Buffer>[],
  recipe: Recipe,
  stop: AbortSignal,
): AsyncGenerator<ProducerRecord> {
  // A reader of stdin waits for ever: an interrupt has to wake it.
  stop.addEventListener('abort', () => process.stdin.destroy(), { once: true })
  for (const input of inputs) {
    let line = 0
    try {
      for await (const bytes of linesOf(input)) {
        if (stop.aborted) return
        yield toRecord(bytes, ++line, recipe)
      }
    } catch (error) {
      if (stop.aborted) return
      throw error instanceof FanlaneError ? error : unreadable(error)
    }
  }
}

function unreadable(error: unknown): FanlaneError {
  const said = error instanceof Error ? error.message : String(error)
  return new FanlaneError('INPUT_UNREADABLE', `The input cannot be read: ${said}.`, { cause: error })
}

/** Resolves when all are acknowledged; rejects with the first that was not. */
async function copy(
  records: AsyncIterable<ProducerRecord>,
  producer: Producer,
  rate: number | undefined,
  stop: AbortSignal,
  report: (done: number) => void,
): Promise<number> {
  const startMs = clock.now()
  const underWay = new Set<Promise<unknown>>()
  let failure: { readonly error: unknown } | null = null
  let read = 0
  let done = 0
  let lot: ProducerRecord[] = []
  const hand = async (): Promise<void> => {
    const records = lot
    lot = []
    if (records.length === 0) return
    const sent: Promise<unknown> = producer.send(records).then(
      () => {
        done += records.length
        underWay.delete(sent)
        report(done)
      },
      (error: unknown) => {
        failure ??= { error }
        underWay.delete(sent)
      },
    )
    underWay.add(sent)
    if (underWay.size >= LOTS_MAX) await Promise.race(underWay)
  }
  for await (const record of records) {
    if (failure !== null) break
    lot.push(record)
    read++
    const aheadMs = rate === undefined ? 0 : startMs + (read * 1_000) / rate - clock.now()
    if (lot.length >= LOT || aheadMs > 0) await hand()
    if (aheadMs > 0) await pause(aheadMs, stop)
  }
  await hand()
  await Promise.all(underWay)
  if (failure !== null) throw (failure as { readonly error: unknown }).error
  return done
}
