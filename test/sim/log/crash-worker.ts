/**
 * Runs crash states in a thread of its own: there the test runner's watching of every promise does not triple the time.
 * With a mutant, modules are loaded with `?mutant` behind their names and the fault in their text.
 */
import { registerHooks } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import type { LogCrashReport, runLogCrashes } from './crash-states.ts'
import { type LogMutant, logMutants } from './mutants.ts'

export interface CrashJob {
  readonly seed: number
  readonly states: number
  /** Number of the mutant that is planted. */
  readonly mutant?: number
}

export interface CrashOutcome {
  readonly report: LogCrashReport
  /** How many edits of the mutant were made. */
  readonly planted: number
}

const marker = '?mutant'
let planted = 0

function plant({ edits }: LogMutant): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context)
      const isOurs = context.parentURL?.endsWith(marker) === true && resolved.url.startsWith('file:')
      return isOurs && !resolved.url.endsWith(marker) ? { ...resolved, url: resolved.url + marker } : resolved
    },
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      if (!url.endsWith(marker)) return loaded
      let source = String(loaded.source)
      for (const { file, find, replace } of edits) {
        if (!url.endsWith(`/broker/log/${file}${marker}`)) continue
        if (source.split(find).length !== 2) throw new Error(`not exactly one place in ${file} reads ${find}`)
        source = source.replace(find, () => replace)
        planted++
      }
      return { ...loaded, source }
    },
  })
}

const { seed, states, mutant } = workerData as CrashJob
const found = mutant === undefined ? undefined : logMutants[mutant]
if (found !== undefined) plant(found)
const { runLogCrashes: run } = (await import(`./crash-states.ts${found === undefined ? '' : marker}`)) as {
  runLogCrashes: typeof runLogCrashes
}
const report = await run({ seed, states })
parentPort?.postMessage({ report, planted } satisfies CrashOutcome)
