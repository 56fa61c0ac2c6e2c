/**
 * One server process on loopback in a temporary directory. However the process that started it ends, kill -9 included, the server
 * ends and its directory goes: a shell that does nothing but read a pipe from this process sees to that.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServerUnavailable } from './debian.ts'

export interface RunningServer {
  readonly url: string
  pid(): number | undefined
  stop(): Promise<void>
}

/** An unprivileged user, for servers that refuse to run as root. Undefined: we are one already. */
export type User = { readonly uid: number; readonly gid: number } | undefined

export interface Workplace {
  readonly directory: string
  readonly logFile: string
  /** Starts the server in it and remembers its process for the watchdog. */
  launch(program: string, args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess
  /** Ends the server and removes everything. */
  close(): Promise<void>
}

const startTimeoutMs = 30_000

/** First gently, so that a server takes its shared memory with it. */
const watchdogScript = `
cat >/dev/null
if [ -f "$1/pid" ]; then
  pid=$(cat "$1/pid")
  kill -QUIT "$pid" 2>/dev/null
  tries=0
  while kill -0 "$pid" 2>/dev/null && [ $tries -lt 20 ]; do tries=$((tries + 1)); sleep 0.1; done
  kill -9 "$pid" 2>/dev/null
fi
tries=0
while [ -e "$1" ] && [ $tries -lt 100 ]; do rm -rf "$1"; tries=$((tries + 1)); sleep 0.1; done
`

export function openWorkplace(name: string, user: User): Workplace {
  const directory = mkdtempSync(join(tmpdir(), `fanlane-${name}-`))
  if (user !== undefined) chownSync(directory, user.uid, user.gid)
  const logFile = join(directory, 'server.log')
  // A session of its own: Ctrl-C in the terminal must not reach it before its work is done.
  const watchdog = spawn('sh', ['-c', watchdogScript, 'watchdog', directory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watchdog.unref()
  if (watchdog.stdin instanceof Socket) watchdog.stdin.unref()
  let server: ChildProcess | undefined
  return {
    directory,
    logFile,
    launch(program, args, env) {
      const log = openSync(logFile, 'a')
      server = spawn(program, args, {
        cwd: directory,
        stdio: ['ignore', log, log],
        env: { ...process.env, LC_ALL: 'C', ...env },
        ...user,
      })
      closeSync(log)
      server.unref()
      if (server.pid !== undefined) writeFileSync(join(directory, 'pid'), String(server.pid))
      return server
    },
    async close() {
      const running = server
      if (running !== undefined && running.exitCode === null && running.signalCode === null) {
        const ended = new Promise((resolve) => running.once('exit', resolve))
        running.ref()
        running.kill('SIGQUIT')
        const forced = setTimeout(() => running.kill('SIGKILL'), 3_000)
        await ended
        clearTimeout(forced)
      }
      rmSync(directory, { recursive: true, force: true })
      watchdog.kill('SIGKILL')
    },
  }
}

/** Asks until the server answers; a server that ends first says why in its log. */
export async function answered(place: Workplace, server: ChildProcess, ask: () => Promise<boolean>): Promise<void> {
  let failure: Error | undefined
  server.once('error', (error) => {
    failure = error
  })
  const end = performance.now() + startTimeoutMs
  while (!(await ask())) {
    const hasEnded = server.exitCode !== null || server.signalCode !== null
    if (failure === undefined && !hasEnded && performance.now() < end) {
      await sleep(20)
      continue
    }
    const log = existsSync(place.logFile)
      ? readFileSync(place.logFile, 'utf8').trim().split('\n').slice(-5).join('\n')
      : ''
    throw new ServerUnavailable(`the server does not start: ${failure?.message ?? ''} ${log}`)
  }
}
