/**
 * Members of both protocols come, change over, go and fall silent at random, with restarts in between. Whatever happens: a
 * partition has one owner, what a restarted coordinator knows is what the old one knew (compacted or not), and when everybody
 * behaves in the end, everybody gets what the target says, with all partitions given out.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MixedWorld } from './support/migration.ts'
import { Random } from './support/random.ts'
import { assignedIn, embeddedAssignment, embeddedSubscription } from './support/wire.ts'
import type { World } from './support/world.ts'

interface Client {
  readonly speaks: 'classic' | 'consumer'
  memberId: string
  epoch: number
  owns: string
  readonly instanceId: string | null
}

const partitions = ['in-0', 'in-1', 'in-2', 'in-3', 'out-0', 'out-1']
const seeds = 16
const steps = 40

class Clients {
  readonly mixed: MixedWorld = new MixedWorld({ topics: { in: 4, out: 2 } })
  readonly #random: Random
  readonly #clients: Client[] = []
  #made = 0

  constructor(random: Random) {
    this.#random = random
  }

  async step(): Promise<void> {
    const client = this.#clients.length === 0 ? undefined : this.#random.pick(this.#clients)
    switch (this.#random.below(12)) {
      case 0:
      case 1:
        if (this.#clients.length < 5) await this.#come()
        return
      case 2:
        if (client !== undefined && this.#random.below(2) === 0) await this.#leave(client)
        return
      case 3:
        await this.mixed.world.advance(this.#random.pick([1_000, 10_000, 46_000]))
        return
      case 4:
        this.mixed.restart(this.#random.below(2) === 0 ? this.mixed.world.log.compacted() : this.mixed.world.log)
        return
      default:
        if (client !== undefined) await this.turn(client)
    }
  }

  /** What a well-behaved client does next. */
  async turn(client: Client): Promise<void> {
    if (client.speaks === 'classic') await this.#classicTurn(client)
    else await this.#consumerTurn(client)
  }

  async everybody(): Promise<void> {
    for (const client of this.#clients) await this.turn(client)
  }

  get all(): readonly Client[] {
    return this.#clients
  }

  async #come(): Promise<void> {
    const speaks = this.#random.pick(['classic', 'consumer'] as const)
    const instanceId = this.#random.below(3) === 0 ? this.#random.pick(['one', 'two']) : null
    const older = this.#clients.findIndex((client) => instanceId !== null && client.instanceId === instanceId)
    if (older >= 0) {
      if (this.#clients[older]?.speaks === 'consumer') return
      // The older instance has crashed.
      this.#clients.splice(older, 1)
    }
    const memberId = speaks === 'consumer' ? `k${++this.#made}` : ''
    this.#clients.push({ speaks, memberId, epoch: 0, owns: '', instanceId })
  }

  async #leave(client: Client): Promise<void> {
    this.#clients.splice(this.#clients.indexOf(client), 1)
    const { memberId, instanceId } = client
    if (client.speaks === 'consumer') await this.mixed.consumer(memberId, -1, { instanceId })
    else await this.mixed.world.leave({ members: [{ memberId, groupInstanceId: instanceId }] })
  }

  async #consumerTurn(client: Client): Promise<void> {
    const { instanceId, memberId, epoch } = client
    const names = ['in', 'out'].filter((topic) => client.owns.includes(topic))
    const topicPartitions = names.map((topic) => ({
      topicId: this.mixed.world.topics.topicId(topic) ?? '',
      partitions: client.owns
        .split(' ')
        .filter((one) => one.startsWith(topic))
        .map((one) => Number(one.split('-')[1])),
    }))
    const joins = { rebalanceTimeoutMs: 30_000, subscribedTopicNames: ['in', 'out'] }
    const fields = epoch === 0 ? joins : {}
    const said = await this.mixed.consumer(memberId, epoch, { instanceId, topicPartitions, ...fields })
    const told = /^epoch (\d+)(:.*)?$/.exec(said)
    if (told === null) {
      assert.ok(expectedErrors.has(said), said)
      Object.assign(client, { epoch: 0, owns: '' })
      return
    }
    client.epoch = Number(told[1])
    if (told[2] !== undefined) client.owns = told[2].slice(1).trim()
  }

  async #classicTurn(client: Client): Promise<void> {
    const { memberId, epoch, instanceId } = client
    if (epoch > 0) {
      const beat = await this.mixed.beat(memberId, epoch, instanceId)
      if (beat === 'NONE') return
      assert.ok(expectedErrors.has(beat), beat)
      if (beat !== 'REBALANCE_IN_PROGRESS') client.owns = ''
    }
    const protocols = [{ name: 'range', metadata: embeddedSubscription(['in', 'out'], client.owns) }]
    const asked = await this.mixed.world.join({ memberId, groupInstanceId: instanceId, protocols })
    if (!asked.isAnswered) return
    const { errorCode, generationId, leader, members } = asked.answer
    client.memberId = errorCode === 25 || errorCode === 82 ? '' : asked.answer.memberId || client.memberId
    client.epoch = 0
    if (errorCode !== 0) return
    const each = members.map(({ memberId: id }, i) => ({
      memberId: id,
      assignment: embeddedAssignment(partitions.filter((_, at) => at % members.length === i).join(' ')),
    }))
    const assignments = leader === client.memberId ? each : []
    const names = { memberId: client.memberId, generationId, groupInstanceId: instanceId, assignments }
    const synced = await this.mixed.world.sync(names)
    if (!synced.isAnswered || synced.answer.errorCode !== 0) return
    client.epoch = generationId
    client.owns = synced.answer.assignment.length === 0 ? '' : assignedIn(synced.answer.assignment)
  }
}

/** What a client hears when it was put out, when its answer got lost, or when the group has changed under it. */
const expectedErrors = new Set([
  'UNKNOWN_MEMBER_ID',
  'ILLEGAL_GENERATION',
  'REBALANCE_IN_PROGRESS',
  'FENCED_MEMBER_EPOCH',
  'FENCED_INSTANCE_ID',
  'UNRELEASED_INSTANCE_ID',
  'GROUP_ID_NOT_FOUND',
])

/** No partition is owned by two; and a second coordinator reads the same from the log. */
async function check({ mixed }: Clients): Promise<void> {
  const members = await mixed.members()
  const owned = Object.values(members).flatMap(({ owns }) => owns.split(' ').filter((one) => one !== ''))
  assert.equal(new Set(owned).size, owned.length, `two owners in ${JSON.stringify(members)}`)
  const described = await inOrder(mixed.world)
  for (const log of [mixed.world.log.afterCrash(), mixed.world.log.compacted()]) {
    const beside = mixed.world.beside(log)
    assert.deepEqual(await inOrder(beside), described)
    beside.coordinator.close()
  }
}

async function inOrder(world: World): Promise<object> {
  const described = await world.consumerDescribe()
  return { ...described, members: [...described.members].sort((a, b) => (a.memberId < b.memberId ? -1 : 1)) }
}

describe('group coordinator: two protocols at random', () => {
  it(`G3 · ${seeds} groups of ${steps} steps`, async () => {
    const types = new Set<string>()
    for (let seed = 1; seed <= seeds; seed++) {
      const clients = new Clients(new Random(seed))
      for (let step = 0; step < steps; step++) {
        await clients.step()
        await check(clients)
        types.add(await clients.mixed.type())
      }
      for (let round = 0; round < 12; round++) await clients.everybody()
      const all = clients.all.flatMap(({ owns }) => owns.split(' ').filter((one) => one !== ''))
      if (clients.all.length > 0) assert.deepEqual(all.sort(), partitions, `seed ${seed}`)
    }
    for (const type of ['classic Stable', 'classic PreparingRebalance', 'consumer Stable', 'consumer Reconciling']) {
      assert.ok(types.has(type), `${type} was reached`)
    }
  })
})
