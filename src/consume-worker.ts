/**
 * The program of every worker, thread or process: where channel, claims, handler module and codecs meet. The counterpart of
 * consume.ts on the other side of the wall.
 */
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { json, text } from './consumer/codecs.ts'
import { decoder } from './consumer/decoding.ts'
import type { Codec } from './engines/handler.ts'
import { type Claimant, FileClaimant, SharedClaimant } from './engines/workers/claims.ts'
import { type Channel, pipeChannel, portChannel } from './engines/workers/inside/channel.ts'
import type { HandlerModule } from './engines/workers/inside/handler-module.ts'
import { Host } from './engines/workers/inside/host.ts'
import type { PortableCodec, WorkerSetup } from './engines/workers/messages.ts'
import { WORKER_ENV } from './engines/workers/process-link.ts'
import type { ThreadData } from './engines/workers/thread-link.ts'
import { SystemClock } from './system-clock.ts'

const clock = new SystemClock()
const CODECS: Readonly<Record<PortableCodec, () => Codec<unknown>>> = { text, json }

/** What the module brings itself goes before what was described from outside. */
function decodeOf({ decode }: WorkerSetup, module: HandlerModule): HandlerModule['decode'] {
  if (module.decode !== null) return module.decode
  const { key, value } = decode
  if (key === undefined && value === undefined) return null
  return {
    ...(key === undefined ? {} : { key: CODECS[key]() }),
    ...(value === undefined ? {} : { value: CODECS[value]() }),
  }
}

function run(channel: Channel, claimant: Claimant, loaded: () => void): void {
  const host = new Host({
    channel,
    claimant,
    clock,
    decoderOf: (setup, module) => {
      const decode = decodeOf(setup, module)
      return decoder(decode === null ? {} : { decode })
    },
    loaded,
    exit: () => process.exit(0),
  })
  process.on('uncaughtExceptionMonitor', (error) => host.crashed(error))
  // Whoever calls process.exit() in a handler has finished others before: they are not to run again.
  process.on('exit', () => host.flush())
  host.listen()
}

/**
 * Not while the module loads, or every start would be slower; and before the first handler begins, because it may block this
 * event loop for ever, and then nobody would start a guard any more.
 */
function guard(): void {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./engines/workers/inside/orphan-guard.${extension}`, import.meta.url), {
    workerData: { parent: Number(process.env[WORKER_ENV] ?? process.ppid) },
    execArgv: [],
    name: 'fanlane orphan guard',
  })
  // The pipe is watched all the same: without a guard only a worker that is blocked for ever would stay behind.
  worker.on('error', (error) => process.emitWarning(`fanlane: the guard of a worker failed: ${error.message}`))
  worker.unref()
}

/** A thread does not outlive its process. */
function nothing(): void {
  // Nobody to watch.
}

const PIPE_FD = 3
const NOTE_FD = 4

if (isMainThread) {
  // Whoever presses Ctrl-C, or stops a whole group of processes, means the consumer: it decides when workers end.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  run(pipeChannel(PIPE_FD), new FileClaimant(NOTE_FD), guard)
} else {
  const { port, claims } = workerData as ThreadData
  run(portChannel(port), new SharedClaimant(claims), nothing)
}
