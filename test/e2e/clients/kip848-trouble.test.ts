/**
 * The story: answers get lost, connections are cut before or after a heartbeat was applied, the coordinator moves, and all the
 * while members come and go. None of that is a reason to lose anything, or to own a partition twice.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { quickSettings } from '../../../scripts/kafka/settings.ts'
import { type FaultEffect, startBroker } from '../../../src/broker/index.ts'
import { createTopic, Ledger, Member, shared } from './kip848-member.ts'

const steps = 60
const partitions = 12
const config = Object.fromEntries(Object.entries(quickSettings).map(([name, value]) => [name, String(value)]))

/** The same chances every time; what comes of them depends on the machine. */
function chances(start: number): (below: number) => number {
  let seed = start
  return (below) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((seed / 2 ** 32) * below)
  }
}

for (const heartbeats of ['inline', 'thread'] as const) {
  test(`L1 · G2 · whatever gets lost on the way, nobody owns a partition twice (heartbeats: ${heartbeats})`, async (t) => {
    const draw = chances(heartbeats.length)
    const broker = await startBroker({ config })
    const ledger = new Ledger()
    const everybody: Member[] = []
    const leaving: Promise<void>[] = []
    t.after(async () => {
      await Promise.all(everybody.map((member) => member.close()))
      await broker.close()
    })
    const start = (): Member => {
      const isStatic = draw(3) === 0
      const draining = (member: Member): Promise<unknown> => sleep(draw(100)).then(() => member.commit('one', 0, 1))
      const options = { brokers: broker.brokers, group: 'group', topics: ['one', 'two'], heartbeats, draining }
      const instanceId = `static-${everybody.length}`
      const member = new Member(isStatic ? { ...options, instanceId } : options, ledger)
      everybody.push(member)
      return member
    }
    const first = start()
    const present = [first]
    await createTopic(first.cluster, 'one', partitions - 5)
    await createTopic(first.cluster, 'two', 5)
    const effects: readonly FaultEffect[] = [
      { drop: 'before' },
      { drop: 'after' },
      { error: 'NOT_COORDINATOR' },
      { error: 'COORDINATOR_LOAD_IN_PROGRESS' },
      { delayMs: 150 },
    ]
    for (let step = 0; step < steps; step++) {
      const what = draw(10)
      if (what < 3 && present.length < 5) present.push(start())
      else if (what < 5 && present.length > 1) {
        leaving.push(...present.splice(draw(present.length), 1).map((member) => member.close()))
      } else if (what < 6) broker.faults.moveCoordinator()
      else if (what < 7) broker.faults.rebalance('group')
      else {
        const effect = effects[draw(effects.length)] ?? { drop: 'after' }
        broker.faults.inject({ api: 'ConsumerGroupHeartbeat', times: 1 + draw(2), ...effect })
      }
      await sleep(draw(150))
    }
    broker.faults.clear()
    await Promise.all(leaving)
    const few = Math.floor(partitions / present.length)
    await shared(
      present,
      present.map((_, index) => (index < partitions % present.length ? few + 1 : few)),
    )
    assert.deepEqual(ledger.conflicts, [])
    assert.deepEqual(
      everybody.flatMap(({ events, errors }) => [...events.filter((event) => event.startsWith('lost')), ...errors]),
      [],
    )
  })
}
