/** Loads the module with the handler and says clearly what is wrong with it. Used in workers, and by the async engine. */
import { FanlaneError } from '../../../errors.ts'
import type { BatchHandler, Codec, Handler } from '../../handler.ts'

export interface HandlerModule {
  readonly handle: Handler<unknown, unknown> | null
  readonly handleBatch: BatchHandler<unknown, unknown> | null
  /** Codecs that the module brings itself: what is a function cannot cross the wall. */
  readonly decode: { readonly key?: Codec<unknown>; readonly value?: Codec<unknown> } | null
  /** Called when the worker ends in good order. */
  readonly close: (() => unknown) | null
}

type Names = Readonly<Record<string, unknown>>

export async function loadHandler(url: string, isBatch: boolean): Promise<HandlerModule> {
  const names = await imported(url)
  const handle = named(names, 'default')
  const handleBatch = named(names, 'handleBatch')
  if (isBatch && typeof handleBatch !== 'function') {
    throw invalid(url, names, "With the option 'batch', export a function handleBatch(records, ctx)")
  }
  if (!isBatch && typeof handle !== 'function') {
    const hint =
      typeof handleBatch === 'function' ? "; for its handleBatch add the option 'batch', e.g. batch: { max: 100 }" : ''
    throw invalid(url, names, `Export the handler as default: export default async (record, ctx) => { … }${hint}`)
  }
  return {
    handle: isBatch ? null : (handle as Handler<unknown, unknown>),
    handleBatch: isBatch ? (handleBatch as BatchHandler<unknown, unknown>) : null,
    decode: decodeOf(url, names),
    close: typeof names.close === 'function' ? (names.close as () => unknown) : null,
  }
}

async function imported(url: string): Promise<Names> {
  try {
    return (await import(url)) as Names
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause)
    throw new FanlaneError(
      'HANDLER_LOAD_FAILED',
      `The handler module ${url} cannot be loaded: ${said.replace(/\.?$/, '.')} Give 'handler' as new URL('./handler.ts', import.meta.url), or as a path from the working directory, and see that the module can be imported by itself.`,
      { cause },
    )
  }
}

/** CommonJS, and what compilers make of `export default` there, have one more default around it. */
function named(names: Names, name: string): unknown {
  if (typeof names[name] === 'function') return names[name]
  const inner = names.default
  return typeof inner === 'object' && inner !== null ? (inner as Names)[name] : names[name]
}

function decodeOf(url: string, names: Names): HandlerModule['decode'] {
  const decode = names.decode
  if (decode === undefined) return null
  const isFine =
    typeof decode === 'object' &&
    decode !== null &&
    Object.entries(decode).every(
      ([part, codec]) =>
        (part === 'key' || part === 'value') && (codec === undefined || typeof codec?.decode === 'function'),
    )
  if (isFine) return decode as HandlerModule['decode']
  throw invalid(url, names, 'Its export decode must be { key, value } with codecs, e.g. { value: json() }')
}

function invalid(url: string, names: Names, fix: string): FanlaneError {
  const exported = Object.keys(names)
  return new FanlaneError(
    'HANDLER_INVALID',
    `The handler module ${url} exports ${exported.length === 0 ? 'nothing' : exported.join(', ')}. ${fix}.`,
  )
}
