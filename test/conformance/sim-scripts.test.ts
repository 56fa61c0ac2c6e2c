/**
 * No fiction: what the simulated cluster answers is what Apache Kafka answers. The scripts say what that is; they were
 * replayed on Apache Kafka 4.1.1, and will be again whenever a broker is in the suite.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ANSWERS } from '../../src/testing/sim/cluster/answers.ts'
import type { AnswerName } from './script-runner.ts'
import { runScript } from './script-runner.ts'
import { scripts } from './scripts/index.ts'
import { SimTarget } from './sim-target.ts'

const seen = new Set<AnswerName>()

for (const [subject, list] of Object.entries(scripts)) {
  describe(`simulated cluster: ${subject}`, () => {
    for (const script of list) {
      it(script.title, async () => {
        for (const name of await runScript(script, new SimTarget())) seen.add(name)
      })
    }
  })
}

describe('simulated cluster: answers', () => {
  it('gives only answers that a script has shown Kafka to give', () => {
    const declared = Object.entries(ANSWERS).flatMap(([kind, codes]) => codes.map((code) => `${kind}/${code}`))
    assert.deepEqual(declared.filter((name) => !seen.has(name as AnswerName)).sort(), [])
    assert.deepEqual([...seen].filter((name) => !declared.includes(name)).sort(), [])
  })
})
