/** `fanlane dlq`: dead letters, and the way back. What is written, and that nothing goes twice, is in src/dead-letters. */
import type { Command } from 'commander'
import type { DeadLetterBox, Letter, LetterPlace } from '../../dead-letters/box.ts'
import { FanlaneError } from '../../errors.ts'
import { interruption, several, UsageError, whole } from '../command.ts'
import { type Context, contextOf, withAdmin } from '../context.ts'
import { harmless } from '../output/harmless.ts'
import { shaded } from '../output/printer.ts'
import { progressOf } from '../output/progress.ts'
import { type Column, number } from '../output/table.ts'
import { type Flags, withConnection } from '../settings.ts'

const COUNT_DEFAULT = 20

export function define(parent: Command): Command {
  const dlq = parent.command('dlq').addHelpText(
    'after',
    `
A letter is named as it is listed: orders.dlq-0@42.

Example: fanlane dlq ls orders.dlq
         fanlane dlq redrive orders.dlq --dry-run`,
  )
  const named = (command: Command): Command =>
    withConnection(command).option(
      '--dlq-topic <topic>',
      'a dead-letter topic that does not end in .dlq; repeatable',
      several,
    )
  named(dlq.command('ls [topic]').description('dead-letter topics, and their letters, newest first (default)'))
    .option('--group <group>', 'only letters of this group')
    .option('--count <n>', 'how many', whole(1, 1_000), COUNT_DEFAULT)
    .option('--before <mark>', 'go on where the page before ended')
    .action(list)
  named(dlq.command('show <letter>').description('one letter, with its payload')).action(show)
  named(dlq.command('redrive <topic-or-letter>').description('send letters back to where they came from'))
    .option('--dry-run', 'only say what would go, and where')
    .option('--yes', 'do it')
    .addHelpText(
      'after',
      `
No letter goes twice, whatever happens in between: how far it
came is committed together with what was sent. Letters of one
key go in their old order, behind what is in the topic already.
Whose source cannot be told stay, and are named.`,
    )
    .action(redrive)
  return dlq
}

async function withBox<Result>(
  context: Context,
  flags: Flags,
  work: (box: DeadLetterBox) => Promise<Result>,
): Promise<Result> {
  // Says quickly, and in good words, if nobody is there.
  await withAdmin(context, async () => undefined)
  const { openDeadLetterBox } = await import('../../dead-letters/box.ts')
  const topics = flags.dlqTopic as readonly string[] | undefined
  const { brokers, client } = context
  const box = await openDeadLetterBox({ brokers, client, ...(topics === undefined ? {} : { topics }) })
  try {
    return await work(box)
  } finally {
    await box.close()
  }
}

const letterColumns: readonly Column<Letter>[] = [
  { title: 'LETTER', of: nameOf, isWhole: true },
  { title: 'WHEN', of: ({ at }) => timeOf(at), spare: 2, isWhole: true },
  { title: 'KEY', of: ({ key }) => key },
  { title: 'ERROR', of: ({ errorCode }) => errorCode },
  { title: 'TRIES', of: ({ attempts }) => attempts, spare: 3 },
  { title: 'FROM', of: ({ source }) => sourceOf(source), spare: 1 },
  { title: 'GROUP', of: ({ group }) => group, spare: 4 },
  {
    title: 'STATE',
    of: ({ redriven }) => (redriven ? 'redriven' : 'here'),
    spare: 1,
    style: (text, { redriven }) => (redriven ? shaded('faint', text) : text),
  },
]

async function list(topic: string | undefined, flags: Flags): Promise<void> {
  const context = await contextOf(flags)
  const { print } = context
  await withBox(context, flags, async (box) => {
    const topics = await box.topics()
    if (topic === undefined && topics.length > 0) {
      print.table(
        [
          { title: 'TOPIC', of: (each) => each.topic },
          { title: 'LETTERS', of: ({ letters }) => letters },
        ],
        topics,
      )
      print.line()
    }
    const { letters, before } = await box.list({
      count: flags.count as number,
      ...(topic === undefined ? {} : { topic }),
      ...(flags.group === undefined ? {} : { group: String(flags.group) }),
      ...(flags.before === undefined ? {} : { before: String(flags.before) }),
    })
    if (letters.length === 0) print.line('No letters here.')
    else print.table(letterColumns, letters)
    if (before !== null) print.line(shaded('faint', `There are more: --before ${before}`))
    print.result({ topics, letters, before })
  })
}

async function show(name: string, flags: Flags): Promise<void> {
  const at = placeOf(name)
  if (at === null)
    throw new UsageError(`A letter is named TOPIC-PARTITION@OFFSET, as 'fanlane dlq ls' does, not '${name}'.`)
  const context = await contextOf(flags)
  const { print } = context
  await withBox(context, flags, async (box) => {
    const content = await box.show(at)
    if (content === null) throw new FanlaneError('LETTER_UNKNOWN', `There is no letter ${name}: it may have expired.`)
    const { letter, key, value, headers } = content
    print.line(shaded('strong', nameOf(letter)))
    const rows: [string, string | null][] = [
      ['when', timeOf(letter.at)],
      ['from', sourceOf(letter.source)],
      ['group', letter.group],
      ['error', letter.errorCode],
      ['message', letter.errorMessage],
      ['tries', letter.attempts === null ? null : String(letter.attempts)],
      ['redriven', letter.redriven ? 'yes' : 'no'],
      ['key', key],
    ]
    for (const [what, text] of rows) print.line(`${what.padEnd(9)} ${harmless(text ?? '–')}`)
    for (const header of headers) print.line(`header    ${harmless(`${header.key}: ${header.value ?? '–'}`)}`)
    print.line()
    print.line(value === null ? '(a tombstone)' : value.split('\n').map(harmless).join('\n'))
    print.result(content)
  })
}

async function redrive(name: string, flags: Flags): Promise<void> {
  const isDry = flags.dryRun === true
  if (!isDry && flags.yes !== true) {
    throw new UsageError(
      `This writes the letters of ${name} to where they came from: look with --dry-run, then say --yes.`,
    )
  }
  const context = await contextOf(flags)
  const { print } = context
  const at = placeOf(name)
  const topic = at?.topic ?? name
  await withBox(context, flags, async (box) => {
    const stop = interruption()
    const progress = progressOf(`redriving ${topic}`)
    const done = await box
      .redrive({
        topic,
        dryRun: isDry,
        signal: stop,
        progress: (count, total) => progress.show(count, total),
        ...(at === null ? {} : { at: { partition: at.partition, offset: at.offset } }),
      })
      .finally(() => progress.end())
    if (done.letters !== undefined && done.letters.length > 0) print.table(letterColumns, done.letters)
    for (const { letter, why } of done.left) print.line(`${shaded('warn', nameOf(letter))} stays: ${harmless(why)}.`)
    const verb = isDry ? 'would be redriven' : 'redriven'
    print.line(`${number(done.redriven)} ${verb}, ${number(done.skipped)} skipped.`)
    if (stop.aborted) print.line('Interrupted: run it again to go on.')
    print.result({ topic, dryRun: isDry, ...done, isInterrupted: stop.aborted })
  })
}

function placeOf(name: string): LetterPlace | null {
  const match = /^(.+)-(\d{1,10})@(\d{1,15})$/.exec(name)
  return match?.[1] === undefined ? null : { topic: match[1], partition: Number(match[2]), offset: Number(match[3]) }
}

function nameOf({ topic, partition, offset }: LetterPlace): string {
  return `${topic}-${partition}@${offset}`
}

function sourceOf(source: Letter['source']): string | null {
  return source === null ? null : nameOf(source)
}

function timeOf(at: number): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString().replace('T', ' ').slice(0, 19)
}
