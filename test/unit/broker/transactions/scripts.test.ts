/** The coordinator answers what Apache Kafka answered: the conformance scripts that need neither groups nor sockets. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runScript } from '../../../conformance/script-runner.ts'
import { fencing } from '../../../conformance/scripts/fencing.ts'
import { halfEnded } from '../../../conformance/scripts/half-ended.ts'
import { producing } from '../../../conformance/scripts/producing.ts'
import { transactions } from '../../../conformance/scripts/transactions.ts'
import { CoordinatorTarget, isPlayable } from './script-target.ts'

const scripts = [...transactions, ...fencing, ...halfEnded, ...producing].filter(isPlayable)

for (const script of scripts) {
  test(`Q10 · ${script.title}`, async () => {
    await runScript(script, new CoordinatorTarget())
  })
}

test('most scripts can be played on the coordinator alone', () => assert.ok(scripts.length >= 24, `${scripts.length}`))
