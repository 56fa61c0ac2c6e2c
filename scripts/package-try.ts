/**
 * `npm run package:try`: the package as a user installs it. It is packed, installed into an empty project on Node 22, 24 and 26
 * (the npm package `node` brings each of them), and the smallest program of the README is run there. Then what it brings
 * along: size, dependencies, a bill of materials, and what `npm audit` says.
 *
 *   --node 22,24   only these
 *   --json         one JSON object as the last line
 *
 * A version that cannot be had, or an audit that cannot be asked for, is said loudly; it is no failure of the package.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Audit, auditOf, billOf, type Part } from './dependencies.ts'
import { codeBlocks } from './docs/code-blocks.ts'
import { root } from './files.ts'
import { packInto } from './packing.ts'
import { orUsage } from './usage.ts'

const HELP = 'npm run package:try [-- --node 22,24,26] [--json]'
const STEP_MS_MAX = 10 * 60_000

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

interface Trial {
  readonly node: string
  readonly outcome: 'ok' | 'failed' | 'not available'
  readonly version: string | null
  readonly installSeconds: number
  readonly told: string
}

const { values } = orUsage(HELP, () =>
  parseArgs({ options: { node: { type: 'string', default: '22,24,26' }, json: { type: 'boolean' } } }),
)
const say = (line: string): void => (values.json === true ? console.error(line) : console.log(line))

function run(file: string, args: readonly string[], cwd: string): Promise<Ended> {
  // The tools of this repository are not the user's.
  const path = (process.env.PATH ?? '').split(':').filter((each) => !each.includes('node_modules'))
  const { NODE_OPTIONS: _, ...env } = process.env
  return new Promise((resolve) => {
    const options = { cwd, timeout: STEP_MS_MAX, maxBuffer: 64 * 2 ** 20, env: { ...env, PATH: path.join(':') } }
    execFile(file, [...args], options, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ code, out, err: err === '' && error !== null ? error.message : err })
    })
  })
}

/** The first program of the README, and what it prints. */
function smallestProgram(): { readonly program: string; readonly prints: string } {
  const blocks = codeBlocks('README.md', readFileSync(join(root, 'README.md'), 'utf8'))
  const at = blocks.findIndex(({ language }) => language === 'ts')
  const program = blocks[at]?.text
  const prints = blocks[at + 1]
  if (program === undefined || prints?.language !== 'text') throw new Error('README.md has no program with its output')
  return { program, prints: prints.text }
}

async function tryOn(node: string, tarball: string, base: string): Promise<Trial> {
  const project = join(base, `node-${node}`)
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }\n')
  const startedAt = performance.now()
  const runtime = await run('npm', ['install', '--no-audit', '--no-fund', `node@${node}`], project)
  if (runtime.code !== 0) {
    return { node, outcome: 'not available', version: null, installSeconds: 0, told: lastLines(runtime.err) }
  }
  const installed = await run('npm', ['install', '--no-audit', '--no-fund', tarball], project)
  const installSeconds = Math.round((performance.now() - startedAt) / 100) / 10
  const own = join(project, 'node_modules/.bin/node')
  const version = (await run(own, ['--version'], project)).out.trim()
  // npm may skip the step that puts the binary in its place; then this is another Node, and proves nothing.
  if (!version.startsWith(`v${node}.`)) {
    const told = version === '' ? 'its binary was not installed' : `it says ${version}`
    return { node, outcome: 'not available', version: null, installSeconds, told }
  }
  if (installed.code !== 0) return { node, outcome: 'failed', version, installSeconds, told: lastLines(installed.err) }
  const { program, prints } = smallestProgram()
  writeFileSync(join(project, 'program.mjs'), program)
  const ended = await run(own, ['program.mjs'], project)
  const isRight = ended.code === 0 && ended.out.trimEnd() === prints
  const help = await run(own, ['node_modules/fanlane/dist/cli/main.js', '--help'], project)
  const outcome = isRight && help.code === 0 ? 'ok' : 'failed'
  const told = outcome === 'ok' ? ended.out.trimEnd() : lastLines(`${ended.out}${ended.err}${help.err}`)
  return { node, outcome, version, installSeconds, told }
}

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-6).join('\n')
}

/** Of all files below, without Node itself. */
function sizeOf(directory: string): number {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => !/^(\.bin|node|node-bin-[\w-]+|node-linux-[\w-]+|node-darwin-[\w-]+)(\/|$)/.test(name))
    .map((name) => statSync(join(directory, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0)
}

interface Inspected {
  readonly installedBytes: number
  readonly parts: readonly Part[]
  readonly audit: Audit
}

/** What is installed with it, and what is known about that. */
async function inspect(tarball: string, base: string): Promise<Inspected> {
  const project = join(base, 'plain')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "name": "empty", "version": "1.0.0", "private": true }\n')
  const installed = await run('npm', ['install', '--no-audit', '--no-fund', tarball], project)
  if (installed.code !== 0) throw new Error(`npm install failed: ${lastLines(installed.err)}`)
  const bytes = sizeOf(join(project, 'node_modules'))
  const { parts } = await billOf(project)
  return { installedBytes: bytes, parts, audit: await auditOf(project) }
}

async function main(): Promise<void> {
  const base = mkdtempSync(join(tmpdir(), 'fanlane-try-'))
  try {
    const packing = join(base, 'package')
    mkdirSync(packing)
    const packed = await packInto(packing)
    const kib = (bytes: number): string => `${Math.round(bytes / 1_024).toLocaleString('en')} KiB`
    say(`packed: ${packed.files.length} files, ${kib(packed.bytes)}, unpacked ${kib(packed.unpackedBytes)}`)
    const about = await inspect(packed.tarball, base)
    const { parts, audit } = about
    say(`installed: ${kib(about.installedBytes)}, ${parts.length} packages`)
    for (const { name, version, license } of parts) say(`  ${name} ${version} (${license})`)
    say(audit.kind === 'asked' ? `audit: ${audit.told}` : `audit: !!! NOT DONE: ${audit.why}`)
    const trials: Trial[] = []
    for (const node of values.node.split(',')) {
      const trial = await tryOn(node.trim(), packed.tarball, base)
      trials.push(trial)
      const { outcome, version, installSeconds, told } = trial
      if (outcome === 'ok') say(`✔ Node ${node} (${version}): installed in ${installSeconds} s; ${told}`)
      else if (outcome === 'failed') say(`✖ Node ${node} (${version}):\n${told}`)
      else say(`!!! Node ${node} CANNOT BE HAD HERE, NOT TRIED: ${told}`)
    }
    // Where no version could be had, nothing was shown.
    const isClean = audit.kind !== 'asked' || audit.vulnerabilities === 0
    const isTried = trials.some(({ outcome }) => outcome === 'ok')
    const isOk = isTried && trials.every(({ outcome }) => outcome !== 'failed') && isClean
    const { files, bytes, unpackedBytes, version } = packed
    const told = { ok: isOk, version, files: files.length, bytes, unpackedBytes, ...about, trials }
    if (values.json === true) console.log(JSON.stringify(told))
    process.exitCode = isOk ? 0 : 1
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

await main()
