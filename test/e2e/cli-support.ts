/** The command line as a child process: run to its end, or started and steered. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { root } from '../../scripts/files.ts'
import { until } from '../support/wait.ts'

export const mainFile: string = join(root, 'src/cli/main.ts')

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
  /** The last line of stdout, as programs read it. */
  json<Value>(): Value
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string | Buffer
  readonly cwd?: string
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams
  readonly ended: Promise<Ended>
  out(): string
  err(): string
  /** Waits for something to be printed. */
  says(what: RegExp): Promise<RegExpExecArray>
}

/** Nothing of whoever runs the tests gets in. */
function cleanEnv(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(KAFKA_|FANLANE_|COLUMNS$|NODE_TEST|NODE_ENV$)/.test(name),
  )
  return { ...Object.fromEntries(own), ...more }
}

const open = new Set<ChildProcessWithoutNullStreams>()
process.once('exit', () => {
  for (const child of open) child.kill('SIGKILL')
})

export function start(args: readonly string[], { env = {}, input, cwd }: RunOptions = {}): Running {
  const child = spawn(process.execPath, [mainFile, ...args], {
    env: cleanEnv(env),
    ...(cwd === undefined ? {} : { cwd }),
  })
  open.add(child)
  const text = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text.out += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text.err += chunk
  })
  child.stdin.on('error', () => undefined)
  if (input !== undefined) child.stdin.end(input)
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      open.delete(child)
      const { out, err } = text
      resolve({ code, out, err, json: () => JSON.parse(out.trimEnd().split('\n').at(-1) ?? '') })
    })
  })
  const says = (what: RegExp): Promise<RegExpExecArray> =>
    until(
      `${args.join(' ')} says ${what}; it said ${text.out}${text.err}`,
      () => what.exec(text.out + text.err) ?? undefined,
      60_000,
    )
  return { child, ended, out: () => text.out, err: () => text.err, says }
}

export function fanlane(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return start(args, { input: '', ...options }).ended
}

export function directory(t: Pick<TestContext, 'after'>): string {
  const path = mkdtempSync(join(tmpdir(), 'fanlane-cli-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}
