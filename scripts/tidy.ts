/**
 * The house rules that a compiler does not know: who may import whom, what may appear where, how long a file may be.
 * `tidy(files)` is a plain function over file contents, so test/tidy.test.ts can plant violations and see each one found.
 * Run alone: `npm run tidy`.
 */
import { dirname, join } from 'node:path/posix'
import { repositoryFiles, type TextFile } from './files.ts'
import { type Import, importsOf, type Token, tokenize } from './tokens.ts'

export type Violation = {
  readonly rule: string
  readonly path: string
  readonly line: number
  readonly message: string
}

// ---------------------------------------------------------------------------------------------------------------------
// The tables. A new room or a new exception is one line here, with its reason.
// ---------------------------------------------------------------------------------------------------------------------

type Wall = {
  /** Rooms, or single files of them, that it may import from, for values and types. */
  readonly values: readonly string[] | 'any'
  /** Rooms it may import from by `import type` only. */
  readonly types: readonly string[]
  /** npm packages and node: modules. */
  readonly packages: 'none' | 'types' | 'any'
}

/** Who may import whom. A room is a folder of src/, or a file directly in it; its own files are always within reach. */
// biome-ignore format: a table is read by its columns
export const walls: Readonly<Record<string, Wall>> = {
  kernel:       { values: [],                         types: [],                      packages: 'none' },
  'errors.ts':  { values: [],                         types: [],                      packages: 'none' },
  ports:        { values: [],                         types: ['kernel', 'errors.ts'], packages: 'types' },
  runtime:      { values: ['kernel', 'errors.ts'],    types: ['ports'],               packages: 'any' },
  engines:      { values: ['errors.ts', 'system-clock.ts'], types: ['kernel', 'ports'], packages: 'any' },
  stores:       { values: ['producer', 'errors.ts', 'system-clock.ts'], types: ['kernel', 'ports'], packages: 'any' },
  protocol:     { values: ['errors.ts'],              types: [],                      packages: 'any' },
  cluster:      { values: ['protocol', 'errors.ts'],  types: ['ports'],               packages: 'any' },
  producer:     { values: ['cluster', 'protocol', 'errors.ts'], types: ['kernel', 'ports'], packages: 'any' },
  admin:        { values: ['cluster', 'protocol', 'errors.ts'], types: ['ports'],     packages: 'any' },
  'system-clock.ts': { values: [],                    types: ['ports'],               packages: 'any' },
  // The hash of a lane is computed where the bytes of the key are.
  clients:      { values: ['producer', 'cluster', 'protocol', 'errors.ts', 'system-clock.ts', 'kernel/lane-hash.ts'], types: ['kernel', 'ports'], packages: 'any' },
  broker:       { values: ['protocol', 'errors.ts'],  types: [],                      packages: 'any' },
  telemetry:    { values: ['errors.ts'],              types: ['kernel', 'ports', 'engines'], packages: 'any' },
  dashboard:    { values: ['telemetry', 'kernel', 'errors.ts'], types: ['ports', 'admin'], packages: 'any' },
  consumer:     { values: ['kernel', 'errors.ts'],    types: ['ports', 'runtime', 'engines', 'clients', 'telemetry', 'dashboard'], packages: 'any' },
  config:       { values: ['consumer', 'errors.ts'], types: [],                      packages: 'any' },
  'dead-letters': { values: ['admin', 'producer', 'clients', 'cluster', 'protocol', 'kernel', 'consumer', 'errors.ts', 'system-clock.ts'], types: ['ports'], packages: 'any' },
  testing:      { values: 'any',                      types: [],                      packages: 'any' },
  cli:          { values: 'any',                      types: [],                      packages: 'any' },
  'create-producer.ts': { values: 'any',              types: [],                      packages: 'any' },
  'compose.ts': { values: 'any',                      types: [],                      packages: 'any' },
  'consume.ts': { values: 'any',                      types: [],                      packages: 'any' },
  'consume-worker.ts': { values: 'any',               types: [],                      packages: 'any' },
  'open-dashboard.ts': { values: 'any',               types: [],                      packages: 'any' },
  'create-admin.ts': { values: 'any',                 types: [],                      packages: 'any' },
  'embedded.ts': { values: ['broker', 'errors.ts'],   types: [],                      packages: 'any' },
  // Guests of the public surface: they could live in another package.
  integrations: { values: ['index.ts', 'errors.ts', 'dashboard', 'system-clock.ts'], types: ['ports'], packages: 'any' },
  'index.ts':   { values: 'any',                      types: [],                      packages: 'any' },
}

type Ban = {
  readonly rule: string
  /** Tokens that must not follow one another, separated by spaces. */
  readonly sequences: readonly string[]
  readonly within: readonly string[]
  /** Path prefix → why it is excepted. */
  readonly except: Readonly<Record<string, string>>
  readonly message: string
}

/** Who may set a timer without asking the clock port, and why. */
const rawTimers: Readonly<Record<string, string>> = {
  'src/system-clock.ts': 'the one real clock',
  'src/broker/': 'a server of its own, never inside the simulated loop',
  'src/dashboard/page/': 'runs in a browser, where there is no clock port',
  'src/testing/': 'the simulator drains real microtasks between simulated events',
}
const rawTimersMessage = 'take timers from the clock port, so that the simulator can own time'

const everywhere = ['src/', 'test/', 'scripts/', 'bench/', 'examples/']

const bans: readonly Ban[] = [
  {
    rule: 'kernel-clock',
    sequences: ['Date', 'performance'],
    within: ['src/kernel/'],
    except: {},
    message: 'the kernel has no clock: take nowMs as an argument',
  },
  {
    rule: 'kernel-random',
    sequences: ['Math . random', 'crypto'],
    within: ['src/kernel/'],
    except: {},
    message: 'the kernel has no chance: take a random number as an argument',
  },
  {
    rule: 'kernel-async',
    sequences: ['async', 'await', 'Promise'],
    within: ['src/kernel/'],
    except: {},
    message: 'the kernel is synchronous: return a command and let the runtime wait',
  },
  {
    rule: 'raw-timer',
    sequences: ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'].flatMap((t) => [t, `globalThis . ${t}`]),
    within: ['src/'],
    except: rawTimers,
    message: rawTimersMessage,
  },
  {
    rule: 'any-cast',
    sequences: ['as any', '< any >'],
    within: everywhere,
    except: {},
    message: 'name the type, or use unknown and narrow it',
  },
  {
    rule: 'focused-test',
    sequences: ['. only (', 'only : true'],
    within: ['test/'],
    except: {},
    message: 'a focused test silently switches all others off',
  },
  {
    rule: 'console',
    sequences: ['console .'],
    within: everywhere,
    except: {
      'src/cli/': 'talks to a terminal',
      'scripts/': 'talk to a terminal',
      'bench/': 'talk to a terminal',
      'examples/': 'talk to a terminal',
    },
    message: 'log through the logger',
  },
]

const linesMax = 400
/** Files in src/ that may be longer, each with its reason. Generated files need no entry. */
const longFiles: Readonly<Record<string, string>> = {}

// The needles are put together here so that this file does not find itself.
const texts: readonly { rule: string; pattern: RegExp; except: Readonly<Record<string, string>>; message: string }[] = [
  {
    rule: 'marker',
    pattern: new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX'].join('|')})\\b`),
    except: { 'package-lock.json': 'its hashes are random letters' },
    message: 'do it now, or write it down where work is planned',
  },
  {
    rule: 'machine-path',
    pattern: new RegExp(`(?<![\\w.-])/(${['work', 'root', 'home'].join('|')})/`),
    except: {},
    message: 'an absolute path of one machine',
  },
  {
    rule: 'registry-host',
    pattern: new RegExp(
      ['registry.' + 'npmjs', 'registry.' + 'yarnpkg', 'repo1.' + 'maven', 'repo.' + 'maven'].join('|'),
    ),
    except: {},
    message: 'names no registry: whoever installs brings their own',
  },
  {
    rule: 'registry-host',
    pattern: /"resolved": ?"http/,
    except: {},
    message: 'install with this repository’s .npmrc, which keeps hosts out of the lockfile',
  },
  {
    rule: 'ts-ignore',
    pattern: new RegExp('@ts-' + '(ignore|nocheck)'),
    except: {},
    message: 'fix the type, or use @ts-expect-error with the reason',
  },
]

// ---------------------------------------------------------------------------------------------------------------------
// The checks.
// ---------------------------------------------------------------------------------------------------------------------

type Parsed = TextFile & { readonly tokens: readonly Token[]; readonly imports: readonly Import[] }

/** Everything that is out of order in these files; an empty list is a tidy house. */
export function tidy(files: readonly TextFile[]): Violation[] {
  const parsed = files
    .filter(({ path }) => path.endsWith('.ts') && everywhere.some((folder) => path.startsWith(folder)))
    .map((file): Parsed => {
      const tokens = tokenize(file.text)
      return { ...file, tokens: tokens.filter(({ kind }) => kind !== 'comment'), imports: importsOf(tokens) }
    })
  const sources = parsed.filter(({ path }) => path.startsWith('src/') && !path.includes('/generated/'))
  return [
    ...sources.flatMap(checkWalls),
    ...sources.flatMap(checkPorts),
    ...checkCycles(sources),
    ...parsed.flatMap(checkBans),
    ...parsed.flatMap(checkEmptyCatch),
    ...files.flatMap(checkTexts),
    ...checkLength(sources),
  ]
}

/** src/kernel/lease.ts → kernel; src/index.ts → index.ts */
const roomOf = (path: string): string => path.split('/')[1] as string

function checkWalls({ path, imports }: Parsed): Violation[] {
  const room = roomOf(path)
  const wall = walls[room]
  const report = (line: number, message: string): Violation => ({ rule: 'wall', path, line, message })
  if (wall === undefined)
    return [report(1, `src/${room} is a new room: give it a line in the walls of scripts/tidy.ts`)]

  return imports.flatMap(({ specifier, kind, line }): Violation[] => {
    if (specifier === '<computed>') {
      return wall.packages === 'none' ? [report(line, `${room} may not import a computed module`)] : []
    }
    if (/^fanlane(\/|$)/.test(specifier)) return [report(line, `import ${specifier} by its relative path`)]
    if (!specifier.startsWith('.')) {
      if (/^(node:)?timers(\/|$)/.test(specifier) && !isExcepted(path, rawTimers)) {
        return [{ rule: 'raw-timer', path, line, message: rawTimersMessage }]
      }
      const allowed = wall.packages === 'any' || (wall.packages === 'types' && kind === 'type')
      return allowed ? [] : [report(line, `${room} may not import ${specifier}${hint(wall.packages === 'types')}`)]
    }
    const target = join(dirname(path), specifier)
    if (!target.startsWith('src/')) {
      return kind === 'url' || wall.values === 'any' ? [] : [report(line, `${room} may not import ${target}`)]
    }
    const to = roomOf(target)
    if (to === room || wall.values === 'any' || wall.values.includes(to)) return []
    if (wall.values.includes(target.slice('src/'.length))) return []
    if (kind === 'type' && wall.types.includes(to)) return []
    return [report(line, `${room} may not import ${to}${hint(wall.types.includes(to))}`)]
  })
}

const hint = (typesAllowed: boolean): string => (typesAllowed ? ' except by "import type"' : '')

/** Ports are the words that rooms share: types only, so that importing one pulls in no code. */
function checkPorts({ path, tokens }: Parsed): Violation[] {
  if (roomOf(path) !== 'ports') return []
  let depth = 0
  return tokens.flatMap((token, i): Violation[] => {
    if (token.kind === 'punct' && '{(['.includes(token.text)) depth++
    if (token.kind === 'punct' && '})]'.includes(token.text)) depth--
    const declares = depth === 0 && token.kind === 'word' && valueWords.has(token.text)
    const isExport = isCode(token, 'export') && ['{', '*', 'default'].some((text) => isCode(tokens[i + 1], text))
    if (!(declares && !isCode(tokens[i - 1], 'declare')) && !isExport) return []
    return [{ rule: 'ports-types', path, line: token.line, message: 'ports hold types only: code lives with its user' }]
  })
}
const valueWords = new Set(['const', 'let', 'var', 'function', 'class', 'enum'])

/** Rings of imports, types included: whoever reads one file of a ring has to read them all. */
function checkCycles(sources: readonly Parsed[]): Violation[] {
  const edges = new Map(
    sources.map(({ path, imports }) => {
      const relative = imports.filter(({ specifier, kind }) => specifier.startsWith('.') && kind === 'value')
      return [path, relative.map(({ specifier, line }) => ({ to: join(dirname(path), specifier), line }))]
    }),
  )
  const violations: Violation[] = []
  const finished = new Set<string>()
  const visit = (path: string, trail: readonly string[]): void => {
    for (const { to, line } of edges.get(path) ?? []) {
      const start = trail.indexOf(to)
      if (start !== -1) {
        violations.push({ rule: 'cycle', path, line, message: [...trail.slice(start), to].join(' → ') })
      } else if (!finished.has(to)) visit(to, [...trail, to])
    }
    finished.add(path)
  }
  for (const path of edges.keys()) if (!finished.has(path)) visit(path, [path])
  return violations
}

function checkBans({ path, tokens }: Parsed): Violation[] {
  return bans
    .filter(({ within, except }) => within.some((p) => path.startsWith(p)) && !isExcepted(path, except))
    .flatMap(({ rule, sequences, message }) =>
      sequences.flatMap((sequence) => {
        const wanted = sequence.split(' ')
        return tokens.flatMap((token, i): Violation[] => {
          if (!wanted.every((text, j) => isCode(tokens[i + j], text))) return []
          // `.async` and `async:` are names of somebody's property, not the thing itself.
          const isProperty = wanted.length === 1 && (isCode(tokens[i - 1], '.') || isCode(tokens[i + 1], ':'))
          return isProperty ? [] : [{ rule, path, line: token.line, message: `${wanted.join('')}: ${message}` }]
        })
      }),
    )
}

/** `catch {}`, also with nothing but a comment in it, and `.catch(() => {})`. */
function checkEmptyCatch({ path, tokens }: Parsed): Violation[] {
  return tokens.flatMap((token, i): Violation[] => {
    if (!isCode(token, 'catch')) return []
    let at = i + 1
    if (isCode(tokens[at], '(')) {
      const stop = isCode(tokens[i - 1], '.') ? '=>' : ')'
      while (at < tokens.length && !isCode(tokens[at], stop)) at++
      at++
    }
    if (!isCode(tokens[at], '{') || !isCode(tokens[at + 1], '}')) return []
    return [
      { rule: 'empty-catch', path, line: token.line, message: 'an error vanishes here: handle, count or return it' },
    ]
  })
}

function checkTexts({ path, text }: TextFile): Violation[] {
  return texts
    .filter(({ except }) => !isExcepted(path, except))
    .flatMap(({ rule, pattern, message }) =>
      text.split('\n').flatMap((content, i): Violation[] => {
        const found = pattern.exec(content)
        return found === null ? [] : [{ rule, path, line: i + 1, message: `${found[0]}: ${message}` }]
      }),
    )
}

function checkLength(sources: readonly Parsed[]): Violation[] {
  return sources.flatMap(({ path, text }): Violation[] => {
    const lines = text.trimEnd().split('\n').length
    if (lines <= linesMax || path in longFiles) return []
    return [
      { rule: 'long-file', path, line: linesMax + 1, message: `${lines} lines: split it, or list it with a reason` },
    ]
  })
}

const isExcepted = (path: string, except: Readonly<Record<string, string>>): boolean =>
  Object.keys(except).some((prefix) => path.startsWith(prefix))

const isCode = (token: Token | undefined, text: string): boolean =>
  token !== undefined && token.text === text && (token.kind === 'word' || token.kind === 'punct')

export const format = ({ path, line, rule, message }: Violation): string => `${path}:${line} ${rule}: ${message}`

if (import.meta.main) {
  const violations = tidy(repositoryFiles())
  for (const violation of violations) console.error(format(violation))
  console.log(`tidy: ${violations.length} violations`)
  process.exitCode = violations.length === 0 ? 0 : 1
}
