/** Runs a program to its end, with an input, a time limit and all of its output kept. */
import { spawn } from 'node:child_process'

export type CommandResult = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

export type CommandOptions = {
  readonly input?: string | Buffer
  readonly timeoutMs?: number
  /** Added to our own. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** Rejects only when the program cannot be started or runs too long; a bad exit code is an answer. */
export function command(file: string, args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const { input = '', timeoutMs = 120_000, env = {}, cwd } = options
  const child = spawn(file, args, {
    stdio: 'pipe',
    env: { ...process.env, ...env },
    ...(cwd === undefined ? {} : { cwd }),
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  }
  // A program that ends without reading its input breaks the pipe: its exit code says what happened.
  child.stdin.on('error', () => child.stdin.destroy())
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`${file} ${args.join(' ')} ran longer than ${timeoutMs} ms\n${output.stdout}${output.stderr}`))
    }, timeoutMs)
    child.once('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    child.once('close', (code) => {
      clearTimeout(timer)
      resolve({ code, ...output })
    })
  })
}

/** As `command`, for programs that have to succeed: rejects with everything that was printed. */
export async function mustRun(file: string, args: readonly string[], options?: CommandOptions): Promise<CommandResult> {
  const result = await command(file, args, options)
  if (result.code === 0) return result
  throw new Error(`${file} ${args.join(' ')} ended with ${result.code}\n${result.stdout}${result.stderr}`)
}

/** Is there such a program? */
export async function exists(file: string, args: readonly string[] = ['--version']): Promise<boolean> {
  try {
    return (await command(file, args)).code === 0
  } catch {
    return false
  }
}
