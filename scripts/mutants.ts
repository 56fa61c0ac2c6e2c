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

function plant(mutant: Mutant, directory: string): void {
  cpSync(join(root, 'src'), join(directory, 'src'), { recursive: true })
  mkdirSync(join(directory, 'scripts'))
  cpSync(join(root, 'scripts/sim.ts'), join(directory, 'scripts/sim.ts'))
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
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

function simulate(directory: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      ['scripts/sim.ts', '--seeds', values.seeds, '--workers', '1', '--bail', '--json'],
      { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] },
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

async function attempt(mutant: Mutant): Promise<Outcome> {
  const directory = mkdtempSync(join(tmpdir(), 'fanlane-mutant-'))
  const started = performance.now()
  try {
    plant(mutant, directory)
    const output = await simulate(directory)
    const last = output.trimEnd().split('\n').at(-1) ?? ''
    const seconds = Number(((performance.now() - started) / 1_000).toFixed(1))
    if (!last.startsWith('{')) throw new Error(`mutant "${mutant.name}" did not run:\n${output.slice(-2_000)}`)
    const report = JSON.parse(last) as { seeds: number; failures: { seed: number; invariant: string }[] }
    const [first] = report.failures
    if (first === undefined) return { name: mutant.name, killed: false, seeds: report.seeds, by: '', seconds }
    return { name: mutant.name, killed: true, seeds: first.seed, by: first.invariant, seconds }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const wanted = mutants.filter(({ name }) => values.only === undefined || name.includes(values.only))
const queue = [...wanted]
const outcomes: Outcome[] = []
async function work(): Promise<void> {
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    const outcome = await attempt(mutant)
    outcomes.push(outcome)
    if (!values.json) {
      const verdict = outcome.killed
        ? `killed by ${outcome.by} at seed ${outcome.seeds}`
        : `SURVIVED ${outcome.seeds} seeds`
      console.log(`${outcome.name.padEnd(48)} ${verdict} (${outcome.seconds} s)`)
    }
  }
}
await Promise.all(Array.from({ length: Math.min(availableParallelism(), wanted.length) }, work))
const survivors = outcomes.filter(({ killed }) => !killed)
console.log(`${outcomes.length - survivors.length} of ${outcomes.length} mutants killed`)
if (values.json)
  console.log(JSON.stringify({ mutants: outcomes.length, killed: outcomes.length - survivors.length, outcomes }))
process.exitCode = survivors.length === 0 && outcomes.length > 0 ? 0 : 1
