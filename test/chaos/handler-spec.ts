/** What the handler of a consumer under test is told. */
import type { EngineName } from './plan.ts'

export interface HandlerSpec {
  /** The process whose consumer this is; its ledger has this name. */
  readonly member: string
  readonly directory: string
  /** What handlers send their results to; null: they send nothing. */
  readonly output: string | null
  readonly work: Work
  readonly engine: EngineName
}

/** How long handlers take. */
export type Work =
  /** Mostly short, now and then long: by offset, so that it needs no chance. */
  | { readonly kind: 'mixed'; readonly usualMs: number; readonly longMs: number }
  /** One record takes long, all others about a millisecond; or two neighbours in forty `slowMs`. */
  | { readonly kind: 'straggler'; readonly offset: number; readonly longMs: number; readonly slowMs: number }

/** The variable of the environment that holds it, as JSON. */
export const specVariable = 'FANLANE_CHAOS_HANDLER'
