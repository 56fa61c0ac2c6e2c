/** The options that say who runs the records: `engine`, `handler`, `handle`, `handleBatch`, `batch`, and how they fit together. */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { OptionError } from '../errors.ts'
import type { Engine } from '../ports/engine.ts'
import { type PortableCodecName, portableName } from './codecs.ts'
import type { ConsumeOptions } from './options.ts'

/** Handlers in threads or processes, with everything that can be set. `engine: 'threads'` is `{ kind: 'threads' }`. */
export interface WorkerEngineOptions {
  readonly kind: 'threads' | 'processes'
  /** Default: as many as there are cores. */
  readonly workers?: number
  /** A worker that has run so many is replaced by a fresh one. Default: never. */
  readonly maxRecordsPerWorker?: number
  /** Of the heap, for each worker. Default: Node's own limit. */
  readonly memoryMb?: number
  /** A key stays with one worker, for handlers that keep things in memory. Default: no. */
  readonly affinity?: boolean
  /** Flags of Node for workers. Default: those of this process. */
  readonly execArgv?: readonly string[]
}

type Options = ConsumeOptions<unknown, unknown>

/** Workers, if they are asked for. */
export function workerEngineOf(engine: Options['engine']): WorkerEngineOptions | null {
  if (engine === 'threads' || engine === 'processes') return { kind: engine }
  return typeof engine === 'object' && 'kind' in engine ? engine : null
}

/** An engine that somebody else made, if there is one. */
export function ownEngineOf(engine: Options['engine']): Engine | null {
  return typeof engine === 'object' && !('kind' in engine) ? engine : null
}

/** A path counts from the working directory, as on a command line. */
export function handlerUrl(handler: URL | string): string {
  if (handler instanceof URL) return handler.href
  return /^(file|data|node):/.test(handler) ? handler : pathToFileURL(resolve(handler)).href
}

/** Codecs by name: that is all of them that can be told to a worker. */
export function portableDecode({ decode }: Pick<Options, 'decode'>): {
  readonly key?: PortableCodecName
  readonly value?: PortableCodecName
} {
  const key = decode?.key === undefined ? undefined : portableName(decode.key)
  const value = decode?.value === undefined ? undefined : portableName(decode.value)
  return { ...(key === undefined ? {} : { key }), ...(value === undefined ? {} : { value }) }
}

function contradiction(option: string, message: string): never {
  throw new OptionError('OPTION_CONTRADICTION', option, message)
}

function missing(option: string, message: string): never {
  throw new OptionError('OPTION_MISSING', option, message)
}

export function checkHandlers(options: Options): void {
  const own = ownEngineOf(options.engine)
  const workers = workerEngineOf(options.engine)
  if (own !== null) checkOwn(options, own)
  else if (workers !== null) checkWorkers(options, workers.kind)
  else if (options.handler !== undefined) checkModule(options)
  else checkFunctions(options)
}

/** An engine of the user's brings its own handlers. */
function checkOwn({ handle, handleBatch, handler, batch }: Options, engine: Engine): void {
  for (const [name, given] of Object.entries({ handle, handleBatch, handler })) {
    if (given === undefined) continue
    contradiction(name, `An engine of your own runs its own handlers: remove '${name}', or the engine.`)
  }
  if (batch !== undefined && engine.submitBatches === undefined) {
    contradiction('batch', "This engine has no submitBatches(), so it cannot take batches: add it, or remove 'batch'.")
  }
}

const AS_MODULE =
  "write it as the default export of a module and give handler: new URL('./handler.ts', import.meta.url)"

function checkWorkers({ handle, handleBatch, handler, decode }: Options, kind: string): void {
  for (const [name, given] of Object.entries({ handle, handleBatch })) {
    if (given === undefined) continue
    const how = name === 'handle' ? AS_MODULE : AS_MODULE.replace('the default export', 'the export handleBatch')
    contradiction(name, `A function cannot be handed to ${kind}: remove '${name}', ${how}.`)
  }
  if (handler === undefined) missing('handler', `engine: '${kind}' needs 'handler': ${AS_MODULE}.`)
  for (const [part, codec] of Object.entries(decode ?? {})) {
    if (codec === undefined || portableName(codec) !== undefined) continue
    contradiction(
      'decode',
      `decode.${part} is a function, which cannot be handed to ${kind}; only text() and json() without a schema can. Export it from the handler module: export const decode = { ${part}: … }.`,
    )
  }
}

/** The async engine runs modules too, so that engines can be exchanged without touching the handler. */
function checkModule({ handle, handleBatch }: Options): void {
  for (const [name, given] of Object.entries({ handle, handleBatch })) {
    if (given !== undefined) contradiction(name, `Give '${name}' or 'handler', not both.`)
  }
}

function checkFunctions({ handle, handleBatch, batch }: Options): void {
  if (handle !== undefined && handleBatch !== undefined) {
    contradiction('handleBatch', "Give 'handle' or 'handleBatch', not both.")
  }
  if (handle === undefined && handleBatch === undefined) {
    missing('handle', "Option 'handle' is needed: handle: async (record, ctx) => { … }.")
  }
  if (batch !== undefined && handleBatch === undefined) {
    contradiction('batch', "'batch' is for 'handleBatch'; 'handle' takes one record.")
  }
}
