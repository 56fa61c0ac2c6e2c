/**
 * `fanlane run --watch`: the consumer lives in a process of its own. When a file beside the handler changes, the new module is
 * loaded on trial; if that works, the old process drains, commits and leaves, and a new one takes its place. A module that
 * is broken changes nothing: the old one goes on, and the error is shown.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { watch } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { aborted, interruption } from '../command.ts'
import { pause } from '../pause.ts'

/** Editors write a file in several steps. */
const SETTLE_MS = 150

/** What a module may be made of. A log file beside it is not. */
const SOURCES = /\.([cm]?[jt]s|json)$/

const ignored: ReadonlySet<string> = new Set(['node_modules', '.git', '.fanlane', 'dist'])

interface Child {
  readonly process: ChildProcess
  readonly ended: Promise<number>
}

/** Gives the exit code of the last process. */
export async function runWatching(handler: string, args: readonly string[]): Promise<number> {
  const stop = interruption()
  const changes = changesIn(dirname(resolve(handler)), stop)
  let child = start(args)
  stop.addEventListener('abort', () => child.process.kill('SIGINT'))
  // A second interrupt leaves nobody behind.
  process.once('exit', () => child.process.kill('SIGKILL'))
  for (;;) {
    const event = await Promise.race([changes.next(), child.ended])
    if (stop.aborted) return child.ended
    if (typeof event === 'number') {
      // Called wrongly, or over: a change of a file does not help.
      if (event !== 1) return event
      console.error('fanlane: it has ended; waiting for a change.')
      await Promise.race([changes.next(), aborted(stop)])
      if (stop.aborted) return event
    } else if (!(await isLoadable(args))) {
      console.error('fanlane: the new module does not load; the old one goes on.')
      continue
    } else {
      console.error('fanlane: something changed; draining, then starting anew.')
      child.process.kill('SIGINT')
      const code = await child.ended
      if (stop.aborted) return code
    }
    child = start(args)
  }
}

async function isLoadable(args: readonly string[]): Promise<boolean> {
  return (await start([...args, '--check']).ended) === 0
}

function start(args: readonly string[]): Child {
  const [, main = ''] = process.argv
  const child = spawn(process.execPath, [...process.execArgv, main, 'run', ...args], {
    // By the channel it knows when we are gone, however that came about.
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = new Promise<number>((done) => {
    child.once('error', () => done(1))
    child.once('exit', (code) => done(code ?? 1))
  })
  return { process: child, ended }
}

/** Resolves once for every burst of changes. */
function changesIn(directory: string, stop: AbortSignal): { next: () => Promise<'changed'> } {
  let waiting = Promise.withResolvers<'changed'>()
  let isSettling = false
  const settle = async (): Promise<void> => {
    if (isSettling) return
    isSettling = true
    await pause(SETTLE_MS, stop)
    isSettling = false
    const { resolve: tell } = waiting
    waiting = Promise.withResolvers<'changed'>()
    tell('changed')
  }
  const watcher = watch(directory, { recursive: true, signal: stop }, (_event, file) => {
    const isOurs = file === null || (SOURCES.test(file) && !file.split(sep).some((part) => ignored.has(part)))
    if (isOurs) settle().catch((error: unknown) => console.error(error))
  })
  watcher.on('error', (error) => {
    if (!stop.aborted) console.error(`fanlane: cannot watch ${directory}: ${error.message}`)
  })
  return { next: () => waiting.promise }
}
