/** What the group coordinator answers is what Apache Kafka answers: the scripts were replayed on Apache Kafka 4.1.1. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Script } from '../../../conformance/script.ts'
import { runScript } from '../../../conformance/script-runner.ts'
import { scripts } from '../../../conformance/scripts/index.ts'
import { CoordinatorTarget } from './support/coordinator-target.ts'

/** Those that do not read or write topics. */
const foreign = new Set(['Produce', 'Fetch', 'ListOffsets', 'OffsetForLeaderEpoch', 'Metadata'])

function isOfGroups({ steps }: Script): boolean {
  const kinds = steps.map((step) => (step.kind === 'send' ? step.ask.kind : ''))
  const groupKinds = ['Group', 'Heartbeat', 'Offset']
  const asks = kinds.some((kind) => groupKinds.some((part) => kind.includes(part)))
  return asks && !kinds.some((kind) => foreign.has(kind))
}

describe('group coordinator: conformance', () => {
  let count = 0
  for (const [subject, list] of Object.entries(scripts)) {
    for (const script of list.filter(isOfGroups)) {
      count++
      it(`Q7 · ${subject}: ${script.title}`, async () => {
        await runScript(script, new CoordinatorTarget())
      })
    }
  }

  it('replays the scripts of groups, all of them', () => {
    assert.ok(count >= 50, `only ${count} scripts`)
  })
})
