/** What happens to a broker when somebody blocks an event loop: G1 from the broker's side. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBroker } from '../../../src/broker/index.ts'
import { block, HeartbeatingMember } from '../../support/heartbeating-member.ts'

const config = { 'group.min.session.timeout.ms': '100' }
const sessionTimeoutMs = 300

test('G1 · an isolated broker serves its clients while the thread of its user is blocked', async (t) => {
  const broker = await startBroker({ isolate: true, config })
  t.after(() => broker.close())
  const member = await HeartbeatingMember.join(broker.brokers[0] as string, 'blocked', sessionTimeoutMs)
  t.after(() => member.leave())
  assert.equal(member.blockUntilAnswered(30, 20_000), true, 'heartbeats were answered while this thread stood still')
  assert.equal(member.refused, 0)
})

test('G1 · a broker whose own loop was blocked hears the heartbeats that waited before it expires a session', async (t) => {
  const broker = await startBroker({ config })
  t.after(() => broker.close())
  const member = await HeartbeatingMember.join(broker.brokers[0] as string, 'late', sessionTimeoutMs)
  t.after(() => member.leave())
  for (let round = 0; round < 5; round++) {
    block(3 * sessionTimeoutMs)
    const before = member.answered
    while (member.answered < before + 3 && member.refused === 0) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(member.refused, 0, `thrown out after block ${round}`)
  }
})
