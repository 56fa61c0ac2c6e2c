/**
 * A checker that never complains proves nothing: each mutant is a fault planted in the log, and the crash checker must
 * notice it. Modules are loaded once more per mutant, with `?mutant=N` behind their names and the fault in their text.
 */
import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { test } from 'node:test'
import type { runLogCrashes } from './crash-states.ts'
import { logMutants } from './mutants.ts'

const planted = new Map<number, number>()

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context)
    const mutant = /\?mutant=\d+$/.exec(context.parentURL ?? '')
    if (mutant === null || !resolved.url.startsWith('file:') || resolved.url.includes('?')) return resolved
    return { ...resolved, url: resolved.url + mutant[0] }
  },
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const found = /\/broker\/log\/([^/]+)\?mutant=(\d+)$/.exec(url)
    if (found === null) return loaded
    const number = Number(found[2])
    let source = String(loaded.source)
    for (const { file, find, replace } of logMutants[number]?.edits ?? []) {
      if (file !== found[1]) continue
      assert.equal(source.split(find).length, 2, `exactly one place in ${file} reads ${find}`)
      source = source.replace(find, () => replace)
      planted.set(number, (planted.get(number) ?? 0) + 1)
    }
    return { ...loaded, source }
  },
})

const statesMax = 40_000

for (const [number, { name, edits, seed }] of logMutants.entries()) {
  test(`L1–L6 · the crash checker notices: ${name}`, async () => {
    const { runLogCrashes: run } = (await import(`./crash-states.ts?mutant=${number}`)) as {
      runLogCrashes: typeof runLogCrashes
    }
    const { failure, states } = await run({ seed, states: statesMax })
    assert.equal(planted.get(number), edits.length)
    assert.ok(failure !== undefined, `${states} crash states, and nobody noticed`)
  })
}
