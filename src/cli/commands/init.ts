/** `fanlane init`: the first files of a project. It overwrites nothing unless it is told to, and writes all or nothing. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { FanlaneError } from '../../errors.ts'
import { Printer } from '../output/printer.ts'
import type { Flags } from '../settings.ts'

export function define(parent: Command): Command {
  return parent
    .command('init [directory]')
    .option('--topic <topic>', 'what to read', 'orders')
    .option('--group <group>', 'the consumer group; default the name of the directory')
    .option('--force', 'overwrite what is there')
    .option('--json', 'print one JSON object as the last line')
    .addHelpText(
      'after',
      `
Writes a handler, a config and a script in package.json.

Example: fanlane init billing --topic orders`,
    )
    .action(run)
}

interface Manifest {
  type?: string
  scripts?: Record<string, string>
  [name: string]: unknown
}

async function run(given: string | undefined, flags: Flags): Promise<void> {
  const directory = resolve(given ?? '.')
  const topic = nameOf('--topic', String(flags.topic))
  const group = nameOf('--group', String(flags.group ?? basename(directory)).replaceAll(/[^a-zA-Z0-9._-]/g, '-'))
  const isForced = flags.force === true
  const manifest = manifestIn(directory)
  // A package that says commonjs means it for every .ts in it.
  const extension = manifest?.type === 'commonjs' ? 'mts' : 'ts'
  const files = new Map([
    [`handler.${extension}`, handlerText()],
    [`fanlane.config.${extension}`, configText(topic, group)],
  ])
  const script = `fanlane run handler.${extension}`
  const taken = [...files.keys()].filter((name) => existsSync(resolve(directory, name)))
  if (manifest?.scripts?.consume !== undefined && manifest.scripts.consume !== script)
    taken.push('package.json scripts.consume')
  if (taken.length > 0 && !isForced) {
    throw new FanlaneError(
      'FILE_EXISTS',
      `Already there: ${taken.join(', ')}. Nothing was written; --force overwrites.`,
    )
  }
  // Not its parents: a wrong path is more likely than a deep one.
  if (!existsSync(directory)) mkdirSync(directory)
  for (const [name, text] of files) writeFileSync(resolve(directory, name), text)
  const next: Manifest = manifest ?? { name: basename(directory).toLowerCase(), private: true, type: 'module' }
  next.scripts = { ...next.scripts, consume: script }
  writeFileSync(resolve(directory, 'package.json'), `${JSON.stringify(next, null, 2)}\n`)
  const print = new Printer(flags.json === true)
  const written = [...files.keys(), 'package.json']
  print.line(`Written: ${written.join(', ')}.`)
  print.line()
  if (directory !== process.cwd()) print.line(`  cd ${relative('.', directory)}`)
  if (manifest === null) print.line('  npm install fanlane')
  print.line('  npm run consume')
  print.line()
  print.line('It reads from localhost:9092. In another terminal, this is')
  print.line('a broker there, and the dashboard:')
  print.line()
  print.line(`  npx fanlane dev --topic ${topic}`)
  print.result({ directory, written, script })
}

/** Goes into a program as text: nothing but what Kafka allows in a name. */
function nameOf(flag: string, text: string): string {
  if (/^[a-zA-Z0-9._-]{1,249}$/.test(text)) return text
  throw new FanlaneError('NAME_INVALID', `${flag} takes letters, digits, '.', '_' and '-', not '${text}'.`)
}

function manifestIn(directory: string): Manifest | null {
  const path = resolve(directory, 'package.json')
  if (!existsSync(path)) return null
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Manifest
  } catch (cause) {
    throw new FanlaneError('PACKAGE_UNREADABLE', `${path} is no JSON: mend it first.`, { cause })
  }
}

function handlerText(): string {
  return `import type { Handler } from 'fanlane'

/** Called for every record: many at once, but never two of the same key. */
const handle: Handler<string, unknown> = async (record, ctx) => {
  ctx.log.info({ key: record.key, offset: record.offset, attempt: ctx.attempt }, 'handled')
}

export default handle
`
}

function configText(topic: string, group: string): string {
  return `import { defineConfig, json, text } from 'fanlane'

export default defineConfig({
  brokers: 'localhost:9092',
  group: '${group}',
  topics: ['${topic}'],
  decode: { key: text(), value: json() },
})
`
}
