/**
 * The order of the guide: one list behind its index, the links at the foot of every page, and the static site. A page in
 * docs/guide that is not in this list is refused.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../files.ts'
import type { Section } from './sections.ts'

export interface GuidePage {
  /** In docs/guide/. */
  readonly file: string
  readonly title: string
  /** What it is about, in one line. */
  readonly line: string
}

export interface Chapter {
  readonly title: string
  readonly pages: readonly GuidePage[]
}

type Row = readonly [file: string, title: string, line: string]

const chapter = (title: string, ...rows: readonly Row[]): Chapter => ({
  title,
  pages: rows.map(([file, pageTitle, line]) => ({ file, title: pageTitle, line })),
})

const ALL: readonly Chapter[] = [
  chapter(
    'Begin',
    ['demo.md', 'The demo', 'see the difference in a minute, and break things on purpose'],
    ['first-consumer.md', 'Your first consumer', 'a whole program, what a handler gets, how to look in and to steer'],
    ['kafka.md', 'Connecting to Kafka', 'addresses, TLS, passwords, the group'],
    ['producing.md', 'Producing', 'writing records outside of handlers, transactions'],
  ),
  chapter(
    'What you decide',
    ['order.md', 'Order', 'what runs one after the other, and what side by side'],
    ['delivery.md', 'Delivery', 'what a crash may do to a record'],
    ['at-least-once.md', 'At least once', 'the default, and how little it repeats'],
    ['at-most-once.md', 'At most once', 'never twice, perhaps never'],
    ['exactly-once.md', 'Exactly once', 'read, compute, write: in one transaction'],
    ['retries.md', 'Retries and dead letters', 'what follows a failure'],
    ['engines.md', 'Engines', 'on the event loop, in threads, in processes, or elsewhere'],
  ),
  chapter(
    'Every day',
    ['dashboard.md', 'The dashboard', 'what it is waiting for, at three in the morning'],
    ['metrics.md', 'Metrics', 'Prometheus, OpenTelemetry, alerts'],
    ['testing.md', 'Testing your handlers', 'a log in memory, and a simulator that crashes your consumers'],
    ['broker.md', 'A Kafka in your process', 'the embedded broker, and how to make it fail'],
    ['production.md', 'Before production', 'a checklist'],
  ),
  chapter(
    'Recipes',
    ['recipes.md', 'Recipes', 'idempotent writes, outbox, fan-out, rate limits, long jobs'],
    ['dedup.md', 'Nothing twice', 'dedup stores, and your own transaction'],
    ['outbox.md', 'Outbox', 'tell Kafka what your database did'],
    ['integrations.md', 'Integrations', 'NestJS, Fastify, schema registry, CloudEvents'],
  ),
  chapter(
    'Moving here',
    ['from-kafkajs.md', 'From KafkaJS', 'option by option, and member by member in one group'],
    ['from-parallel-consumer.md', 'From Confluent Parallel Consumer', 'option by option'],
  ),
  chapter(
    'Look up',
    ['how-it-works.md', 'How it works', 'in a few pictures'],
    ['cli.md', 'Command line', 'every command'],
    ['configuration.md', 'Configuration', 'flags, environment, config file'],
    ['reference.md', 'Reference', 'every option, event and field'],
  ),
]

const directory = join(root, 'docs/guide')

export const chapters: readonly Chapter[] = ALL.map(({ title, pages }) => ({
  title,
  pages: pages.filter(({ file }) => existsSync(join(directory, file))),
}))

export const guidePages: readonly GuidePage[] = chapters.flatMap(({ pages }) => pages)

const FROM = 'scripts/docs/guide.ts'

function index(): string {
  let number = 0
  return chapters
    .map(({ title, pages }) => {
      const lines = pages.map(({ file, title: name, line }) => `${++number}. [${name}](${file}): ${line}`)
      return `## ${title}\n\n${lines.join('\n')}`
    })
    .join('\n\n')
}

function foot(at: number): string {
  const before = guidePages[at - 1]
  const after = guidePages[at + 1]
  const links = [
    ...(before === undefined ? [] : [`← [${before.title}](${before.file})`]),
    '[Guide](README.md)',
    ...(after === undefined ? ['[Errors](../errors.md) →'] : [`[${after.title}](${after.file}) →`]),
  ]
  return `---\n\n${links.join(' · ')}`
}

export function guideSections(): readonly Section[] {
  const known = new Set(['README.md', ...guidePages.map(({ file }) => file)])
  for (const file of readdirSync(directory)) {
    if (!known.has(file)) throw new Error(`docs/guide/${file} has no place in the guide: add it to ${FROM}`)
  }
  const feet = guidePages.map(({ file }, at) => ({
    page: `docs/guide/${file}`,
    from: FROM,
    text: () => foot(at),
    isFoot: true,
  }))
  return [{ page: 'docs/guide/README.md', from: FROM, text: index }, ...feet]
}
