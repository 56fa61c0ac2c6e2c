/**
 * Everything that can be said about the code without running it, and whether the package that would be published is
 * sound. Two steps at a time; one line per step; a step that fails shows all its output at the end.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { root } from './files.ts'

type Step = { readonly name: string; readonly command: string; readonly after?: string }
type Result = { readonly step: Step; readonly passed: boolean; readonly output: string }

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const packed = mkdtempSync(join(tmpdir(), 'fanlane-check-'))
const tarball = `"${join(packed, `fanlane-${version}.tgz`)}"`

const steps: readonly Step[] = [
  { name: 'types', command: 'tsc -p tsconfig.json' },
  { name: 'kernel types', command: 'tsc -p src/kernel/tsconfig.json' },
  { name: 'page types', command: 'tsc -p src/dashboard/page/tsconfig.json' },
  { name: 'build', command: 'npm run --silent build' },
  { name: 'example types', command: 'tsc -p examples/nestjs --noEmit', after: 'build' },
  { name: 'biome', command: 'npm run --silent lint' },
  { name: 'tidy', command: 'node --test --test-reporter=dot test/tidy.test.ts' },
  { name: 'generated', command: 'node scripts/generate.ts --check' },
  { name: 'unused', command: 'npm run --silent check:unused' },
  { name: 'pack', command: `npm pack --silent --pack-destination "${packed}"`, after: 'build' },
  { name: 'publint', command: `publint run --strict ${tarball}`, after: 'pack' },
  { name: 'attw', command: `attw --profile esm-only ${tarball}`, after: 'pack' },
]
const atOnceMax = 2

/** Runs a command with the tools of this repository first on the PATH, and keeps what it prints. */
function run(step: Step): Promise<Result> {
  const path = [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter)
  const child = spawn(step.command, { cwd: root, shell: true, env: { ...process.env, PATH: path } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ step, passed: false, output: `${output}${error.message}` }))
    child.on('close', (code) => resolve({ step, passed: code === 0, output }))
  })
}

async function runAll(): Promise<Result[]> {
  const results = new Map<string, Result>()
  const waiting = [...steps]
  const running = new Set<Promise<void>>()
  const timed = async (step: Step): Promise<void> => {
    const before = performance.now()
    const result = await run(step)
    results.set(step.name, result)
    console.log(`${result.passed ? '✔' : '✖'} ${step.name} (${((performance.now() - before) / 1000).toFixed(1)} s)`)
  }
  while (waiting.length > 0 || running.size > 0) {
    const next = waiting.findIndex(({ after }) => after === undefined || results.has(after))
    if (next !== -1 && running.size < atOnceMax) {
      const [step] = waiting.splice(next, 1) as [Step]
      if (step.after !== undefined && results.get(step.after)?.passed === false) {
        results.set(step.name, { step, passed: false, output: `not run: ${step.after} failed` })
        console.log(`✖ ${step.name} (not run)`)
        continue
      }
      const job = timed(step).finally(() => running.delete(job))
      running.add(job)
    } else await Promise.race(running)
  }
  return [...results.values()]
}

const results = await runAll()
rmSync(packed, { recursive: true, force: true })
const failed = results.filter(({ passed }) => !passed)
for (const { step, output } of failed) console.error(`\n── ${step.name}: ${step.command}\n\n${output.trim()}`)
console.log(`\ncheck: ${results.length - failed.length} of ${results.length} steps passed`)
process.exitCode = failed.length === 0 ? 0 : 1
