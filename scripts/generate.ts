/**
 * Makes src/protocol/generated/ from Kafka's message schemas in vendor/kafka-messages/, and the parts of docs/ that are made from
 * code. `npm run generate` writes them; with `--check` it only tells whether they are what they should be.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sections } from './docs/index.ts'
import { writeSections } from './docs/sections.ts'
import { Emitter } from './protocol/emit.ts'
import { type Message, parseMessage } from './protocol/schema.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const source = join(root, 'vendor', 'kafka-messages')
const target = join(root, 'src', 'protocol', 'generated')

const banner = `/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run \`npm run generate\`.
 */
`

const helpers: Readonly<Record<string, readonly string[]>> = {
  '../reader.ts': [
    'readNullableScalars',
    'readNullableStruct',
    'readNullableStructs',
    'readScalars',
    'readStructs',
    'scalar',
  ],
  '../protocol-error.ts': ['unsupportedField'],
  '../types.ts': ['zeroUuid'],
}

function generate(): Map<string, string> {
  const messages = readdirSync(source)
    .filter((f) => f.endsWith('.json'))
    .map((f) => parseMessage(readFileSync(join(source, f), 'utf8')))
  const files = new Map<string, string>()
  const requests = messages.filter((m) => m.kind === 'request').sort((a, b) => a.apiKey - b.apiKey)
  for (const request of requests) {
    const response = messages.find((m) => m.kind === 'response' && m.apiKey === request.apiKey)
    if (response === undefined) throw new Error(`no response for ${request.name}`)
    files.set(apiFile(request), apiModule(request, response))
  }
  for (const message of messages) {
    if (message.kind === 'request' || message.kind === 'response') continue
    files.set(`${kebab(message.name)}.ts`, module([message]) + recordConstants(message))
  }
  files.set('apis.ts', table(requests))
  return files
}

function apiFile(request: Message): string {
  return `${String(request.apiKey).padStart(2, '0')}-${kebab(apiName(request))}.ts`
}

function apiName(request: Message): string {
  return request.name.replace(/Request$/, '')
}

function kebab(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
}

function camel(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1)
}

/** Reading and writing of all structs of the messages, with the imports that they turned out to need. */
function module(messages: readonly Message[], extra = '', firstImports = ''): string {
  const names = messages.map((m) => new Set(m.structs.map((s) => s.name)))
  const used = new Set<string>()
  const bodies = messages.map((message, i) => {
    const others = names.filter((_, j) => j !== i)
    const rename = (s: string): string => (others.some((o) => o.has(s)) ? `${message.name}${s}` : s)
    const emitter = new Emitter(message, rename)
    const body = emitter.emit()
    for (const name of emitter.used) used.add(name)
    return body
  })
  return `${banner}${firstImports}${imports(used)}\n${bodies.join('\n\n')}\n${extra}`
}

function imports(used: ReadonlySet<string>): string {
  const lines: string[] = []
  const readers = (helpers['../reader.ts'] ?? []).filter((n) => used.has(n))
  if (used.has('unsupportedField')) lines.push(`import { unsupportedField } from '../protocol-error.ts'`)
  lines.push(
    `import { ${['type Reader', ...readers].join(', ')} } from '../reader.ts'`.replace(
      /^import \{ type Reader \}/,
      'import type { Reader }',
    ),
  )
  const types = ['Input', 'UnknownTag', 'Uuid'].filter((n) => used.has(n)).map((n) => `type ${n}`)
  const values = used.has('zeroUuid') ? ['zeroUuid'] : []
  if (values.length > 0) lines.push(`import { ${[...types, ...values].join(', ')} } from '../types.ts'`)
  else lines.push(`import type { ${types.map((t) => t.slice(5)).join(', ')} } from '../types.ts'`)
  lines.push(
    used.has('WriterValue') ? `import { Writer } from '../writer.ts'` : `import type { Writer } from '../writer.ts'`,
  )
  const constants = used.has('noBytes') ? '\nconst noBytes: Buffer = Buffer.alloc(0)\n' : ''
  return `${lines.join('\n')}\n${constants}`
}

function apiModule(request: Message, response: Message): string {
  const name = apiName(request)
  const flexibleFrom =
    request.flexible.min <= request.flexible.max ? String(request.flexible.min) : 'Number.POSITIVE_INFINITY'
  const api = `
export const ${camel(name)}Api: Api<${request.name}, ${response.name}> = {
  key: ${request.apiKey},
  name: '${name}',
  minVersion: ${request.versions.min},
  maxVersion: ${request.stableMax},
  flexibleFrom: ${flexibleFrom},
  readRequest: read${request.name},
  writeRequest: write${request.name},
  readResponse: read${response.name},
  writeResponse: write${response.name},
}
`
  return module([request, response], api, `import type { Api } from '../api.ts'\n`)
}

function recordConstants(message: Message): string {
  const name = camel(message.name)
  const key = message.kind.startsWith('coordinator') ? `export const ${name}Type = ${message.apiKey}\n` : ''
  return `${key}export const ${name}Versions = { min: ${message.versions.min}, max: ${message.stableMax} } as const\n`
}

function table(requests: readonly Message[]): string {
  const names = requests.map((r) => `${camel(apiName(r))}Api`)
  const lines = [
    `import type { AnyApi } from '../api.ts'`,
    ...requests.map((r, i) => `import { ${names[i]} } from './${apiFile(r)}'`),
  ]
  return `${banner}${lines.join('\n')}\n\n/** Every API, by its key. For tools and tests: a server or client imports the few that it speaks. */\nexport const apis: readonly AnyApi[] = [\n${names.map((n) => `  ${n} as unknown as AnyApi,`).join('\n')}\n]\n`
}

function main(): void {
  const files = generate()
  if (process.argv.includes('--check')) {
    const present = readdirSync(target).sort()
    const wrong = [...files].filter(
      ([name, text]) => !present.includes(name) || readFileSync(join(target, name), 'utf8') !== text,
    )
    const extra = present.filter((name) => !files.has(name))
    for (const [name] of wrong)
      console.error(`src/protocol/generated/${name} is not what the schemas say: run npm run generate`)
    for (const name of extra) console.error(`src/protocol/generated/${name} comes from no schema: run npm run generate`)
    const pages = writeSections(sections, true)
    for (const page of pages) console.error(`${page} is not what the code says: run npm run generate`)
    process.exitCode = wrong.length + extra.length + pages.length > 0 ? 1 : 0
    return
  }
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  for (const [name, text] of files) writeFileSync(join(target, name), text)
  console.log(`${files.size} files written to src/protocol/generated`)
  for (const page of writeSections(sections, false)) console.log(`${page} written`)
}

main()
