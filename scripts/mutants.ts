/**
 * Checkers need mutants: `npm run mutants` plants each fault below in a copy of the source and demands that the simulator
 * notices. An unkilled mutant fails the command: then the simulator is blind, or the line is not needed.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Mutant, mutants } from './mutant-list.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seeds: { type: 'string', default: '10000' },
    json: { type: 'boolean', default: false },
  },
})
const HANG_MS = 240_000
const HUNG = { seeds: 0, failures: [{ seed: 0, invariant: 'hang' }] }
const root = new URL('..', import.meta.url).pathname

interface Outcome {
  readonly name: string
  readonly killed: boolean
  readonly seeds: number
  readonly by: string
  readonly seconds: number
}

/** A copy of the source, in which one mutant after the other is planted: Node keeps what it has compiled of the rest. */
function prepare(): string {
  const directory = mkdtempSync(join(tmpdir(), 'fanlane-mutants-'))
  cpSync(join(root, 'src'), join(directory, 'src'), { recursive: true })
  mkdirSync(join(directory, 'scripts'))
  for (const script of ['sim.ts', 'usage.ts']) cpSync(join(root, 'scripts', script), join(directory, 'scripts', script))
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
  return directory
}

function heal(mutant: Mutant, directory: string): void {
  for (const { file } of mutant.edits) cpSync(join(root, 'src', file), join(directory, 'src', file))
}

function plant(mutant: Mutant, directory: string): void {
  for (const { file, find, replace } of mutant.edits) {
    const path = join(directory, 'src', file)
    const text = readFileSync(path, 'utf8')
    const found = text.split(find).length - 1
    if (found !== 1)
      throw new Error(`mutant "${mutant.name}": ${found} places in src/${file} match ${JSON.stringify(find)}`)
    writeFileSync(
      path,
      text.replace(find, () => replace),
    )
  }
}

function simulate(directory: string, from: number, seeds: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      ['scripts/sim.ts', '--from', `${from}`, '--seeds', `${seeds}`, '--workers', '1', '--bail', '--json'],
      {
        cwd: directory,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, NODE_COMPILE_CACHE: join(directory, 'compiled') },
      },
    )
    let output = ''
    // A mutant that makes the kernel go round in circles is noticed too: no seed ends any more. One that survives takes long.
    const timer = setTimeout(() => child.kill('SIGKILL'), HANG_MS)
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
        timer.refresh()
      })
    }
    child.on('error', reject)
    child.on('close', (_, signal) => {
      clearTimeout(timer)
      resolve(signal === 'SIGKILL' ? `${output}\n${JSON.stringify(HUNG)}` : output)
    })
  })
}

interface Report {
  readonly seeds: number
  readonly failures: readonly { readonly seed: number; readonly invariant: string }[]
}

async function run(mutant: Mutant, directory: string, from: number, seeds: number): Promise<Report> {
  const output = await simulate(directory, from, seeds)
  const last = output.trimEnd().split('\n').at(-1) ?? ''
  if (!last.startsWith('{')) throw new Error(`mutant "${mutant.name}" did not run:\n${output.slice(-2_000)}`)
  return JSON.parse(last) as Report
}

async function attempt(mutant: Mutant, directory: string): Promise<Outcome> {
  const started = performance.now()
  plant(mutant, directory)
  // Where it was noticed last time is looked at first; seeds mean something else when the simulator has changed.
  const hinted = mutant.seed === undefined ? null : await run(mutant, directory, mutant.seed, 1)
  const isNoticed = hinted !== null && hinted.failures.length > 0
  const report = isNoticed ? hinted : await run(mutant, directory, 1, Number(values.seeds))
  heal(mutant, directory)
  const seconds = Number(((performance.now() - started) / 1_000).toFixed(1))
  const [first] = report.failures
  if (first === undefined) return { name: mutant.name, killed: false, seeds: report.seeds, by: '', seconds }
  return { name: mutant.name, killed: true, seeds: first.seed, by: first.invariant, seconds }
}

const wanted = mutants.filter(({ name }) => values.only === undefined || name.includes(values.only))
const queue = [...wanted]
const outcomes: Outcome[] = []
async function work(): Promise<void> {
  const directory = prepare()
  try {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const outcome = await attempt(mutant, directory)
      outcomes.push(outcome)
      if (!values.json) tell(outcome)
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function tell({ name, killed, by, seeds, seconds }: Outcome): void {
  const verdict = killed ? `killed by ${by} at seed ${seeds}` : `SURVIVED ${seeds} seeds`
  console.log(`${name.padEnd(48)} ${verdict} (${seconds} s)`)
}
await Promise.all(Array.from({ length: Math.min(availableParallelism(), wanted.length) }, work))
const survivors = outcomes.filter(({ killed }) => !killed)
console.log(`${outcomes.length - survivors.length} of ${outcomes.length} mutants killed`)
if (values.json)
  console.log(JSON.stringify({ mutants: outcomes.length, killed: outcomes.length - survivors.length, outcomes }))
process.exitCode = survivors.length === 0 && outcomes.length > 0 ? 0 : 1
