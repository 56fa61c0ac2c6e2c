/**
 * Random requests, sent both to the coordinator and to the model of it that was verified against Apache Kafka: every answer
 * must be the same, at the same moment. On the way the invariants of a group are checked. A failure names its seed.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Request, Response } from '../../../../src/testing/sim/cluster/requests.ts'
import { SimCluster } from '../../../../src/testing/sim/cluster/sim-cluster.ts'
import type { Exchange } from '../../../conformance/script-runner.ts'
import { CoordinatorTarget } from './support/coordinator-target.ts'
import { Invariants } from './support/invariants.ts'
import { Random } from './support/random.ts'

const seeds = 100
const steps = 120
const groups = ['g', 'h']
const actors = ['a', 'b', 'c', 'd'] as const
const topics = { in: 2 }

interface Actor {
  readonly name: string
  readonly groupInstanceId: string | null
  memberId: string
  generationId: number
  groupId: string
}

interface Asked {
  readonly request: Request
  exchange: Exchange | null
  model: Response | null
  mine: Response | null
}

/** Lists whose order is not promised are compared sorted; fields that only one side has are left out. */
function comparable(response: Response | null): unknown {
  if (response === null) return null
  const keys = [
    ['kind', 'errorCode', 'generationId', 'protocolType', 'protocolName', 'leader', 'skipAssignment', 'memberId'],
    ['members', 'assignment', 'partitions', 'nodeId'],
  ].flat()
  const parts = ['memberId', 'groupInstanceId', 'metadata', 'topic', 'partition', 'errorCode', 'committedOffset']
  const fields = response as unknown as Record<string, unknown>
  return keys.map((key) => {
    const value = fields[key]
    if (!Array.isArray(value)) return [key, value]
    return [key, value.map((item) => parts.map((part) => (item as Record<string, unknown>)[part])).sort(byText)]
  })
}

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1
}

class Run {
  readonly #random: Random
  readonly #model = new SimCluster({ topics, sessionTimeoutMinMs: 100 })
  #uuids = 0
  readonly #target = new CoordinatorTarget(() => String(++this.#uuids))
  readonly #invariants = new Invariants()
  readonly #actors: Actor[]
  #asked: Asked[] = []
  #steps = 0
  #nowMs = 0
  #node = 1

  constructor(seed: number) {
    this.#random = new Random(seed)
    this.#actors = actors.map((name, i) => ({
      name,
      groupInstanceId: i === 3 ? 'static' : null,
      memberId: '',
      generationId: -1,
      groupId: groups[i % 2 === 0 || seed % 2 === 0 ? 0 : 1] as string,
    }))
  }

  async all(): Promise<void> {
    await this.#target.open({ title: 'random', topics: { in: { kind: 'plain', partitions: 2 } }, steps: [] })
    for (; this.#steps < steps; this.#steps++) {
      await this.#step()
      for (const asked of this.#asked) await this.#listen(asked)
      this.#compare()
    }
    await this.#target.close()
  }

  async #step(): Promise<void> {
    const dice = this.#random.below(100)
    if (dice < 12) await this.#advance(1 + this.#random.below(400))
    else if (dice < 14) await this.#move()
    else await this.#send(this.#request(this.#random.pick(this.#actors)))
  }

  async #advance(ms: number): Promise<void> {
    const end = this.#nowMs + ms
    while (this.#model.nextDeadline() <= end) {
      await this.#target.advance(this.#model.nextDeadline() - this.#nowMs)
      this.#nowMs = this.#model.nextDeadline()
      this.#model.tick(this.#nowMs)
    }
    await this.#target.advance(end - this.#nowMs)
    this.#nowMs = end
  }

  async #move(): Promise<void> {
    this.#model.moveCoordinator(this.#nowMs, 'group', 0)
    await this.#target.control({ kind: 'moveCoordinator', of: 'group', loading: false })
    this.#node = this.#target.otherNode(this.#node)
    this.#invariants.moved()
  }

  async #send(request: Request): Promise<void> {
    const asked: Asked = { request, exchange: null, model: null, mine: null }
    this.#asked.push(asked)
    this.#model.request(this.#nowMs, request, (response) => {
      asked.model = response
    })
    asked.exchange = await this.#target.send('x', request)
  }

  async #listen(asked: Asked): Promise<void> {
    if (asked.mine !== null || asked.exchange?.answered !== true) return
    asked.mine = await asked.exchange.answer()
    this.#heard(asked.request, asked.mine)
  }

  #heard(request: Request, response: Response): void {
    const actor = this.#actors.find(({ name }) => 'clientId' in request && request.clientId === name)
    if (response.kind === 'JoinGroup' && actor !== undefined) {
      if (response.errorCode === 'NONE' || response.errorCode === 'MEMBER_ID_REQUIRED') {
        actor.memberId = response.memberId
        if (response.errorCode === 'NONE') actor.generationId = response.generationId
      } else if (response.errorCode === 'UNKNOWN_MEMBER_ID' || response.errorCode === 'FENCED_INSTANCE_ID') {
        actor.memberId = ''
      }
    }
    this.#invariants.heard(request, response)
  }

  /** What both have answered is done with; what only one has is a difference. */
  #compare(): void {
    for (const { request, model, mine } of this.#asked) {
      assert.deepEqual(comparable(mine), comparable(model), JSON.stringify(request))
    }
    this.#asked = this.#asked.filter(({ mine }) => mine === null)
  }

  #request(actor: Actor): Request {
    const random = this.#random
    const strange = random.below(20) === 0
    // Kafka trips over a static member that uses an id which was given out to another.
    const others = actor.groupInstanceId === null ? this.#actors.map((other) => other.memberId) : []
    const memberId = strange ? random.pick(['', 'nobody', ...others]) : actor.memberId
    const generationId = random.below(12) === 0 ? random.below(4) - 1 : actor.generationId
    const node = random.below(40) === 0 ? this.#target.otherNode(this.#node) : this.#node
    const base = { node, groupId: actor.groupId, groupInstanceId: actor.groupInstanceId, memberId }
    const member = { ...base, generationId }
    switch (random.below(7)) {
      case 0:
      case 1: {
        const sessionTimeoutMs = 200 + 100 * random.below(4) + this.#actors.indexOf(actor)
        const names = random.pick([['range'], ['range', 'sticky'], ['sticky', 'range'], ['sticky']])
        const protocols = names.map((name) => ({ name, metadata: random.below(3) === 0 ? random.below(3) : 0 }))
        const rebalanceTimeoutMs = 150 + 50 * random.below(6) + this.#actors.indexOf(actor)
        const how = { clientId: actor.name, sessionTimeoutMs, rebalanceTimeoutMs, protocolType: 'consumer', protocols }
        return { kind: 'JoinGroup', ...base, ...how }
      }
      case 2: {
        const protocolName = random.below(6) === 0 ? 'sticky' : 'range'
        const assignments = this.#actors
          .filter((other) => other.memberId !== '')
          .map((other) => ({ memberId: other.memberId, assignment: `${other.name} ${this.#steps}` }))
        return { kind: 'SyncGroup', ...member, protocolType: 'consumer', protocolName, assignments }
      }
      case 3:
        return { kind: 'Heartbeat', ...member }
      case 4: {
        const { node, groupId, groupInstanceId } = base
        if (random.below(3) > 0) return { kind: 'Heartbeat', ...member }
        return { kind: 'LeaveGroup', node, groupId, members: [{ memberId, groupInstanceId }] }
      }
      case 5: {
        const position = { topic: 'in', committedOffset: random.below(100), committedLeaderEpoch: 0 }
        const partitions = [{ ...position, partition: random.below(2), committedMetadata: 'm' }]
        return { kind: 'OffsetCommit', ...member, partitions }
      }
      default:
        return { kind: 'OffsetFetch', node, groupId: actor.groupId, requireStable: false, partitions: null }
    }
  }
}

describe('group coordinator: random requests', () => {
  for (let seed = 1; seed <= seeds; seed++) {
    it(`Q7 · answers as the model of Apache Kafka does (seed ${seed})`, async () => {
      await new Run(seed).all()
    })
  }
})
