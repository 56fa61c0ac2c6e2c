import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Request } from '../../../../../src/testing/sim/cluster/requests.ts'
import { entry, joinedIn, lease, publication, Script } from './script.ts'
import { type Consumer, World } from './world.ts'

const isSettled =
  (...consumers: Consumer[]): (() => boolean) =>
  () =>
    consumers.map(({ owned }) => owned).join('').length === 4 && consumers.every(({ owned }) => owned.length > 0)

for (const rebalance of ['eager', 'cooperative'] as const) {
  describe(`${rebalance} rebalancing`, () => {
    test('one member has everything; the second takes half; when it leaves, the first has everything again', async () => {
      const world = new World()
      const a = world.consumer('a', { rebalance })
      await world.until('a alone', () => a.owned === '0123')
      const b = world.consumer('b', { rebalance })
      await world.until('shared', isSettled(a, b))
      await world.run(10_000)
      assert.equal(a.owned.length, 2)
      await world.during(b.close())
      await world.until('a alone again', () => a.owned === '0123')
      assert.equal(a.told.some((line) => line.startsWith('lost')), false) // biome-ignore format: one fact
      if (rebalance === 'eager') assert.deepEqual(a.told.slice(0, 2), ['assigned 0123', 'revoked 0123'])
      else assert.match(a.told[1] ?? '', /^revoked \d\d$/)
    })

    test('what is appended while members come and go is read by one of them, and committed', async () => {
      const world = new World(3)
      const a = world.consumer('a', { rebalance })
      const values: string[] = []
      const append = (): void => {
        for (const partition of [0, 1, 2, 3]) {
          const value = `v${values.length}`
          values.push(value)
          world.append('in', partition, value)
        }
      }
      append()
      await world.until('a alone', () => a.owned === '0123')
      const b = world.consumer('b', { rebalance })
      append()
      await world.until('shared', isSettled(a, b))
      append()
      await world.run(2_000)
      await world.during(a.close())
      append()
      await world.until('b alone', () => b.owned === '0123')
      await world.run(2_000)
      const seen = [...a.seen, ...b.seen].map((name) => name.split('=')[1])
      assert.deepEqual(new Set(seen), new Set(values))
      assert.equal(seen.length, values.length, 'every hand-over was committed: nothing is read twice')
      assert.deepEqual([0, 1, 2, 3].map((partition) => world.committed(partition)), [4, 4, 4, 4]) // biome-ignore format: one fact
    })

    test('heartbeats go on while a drain takes longer than the session', async () => {
      const world = new World()
      const options = { rebalance, sessionTimeoutMs: 6_000, rebalanceTimeoutMs: 60_000 }
      const a = world.consumer('a', options)
      a.drainMs = 20_000
      await world.until('a alone', () => a.owned === '0123')
      const b = world.consumer('b', options)
      await world.until('shared', isSettled(a, b))
      assert.equal(a.told.some((line) => line.startsWith('lost')), false) // biome-ignore format: one fact
    })

    test('a drain that takes longer than the rebalance is cut short: lost, then a member again', async () => {
      const world = new World()
      const options = { rebalance, sessionTimeoutMs: 6_000, rebalanceTimeoutMs: 8_000 }
      const a = world.consumer('a', options)
      await world.until('a alone', () => a.owned === '0123')
      a.drainMs = 30_000
      const b = world.consumer('b', options)
      // Cooperative: the drain begins after the sync, and only a third member's rebalance cannot wait for it.
      await world.run(rebalance === 'eager' ? 0 : 3_000)
      const c = rebalance === 'eager' ? null : world.consumer('c', options)
      await world.until('a has lost', () => a.told.some((line) => line.startsWith('lost')))
      a.drainMs = 0
      await world.until('shared', isSettled(a, b, ...(c === null ? [] : [c])))
    })

    test('a frozen member is out after its session; thawed, it has lost everything and cannot commit', async () => {
      const world = new World()
      const options = { rebalance, sessionTimeoutMs: 6_000 }
      const a = world.consumer('a', options)
      world.append('in', 0, 'x', 'y')
      await world.until('read', () => a.seen.length === 2)
      await world.run(1_000)
      const b = world.consumer('b', options)
      await world.until('shared', isSettled(a, b))
      await world.run(1_000)
      const zombie = a.entries()
      a.process.freeze()
      await world.until('b alone', () => b.owned === '0123')
      for (const partition of [0, 1, 2, 3]) world.append('in', partition, 'z')
      await world.run(1_000)
      const committed = [0, 1, 2, 3].map((partition) => world.committed(partition))
      const outcomes: string[] = []
      a.process.soon(() => void a.client.commit(zombie).then((list) => outcomes.push(...list)))
      a.process.thaw()
      await world.until('the zombie was answered', () => outcomes.length > 0)
      assert.deepEqual(new Set(outcomes), new Set(['fenced']))
      assert.match(a.told.at(-1) ?? '', /^lost/)
      assert.deepEqual([0, 1, 2, 3].map((partition) => world.committed(partition)), committed) // biome-ignore format: one fact
      await world.until('shared again', isSettled(a, b))
    })

    test('a killed member is replaced when its session ends', async () => {
      const world = new World()
      const a = world.consumer('a', { rebalance, sessionTimeoutMs: 6_000 })
      const b = world.consumer('b', { rebalance, sessionTimeoutMs: 6_000 })
      await world.until('shared', isSettled(a, b))
      a.process.kill()
      await world.until('b alone', () => b.owned === '0123', 30_000)
    })

    /** A commit that is late, the membership given up meanwhile, and what became of it. */
    async function lateCommit(lateMs: number): Promise<{ readonly code: string; readonly told: readonly string[] }> {
      const world = new World()
      const a = world.consumer('a', { rebalance })
      world.append('in', 1, 'x')
      await world.until('read', () => a.seen.length === 1)
      const late = new Set<Request>()
      let arrived: { readonly code: string; readonly told: readonly string[] } | null = null
      world.fate = (request) => {
        if (request.kind !== 'OffsetCommit' || late.size > 0) return 'deliver'
        late.add(request)
        return { lateMs }
      }
      world.watch = (request, answer) => {
        if (!late.has(request) || answer.kind !== 'OffsetCommit') return
        arrived = { code: answer.partitions[0]!.errorCode, told: [...a.told] }
      }
      void a.commit()
      await world.run(0)
      a.client.rejoin()
      assert.equal(a.told.at(-1), 'lost 0123')
      await world.until('the late commit arrived', () => arrived !== null)
      await world.until('assigned again', () => a.told.length === 3)
      assert.deepEqual(a.told, ['assigned 0123', 'lost 0123', 'assigned 0123'])
      return arrived!
    }

    test('rejoin: lost at once, and everything of the old stay is fenced', async () => {
      // Its sender gives it up, and says goodbye again on another connection: that overtakes it.
      const { code } = await lateCommit(5_000)
      assert.equal(code, 'UNKNOWN_MEMBER_ID')
    })

    test('rejoin: what leaving cannot overtake lands before the new stay begins', async () => {
      // On one connection requests keep their order: it is taken, but nobody has read positions since.
      const { code, told } = await lateCommit(2_000)
      assert.equal(code, 'NONE')
      assert.deepEqual(told, ['assigned 0123', 'lost 0123'])
    })

    test('a coordinator that moves costs nothing but a search', async () => {
      const world = new World()
      const a = world.consumer('a', { rebalance })
      await world.until('a alone', () => a.owned === '0123')
      world.append('in', 2, 'x')
      world.cluster.moveCoordinator(world.clock.now(), 'group', 500)
      await world.until('committed', () => world.committed(2) === 1)
      await world.run(30_000)
      assert.deepEqual(a.told, ['assigned 0123'])
    })
  })
}

test('static members: a restart inside the session moves nothing, and the old life is fenced', async () => {
  const world = new World()
  const options = { instanceId: 'i', sessionTimeoutMs: 20_000 }
  const a = world.consumer('a', options)
  const b = world.consumer('b', { instanceId: 'j', sessionTimeoutMs: 20_000 })
  await world.until('shared', isSettled(a, b))
  const { owned } = a
  const told = b.told.length
  a.process.freeze()
  const again = world.consumer('a', options)
  await world.until('taken over', () => again.owned === owned)
  assert.equal(b.told.length, told)
  a.process.thaw()
  await world.until('fenced', () => a.told.at(-1)?.startsWith('failed') ?? false)
  assert.deepEqual(a.told.slice(-2), [`lost ${owned}`, 'failed FENCED_INSTANCE_ID'])
  await world.run(60_000)
  assert.equal(b.told.length, told)
  assert.equal(again.owned, owned)
})

describe('joining', () => {
  test('a generation that passed by without us: what we own may have been given away, so it is lost', async () => {
    const script = new Script()
    await script.start()
    script.reply('Heartbeat', 'REBALANCE_IN_PROGRESS')
    script.reply('JoinGroup', (request) => joinedIn(3, request))
    await script.until(() => script.told.length === 3)
    assert.deepEqual(script.told, ['assigned in-0,in-1', 'lost in-0,in-1', 'assigned in-0,in-1'])
  })

  test('the next generation keeps what it gives again', async () => {
    const script = new Script()
    await script.start()
    script.reply('Heartbeat', 'REBALANCE_IN_PROGRESS')
    script.reply('JoinGroup', (request) => joinedIn(2, request))
    await script.until(() => script.count('SyncGroup') === 2)
    await script.clock.runUntil(script.clock.now() + 100)
    assert.deepEqual(script.told, ['assigned in-0,in-1'])
    assert.deepEqual(await script.during(script.client.commit([entry(0, 5)])), ['ok'])
    assert.equal(script.last('OffsetCommit').generationId, 2)
  })

  test('eager: given up before it joins, and heartbeats go on meanwhile', async () => {
    const script = new Script({ rebalance: 'eager' })
    await script.start()
    const released = Promise.withResolvers<void>()
    script.release = released.promise
    script.reply('Heartbeat', 'REBALANCE_IN_PROGRESS')
    await script.until(() => script.told.length === 2)
    const [joins, beats] = [script.count('JoinGroup'), script.count('Heartbeat')]
    await script.clock.runUntil(script.clock.now() + 10_000)
    assert.equal(script.count('JoinGroup'), joins)
    assert.ok(script.count('Heartbeat') >= beats + 9)
    assert.deepEqual(await script.during(script.client.commit([entry(0, 5)])), ['ok'], 'still ours')
    released.resolve()
    await script.until(() => script.told.length === 3)
    assert.deepEqual(script.told, ['assigned in-0,in-1', 'revoked in-0,in-1', 'assigned in-0,in-1'])
  })

  test('lost while it drains: what the control plane says afterwards is about the past', async () => {
    const script = new Script({ rebalance: 'eager' })
    await script.start()
    const released = Promise.withResolvers<void>()
    script.release = released.promise
    script.reply('Heartbeat', 'REBALANCE_IN_PROGRESS', 'UNKNOWN_MEMBER_ID')
    await script.until(() => script.told.length === 4)
    assert.deepEqual(script.told.slice(1), ['revoked in-0,in-1', 'lost in-0,in-1', 'assigned in-0,in-1'])
    released.resolve()
    await script.during(script.client.readPositions([lease(0, 8)]))
    assert.deepEqual(await script.during(script.client.commit([entry(0, 5, 8)])), ['ok'], 'ours anew')
  })

  test('a group that speaks another protocol is a failure', async () => {
    const script = new Script()
    script.reply('JoinGroup', 'INCONSISTENT_GROUP_PROTOCOL')
    await script.client.start(script.listener)
    await script.until(() => script.told.length > 0)
    assert.deepEqual(script.told, ['failed INCONSISTENT_GROUP_PROTOCOL'])
  })
})

test('closing leaves, and ends everything that is under way', async () => {
  const script = new Script({ transactionalId: 't' })
  await script.start()
  const poll = script.client.poll()
  script.client.fetch([{ ...lease(0), position: 0 as never }])
  script.reply('Produce', 'silence', 'silence', 'silence')
  const publishing = script.client.publish([publication(1, 'a')])
  await script.clock.runUntil(script.clock.now() + 100)
  await script.during(script.client.close({ leave: true }))
  assert.equal(script.count('LeaveGroup'), 1)
  assert.deepEqual(await script.during(poll), [])
  assert.equal((await script.during(publishing))[0]?.ok, false)
  assert.deepEqual(await script.during(script.client.commit([entry(0, 5)])), ['fenced'])
  await script.clock.runUntil(script.clock.now() + 60_000)
  const sent = script.sent.length
  await script.clock.runUntil(script.clock.now() + 600_000)
  assert.equal(script.sent.length, sent, 'no heartbeat, no fetch')
})

test('a static member that closes without leaving does not leave', async () => {
  const script = new Script({ instanceId: 'i' })
  await script.start()
  await script.during(script.client.close({ leave: false }))
  assert.equal(script.count('LeaveGroup'), 0)
})

describe('a bad network', () => {
  const faults = { crash: 0.3, lose: 0.02, answer: 0.02, late: 0.01 }
  for (let seed = 1; seed <= 40; seed++) {
    test(`everything is read and committed in the end, and no commit goes back (seed ${seed})`, async () => {
      const world = new World(seed)
      const chance = world.clock.stream('faults')
      const rebalance = seed % 2 === 0 ? 'eager' : 'cooperative'
      let isBad = true
      const newest = new Map<string, Request>()
      world.fate = (request, sender) => {
        if (request.kind === 'OffsetCommit') newest.set(sender, request)
        const draw = isBad ? chance() : 1
        if (draw < faults.lose) return 'lose-request'
        if (draw < faults.lose + faults.answer) return 'lose-answer'
        return draw < faults.lose + faults.answer + faults.late ? { lateMs: chance() * 9_000 } : 'deliver'
      }
      const options = {
        rebalance,
        sessionTimeoutMs: 6_000,
        rebalanceTimeoutMs: 8_000,
        requestTimeoutMs: 1_000,
      } as const
      const highest = [0, 0, 0, 0]
      world.watch = (request, answer, sender) => {
        if (request.kind !== 'OffsetCommit' || answer.kind !== 'OffsetCommit') return
        // One that its sender has given up, with its connection, goes back, of course: the control plane heals it.
        const isLate = newest.get(sender) !== request
        request.partitions.forEach(({ partition, committedOffset }, at) => {
          if (answer.partitions[at]?.errorCode !== 'NONE') return
          assert.ok(
            isLate || committedOffset >= highest[partition]!,
            `${sender} went back from ${highest[partition]} to ${committedOffset}`,
          )
          highest[partition] = committedOffset
        })
      }
      const all: Consumer[] = []
      const start = (name: string): void => void all.push(world.consumer(name, options))
      start('a')
      start('b')
      for (let round = 0; round < 20; round++) {
        world.append('in', Math.floor(chance() * 4), `r${round}`, `s${round}`)
        await world.run(chance() * 3_000)
        if (chance() < 0.3) world.cluster.elect('in', Math.floor(chance() * 4))
        if (chance() > faults.crash) continue
        const victim = all.at(-1)!
        const name = victim.process.name
        if (chance() < 0.5) victim.process.kill()
        else {
          victim.process.freeze()
          const wake = 4_000 + chance() * 10_000
          world.clock.at(world.clock.now() + wake, () => victim.process.thaw())
          continue
        }
        world.clock.at(world.clock.now() + chance() * 5_000, () => start(name))
      }
      isBad = false
      const done = (): boolean => [0, 1, 2, 3].reduce((sum, partition) => sum + world.committed(partition), 0) >= 40
      await world.until('all committed', () => world.clock.events % 50 === 0 && done(), 60_000)
      const seen = new Set(all.flatMap((consumer) => consumer.seen))
      assert.equal(seen.size, 40)
      assert.deepEqual(all.flatMap(({ told }) => told.filter((line) => line.startsWith('failed'))), []) // biome-ignore format: one fact
    })
  }
})

test('the same seed is the same run', async () => {
  const traceOf = async (seed: number): Promise<string> => {
    const world = new World(seed)
    const chance = world.clock.stream('faults')
    const trace: string[] = []
    world.fate = () => (chance() < 0.05 ? 'lose-answer' : 'deliver')
    world.watch = (request, answer, sender) =>
      trace.push(`${world.clock.now()} ${sender} ${JSON.stringify([request, answer])}`)
    const consumers = ['a', 'b', 'c'].map((name) => world.consumer(name))
    for (let round = 0; round < 20; round++) {
      world.append('in', round % 4, `v${round}`)
      await world.run(500)
    }
    return [...trace, ...consumers.flatMap(({ told, seen }) => [...told, ...seen])].join('\n')
  }
  const first = await traceOf(5)
  assert.equal(await traceOf(5), first)
  assert.notEqual(await traceOf(6), first)
})
