/** Scenarios that once failed, made small. Each file says in `story` what went wrong. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { NO_FAULTS, type Scenario, scenarioOf } from '../../src/testing/sim/world/scenario.ts'
import { runScenario } from '../../src/testing/sim/world/world.ts'

const directory = new URL('./corpus/', import.meta.url)

for (const file of readdirSync(directory).filter((name) => name.endsWith('.json'))) {
  const { story, scenario } = JSON.parse(readFileSync(new URL(file, directory), 'utf8')) as {
    story: string
    scenario: Partial<Scenario>
  }
  test(`${file.replace('.json', '')}: ${story}`, async () => {
    // Options that came later than the file have their quiet value.
    const base = scenarioOf(scenario.seed ?? 1)
    const full = { ...base, ...scenario, faults: { ...NO_FAULTS, ...scenario.faults } }
    const { violation } = await runScenario(full as Scenario)
    assert.equal(violation?.message, undefined)
  })
}
