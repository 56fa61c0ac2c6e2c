import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ConsumerGroupHeartbeatRequest } from '../../../../src/protocol/generated/68-consumer-group-heartbeat.ts'
import { randomStream } from '../../../../src/testing/sim/random.ts'
import { type Beat, compacted, World } from './consumer-world.ts'

/**
 * A client as a careful author would write it: it gives up what it is told to give up before it takes what is new, takes
 * its time for it, and drops everything when it is fenced. `holds` is what it works on.
 */
class Client {
  readonly world: World
  readonly id: string
  readonly instanceId: string | null
  topics: readonly string[]
  epoch = 0
  told = new Set<string>()
  holds = new Set<string>()
  isFenced = false

  constructor(world: World, id: string, instanceId: string | null, topics: readonly string[]) {
    this.world = world
    this.id = id
    this.instanceId = instanceId
    this.topics = topics
  }

  /** Gives up what it must, and then takes what is new. */
  settle(): void {
    this.holds = new Set(this.told)
  }

  /** Starts to give up, and is not done with all of it. */
  dawdle(): void {
    for (const one of this.holds) if (!this.told.has(one)) return void this.holds.delete(one)
  }

  async beat(kind: 'keep-alive' | 'owned' | 'full', lost: 'nothing' | 'the answer' = 'nothing'): Promise<Beat> {
    const { world, instanceId } = this
    const joins = this.epoch === 0
    const owned = world.partitions([...this.holds].join(' '))
    const more: Partial<ConsumerGroupHeartbeatRequest> = {
      instanceId,
      ...(kind === 'keep-alive' && !joins ? {} : { topicPartitions: joins ? [] : owned }),
      ...(kind === 'full' || joins ? { subscribedTopicNames: this.topics, rebalanceTimeoutMs: 60_000 } : {}),
    }
    const answer = await world.beat(this.id, this.epoch, more)
    if (lost === 'nothing') this.#hear(answer)
    return answer
  }

  #hear({ error, epoch, told }: Beat): void {
    if (error !== 'NONE') {
      this.isFenced = true
      this.epoch = 0
      this.told.clear()
      this.holds.clear()
      return
    }
    assert.ok(epoch >= this.epoch, `the epoch of ${this.id} went back from ${this.epoch} to ${epoch}`)
    this.epoch = epoch
    if (told !== null) this.told = new Set(told.split(' ').filter((one) => one !== ''))
  }
}

class Life {
  readonly world: World = new World({ t: 5, u: 3, v: 1 })
  readonly clients: Map<string, Client> = new Map()
  readonly random: () => number
  readonly isEqual: boolean
  readonly range: boolean
  #born = 0

  constructor(seed: number) {
    this.random = randomStream(seed, 'consumer group')
    this.isEqual = seed % 2 === 0
    this.range = seed % 5 === 4
    this.world.tellsIds = true
    this.world.options.sessionTimeoutMs = 1_000_000_000
    if (this.range) this.world.options.assignors = ['range']
  }

  below(n: number): number {
    return Math.floor(this.random() * n)
  }

  topics(): string[] {
    return this.isEqual ? ['t', 'u', 'v'] : ['t', 'u', 'v'].filter(() => this.random() < 0.6)
  }

  async step(): Promise<void> {
    const client = [...this.clients.values()][this.below(this.clients.size)]
    const what = this.below(100)
    if (client === undefined || (what < 8 && this.clients.size < 6)) {
      const id = `m${this.#born++}`
      this.clients.set(id, new Client(this.world, id, what < 4 ? `i-${id}` : null, this.topics()))
    } else if (what < 11) {
      await this.world.beat(client.id, -1, { instanceId: client.instanceId })
      this.clients.delete(client.id)
    } else if (what < 14) {
      // Its session ends; it will hear of it with its next heartbeat, and a careful client has stopped working by then.
      this.world.group.expireSession(client.id)
      client.told.clear()
      client.settle()
    } else if (what < 17 && client.instanceId !== null && client.epoch > 0 && !client.isFenced) {
      await this.#restart(client)
    } else if (what < 20) client.topics = this.topics()
    else if (what < 22) this.world.changeTopic('t', Math.min(9, (this.world.topics.partitionCount('t') ?? 0) + 1))
    else if (what < 24) this.world.changeTopic('v', this.world.topics.partitionCount('v') === undefined ? 2 : undefined)
    else if (what < 27) this.world.restart(this.random() < 0.5 ? this.world.log : compacted(this.world.log))
    else if (what < 35) client.dawdle()
    else if (what < 45) client.settle()
    else if (what < 55) {
      // The answer gets lost: a client then says everything again.
      await client.beat('full', 'the answer')
      await client.beat('full')
    } else await client.beat(what < 70 ? 'keep-alive' : what < 85 ? 'owned' : 'full')
  }

  async #restart(client: Client): Promise<void> {
    const left = await this.world.beat(client.id, -2, { instanceId: client.instanceId })
    if (left.error !== 'NONE') return
    this.clients.delete(client.id)
    const next = new Client(this.world, `m${this.#born++}`, client.instanceId, client.topics)
    this.clients.set(next.id, next)
    await next.beat('full')
  }

  /** By what the answers told them, no two clients work on the same partition. */
  checkOwners(): void {
    const owners = new Map<string, string>()
    for (const { id, holds } of this.clients.values()) {
      for (const one of holds) {
        assert.equal(owners.get(one), undefined, `${one} is held by ${owners.get(one)} and ${id}`)
        owners.set(one, id)
      }
    }
  }
}

async function live(seed: number, steps: number): Promise<Life> {
  const life = new Life(seed)
  let [groupEpoch, assignmentEpoch] = [0, 0]
  for (let step = 0; step < steps; step++) {
    await life.step()
    life.checkOwners()
    const now = life.world.described()
    assert.ok(now.groupEpoch >= groupEpoch && now.assignmentEpoch >= assignmentEpoch, 'epochs never go back')
    assert.ok(now.assignmentEpoch <= now.groupEpoch)
    groupEpoch = now.groupEpoch
    assignmentEpoch = now.assignmentEpoch
  }
  return life
}

/**
 * Everybody behaves from now on. Returns after how many rounds of heartbeats all was settled. A client whose first answer
 * got lost is known to the group and does not know it: as in Kafka it is let in again when that session has ended.
 */
async function comeToRest(life: Life): Promise<number> {
  for (const { id, epoch } of life.clients.values()) if (epoch === 0) life.world.group.expireSession(id)
  for (let round = 1; round <= 6; round++) {
    let moved = false
    for (const client of life.clients.values()) {
      const before = client.epoch
      const { error, told } = await client.beat(round === 1 ? 'full' : 'owned')
      if (error !== 'NONE' || client.epoch !== before || told !== null) moved = true
      client.settle()
      life.checkOwners()
    }
    if (!moved) return round
  }
  return Number.POSITIVE_INFINITY
}

describe('G2 · consumer protocol: random lives of a group', () => {
  test('no partition has two owners, epochs never go back, everything is assigned in the end', async () => {
    let rebalances = 0
    for (let seed = 0; seed < 120; seed++) {
      const life = await live(seed, 120)
      const rounds = await comeToRest(life)
      assert.ok(rounds <= 6, `seed ${seed}: not at rest`)
      const { world, clients } = life
      const now = world.described()
      rebalances += now.groupEpoch
      if (clients.size === 0) continue
      assert.equal(now.groupState, 'Stable', `seed ${seed}`)
      for (const { id, epoch, told, topics } of clients.values()) {
        assert.equal(epoch, now.assignmentEpoch, `seed ${seed}: ${id}`)
        for (const one of told) {
          const name = world.topics.topicName(one.split('-')[0] ?? '')
          assert.ok(topics.includes(name ?? ''), `seed ${seed}: ${one} unwanted`)
        }
      }
      const given = [...clients.values()].flatMap(({ told }) => [...told]).sort()
      const wanted = [...world.topics.names()]
        .filter((name) => [...clients.values()].some(({ topics }) => topics.includes(name)))
        .flatMap((name) => {
          const [id, count] = [world.topics.topicId(name), world.topics.partitionCount(name) ?? 0]
          return Array.from({ length: count }, (_, partition) => `${id}-${partition}`)
        })
      assert.deepEqual(given, wanted.sort(), `seed ${seed}`)
      const sizes = [...clients.values()].map(({ told }) => told.size)
      if (life.isEqual && !life.range) assert.ok(Math.max(...sizes) - Math.min(...sizes) <= 1, `seed ${seed}: ${sizes}`)
    }
    assert.ok(rebalances > 1000, `something happened: ${rebalances} epochs`)
  })

  test('at any moment a restarted broker knows what the old one knew, from the whole log and from the compacted one', async () => {
    for (let seed = 500; seed < 530; seed++) {
      const { world } = await live(seed, 60)
      const before = world.described()
      for (const log of [world.log, compacted(world.log)]) {
        world.restart(log)
        assert.deepEqual(world.described(), before, `seed ${seed}`)
      }
    }
  })

  test('who stays keeps what it has: one member more or less moves no more than it must', async () => {
    for (let seed = 1000; seed < 1040; seed += 2) {
      const life = await live(seed, 60)
      if (life.range || life.clients.size < 2) continue
      await comeToRest(life)
      const before = new Map([...life.clients.values()].map(({ id, told }) => [id, new Set(told)]))
      const leaver = [...life.clients.values()][life.below(life.clients.size)]
      if (leaver === undefined) continue
      await life.world.beat(leaver.id, -1, { instanceId: leaver.instanceId })
      life.clients.delete(leaver.id)
      await comeToRest(life)
      for (const { id, told } of life.clients.values()) {
        for (const one of before.get(id) ?? []) assert.ok(told.has(one), `seed ${seed}: ${id} lost ${one}`)
      }
      const then = new Map([...life.clients.values()].map(({ id, told }) => [id, new Set(told)]))
      const joiner = new Client(life.world, 'new', null, ['t', 'u', 'v'])
      life.clients.set('new', joiner)
      await comeToRest(life)
      const moved = [...life.clients.values()].flatMap(({ id, told }) =>
        id === 'new' ? [] : [...told].filter((one) => !then.get(id)?.has(one)),
      )
      assert.deepEqual(moved, [], `seed ${seed}: nothing moves between those that were there`)
    }
  })
})
