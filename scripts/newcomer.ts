/**
 * `npm run newcomer`: what somebody meets who has never seen this repository. HEAD is cloned into an empty directory, with an
 * empty npm cache and an empty HOME; then the two commands of the README and the first page of the guide are run to the
 * letter, and each step is timed.
 *
 *   --quick   without `npm test`
 *   --json    one JSON object as the last line
 *   --keep    leave the directory where it is
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { codeBlocks } from './docs/code-blocks.ts'
import { guidePages } from './docs/guide.ts'
import { root } from './files.ts'
import { orUsage } from './usage.ts'

const HELP = 'npm run newcomer [-- --quick] [--json] [--keep]'
const STEP_MS_MAX = 30 * 60_000

interface Step {
  readonly name: string
  readonly command: string
}

interface Done extends Step {
  readonly seconds: number
  readonly exitCode: number | null
}

const { values } = orUsage(HELP, () =>
  parseArgs({ options: { quick: { type: 'boolean' }, json: { type: 'boolean' }, keep: { type: 'boolean' } } }),
)
const say = (line: string): void => (values.json === true ? console.error(line) : console.log(line))

const base = mkdtempSync(join(tmpdir(), 'fanlane-newcomer-'))
const home = join(base, 'home')
const clone = join(base, 'fanlane')
mkdirSync(home)

/** The group of processes of the step under way. */
let running: number | null = null

function endAll(): void {
  if (running !== null) process.kill(-running, 'SIGKILL')
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    endAll()
    rmSync(base, { recursive: true, force: true })
    process.exit(130)
  })
}

/** Where packages come from is the machine's business; everything else begins empty. */
function emptyEnv(): NodeJS.ProcessEnv {
  const kept = [
    'PATH',
    'LANG',
    'TERM',
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'NO_PROXY',
    'http_proxy',
    'https_proxy',
    'no_proxy',
  ]
  const own = Object.fromEntries(
    kept.map((name) => [name, process.env[name]]).filter(([, value]) => value !== undefined),
  )
  const path = (process.env.PATH ?? '').split(':').filter((each) => !each.includes('node_modules'))
  const certificates = process.env.NODE_EXTRA_CA_CERTS
  return {
    ...own,
    ...(certificates === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificates }),
    PATH: path.join(':'),
    HOME: home,
    npm_config_cache: join(base, 'npm-cache'),
    ...registry(),
    // Nobody looks: no colours, no questions.
    CI: '1',
  }
}

/** A registry that was set up for this machine is still the one that can be reached. */
function registry(): Record<string, string> {
  const given = process.env.npm_config_registry
  return given === undefined ? {} : { npm_config_registry: given }
}

function run({ name, command }: Step, cwd: string): Promise<Done> {
  say(`… ${name}: ${command}`)
  const startedAt = performance.now()
  const child = spawn(command, { cwd, shell: true, env: emptyEnv(), stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  running = child.pid ?? null
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-20_000)
    })
  }
  const timer = setTimeout(endAll, STEP_MS_MAX)
  return new Promise((resolve) => {
    child.on('close', (exitCode) => {
      clearTimeout(timer)
      running = null
      const seconds = Math.round((performance.now() - startedAt) / 100) / 10
      say(`${exitCode === 0 ? '✔' : '✖'} ${name} (${seconds} s)`)
      if (exitCode !== 0) say(output)
      resolve({ name, command, seconds, exitCode })
    })
  })
}

/** The blocks of the first page: shell lines as they stand, programs as files beside them. */
function firstPage(): readonly Step[] {
  const page = `docs/guide/${guidePages[0]?.file}`
  const blocks = codeBlocks(page, readFileSync(join(clone, page), 'utf8'))
  let programs = 0
  return blocks.flatMap(({ language, text }): Step[] => {
    if (language === 'sh') {
      return text.split('\n').map((command) => ({ name: 'guide, page 1', command }))
    }
    if (language !== 'ts') return []
    programs++
    const file = `newcomer-${programs}.ts`
    writeFileSync(join(clone, file), text)
    // As package.json's own exports say: a build, and the name of the package.
    return [
      ...(programs === 1 ? [{ name: 'guide, page 1: build', command: 'npm run --silent build' }] : []),
      { name: `guide, page 1: program ${programs}`, command: `node_modules/.bin/node ${file}` },
    ]
  })
}

async function main(): Promise<void> {
  const done: Done[] = []
  const step = async (each: Step, cwd: string): Promise<void> => {
    done.push(await run(each, cwd))
    if (done.at(-1)?.exitCode !== 0) throw new Error(`${each.name} failed`)
  }
  let failure: string | null = null
  try {
    await step({ name: 'clone', command: `git clone --quiet --no-hardlinks "${root}" "${clone}"` }, base)
    await step({ name: 'README, command 1', command: 'npm ci && npm start' }, clone)
    if (values.quick !== true) await step({ name: 'README, command 2', command: 'npm ci && npm test' }, clone)
    for (const each of firstPage()) await step(each, clone)
  } catch (error) {
    failure = (error as Error).message
  }
  if (values.keep === true) say(`left in ${base}`)
  else rmSync(base, { recursive: true, force: true })
  const seconds = Math.round(done.reduce((sum, each) => sum + each.seconds, 0) * 10) / 10
  const wide = Math.max(...done.map(({ name }) => name.length))
  say('')
  for (const each of done) say(`${each.name.padEnd(wide)}  ${each.seconds.toFixed(1).padStart(7)} s  ${each.command}`)
  say(`${'in all'.padEnd(wide)}  ${seconds.toFixed(1).padStart(7)} s`)
  if (values.json === true) console.log(JSON.stringify({ ok: failure === null, failure, seconds, steps: done }))
  else if (failure !== null) console.error(failure)
  process.exitCode = failure === null ? 0 : 1
}

await main()
