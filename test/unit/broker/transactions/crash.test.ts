/**
 * Crashes at every step of a transaction. Each log keeps any prefix between what was synced and what was written, each by
 * itself. After the restart, with or without the client coming back, every transaction is committed everywhere or aborted
 * everywhere; what the client was told holds; nothing stays open.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { offsetsTopic } from '../../../../src/broker/topics/names.ts'
import { errorCodes } from '../../../../src/protocol/errors.ts'
import { isControl, producerId as producerIdOf } from '../../../../src/protocol/record-batch/header.ts'
import { type Remains, World, type WriteResult } from './world.ts'

type Flow = 'explicit' | 'eager' | 'implicit'
const topics = { out: 2 }
const timeoutMs = 60_000

/** The world of the moment: a crash replaces it. */
class Stage {
  world: World
  #crash = Promise.withResolvers<typeof crashed>()

  constructor(world: World) {
    this.world = world
    world.autoSync = false
  }

  restart(remains: Remains): void {
    const { nextId, coordinator } = this.world
    coordinator.close()
    this.world = new World(topics, { endWaitMaxMs: 0 }, remains, nextId)
    this.world.autoSync = false
    const crash = this.#crash
    this.#crash = Promise.withResolvers()
    crash.resolve(crashed)
  }

  /** Asks, and asks again after a crash or a "later", as a client does. Throws `fenced` where another instance took over. */
  async ask<T extends { readonly error: number }>(question: (world: World) => Promise<T>): Promise<T> {
    for (;;) {
      const answer = await Promise.race([question(this.world), this.#crash.promise])
      if (answer !== crashed) {
        const { error } = answer as T
        if (error === errorCodes.NONE) return answer as T
        if (fences.includes(error)) throw fenced
      }
      await setImmediate()
    }
  }
}

const crashed = Symbol('crashed')
const fenced = new Error('fenced')
const fences: readonly number[] = [errorCodes.PRODUCER_FENCED, errorCodes.INVALID_PRODUCER_EPOCH]

class Client {
  readonly #stage: Stage
  readonly #flow: Flow
  #producerId = -1
  #epoch = -1
  #sequences = [0, 0]
  /** Transaction → what its client was told. */
  readonly told = new Map<string, 'commit' | 'abort'>()
  isDone = false

  constructor(stage: Stage, flow: Flow) {
    this.#stage = stage
    this.#flow = flow
  }

  /** `name` tells the transactions of one instance from those of another. */
  async run(ends: readonly ('commit' | 'abort')[], name = ''): Promise<void> {
    try {
      await this.#run(ends, name)
    } catch (error) {
      if (error !== fenced) throw error
    } finally {
      this.isDone = true
    }
  }

  async #run(ends: readonly ('commit' | 'abort')[], name: string): Promise<void> {
    const fresh = {
      version: 5,
      transactionalId: 't',
      transactionTimeoutMs: timeoutMs,
      producerId: -1,
      producerEpoch: -1,
    }
    const id = await this.#stage.ask((world) => world.coordinator.initProducerId(fresh))
    this.#producerId = id.producerId
    this.#epoch = id.producerEpoch
    for (const [n, end] of ends.entries()) await this.#transaction(`${name}${n}`, end)
  }

  async #transaction(name: string, end: 'commit' | 'abort'): Promise<void> {
    const adding = this.#flow === 'implicit' ? Promise.resolve() : this.#add()
    if (this.#flow === 'explicit') await adding
    const produce = [this.#produce(0, name), this.#produce(1, name), this.#offsets(name), this.#produce(0, name)]
    // All of them have to end before this instance may give up: a late write would come from nowhere.
    const ended = await Promise.allSettled([adding, ...produce])
    for (const write of ended) if (write.status === 'rejected') throw write.reason
    const request = { version: this.#flow === 'implicit' ? 5 : 4, ...this.#credentials, committed: end === 'commit' }
    const answer = await this.#stage.ask((world) => world.coordinator.endTxn(request))
    this.told.set(name, end)
    if (this.#flow !== 'implicit') return
    this.#producerId = answer.producerId
    this.#epoch = answer.producerEpoch
    this.#sequences = [0, 0]
  }

  get #credentials() {
    return { transactionalId: 't', producerId: this.#producerId, producerEpoch: this.#epoch }
  }

  async #add(): Promise<void> {
    const partitions = [0, 1].map((partition) => ({ topic: 'out', partition }))
    const request = { version: 3, verifyOnly: false, ...this.#credentials, partitions }
    await this.#stage.ask(async (world) => ({ error: (await world.coordinator.addPartitions(request))[0]! }))
    const offsets = { version: 4, ...this.#credentials, groupId: 'g' }
    await this.#stage.ask(async (world) => ({ error: await world.coordinator.addOffsets(offsets) }))
  }

  async #produce(partition: number, name: string): Promise<void> {
    const batch = { producerId: this.#producerId, epoch: this.#epoch, sequence: this.#sequences[partition]!++ }
    const version = this.#flow === 'implicit' ? 12 : 11
    const write = (world: World) =>
      world.produce(version, 't', 'out', partition, { ...batch, transactional: true }, `${name} ${batch.sequence}`)
    await this.#stage.ask((world) => outcome(write(world)))
  }

  async #offsets(name: string): Promise<void> {
    const { producerId, producerEpoch } = this.#credentials
    const version = this.#flow === 'implicit' ? 5 : 4
    const write = (world: World) => world.commitOffsets(version, 't', producerId, producerEpoch, `${name} offsets`)
    await this.#stage.ask((world) => outcome(write(world)))
  }
}

async function outcome({ verdict, durable }: WriteResult): Promise<{ readonly error: number }> {
  await durable
  return { error: verdict.kind === 'refused' ? verdict.error : errorCodes.NONE }
}

/** Every way in which the files can look after a crash now. */
function* remainsOf(world: World): Generator<Remains> {
  const files = [...world.partitions].map(([name, { file }]) => ({ name, file }))
  const counts = [world.state, ...files.map(({ file }) => file)].map(
    ({ entries, synced }) => entries.length - synced + 1,
  )
  const ways = counts.reduce((product, count) => product * count, 1)
  for (let way = 0; way < ways; way++) {
    let rest = way
    const kept = [world.state, ...files.map(({ file }) => file)].map(({ synced }, i) => {
      const more = rest % counts[i]!
      rest = Math.floor(rest / counts[i]!)
      return synced + more
    })
    const partitions = new Map(files.map(({ name, file }, i) => [name, file.entries.slice(0, kept[i + 1])]))
    yield { state: world.state.entries.slice(0, kept[0]), partitions }
  }
}

/** Transaction → partition → how its records ended there. */
function endings(
  world: World,
): Map<string, Map<string, { commit: Set<string>; abort: Set<string>; open: Set<string> }>> {
  const found: ReturnType<typeof endings> = new Map()
  for (const [name, { file }] of world.partitions) {
    let open: [number, string][] = []
    const end = (note: string, how: 'commit' | 'abort' | 'open') => {
      const transaction = note.split(' ')[0]!
      const places = found.get(transaction) ?? new Map()
      const ends = places.get(name) ?? { commit: new Set(), abort: new Set(), open: new Set() }
      ends[how].add(note)
      places.set(name, ends)
      found.set(transaction, places)
    }
    for (const { batch, note } of file.entries) {
      const id = producerIdOf(batch, 0)
      if (!isControl(batch, 0)) open.push([id, note])
      else {
        for (const [owner, written] of open) if (owner === id) end(written, note as 'commit' | 'abort')
        open = open.filter(([owner]) => owner !== id)
      }
    }
    for (const [, written] of open) end(written, 'open')
  }
  return found
}

function verify(world: World, told: ReadonlyMap<string, 'commit' | 'abort'>): void {
  const found = endings(world)
  for (const [transaction, places] of found) {
    const ways = new Set<string>()
    for (const ends of places.values()) {
      for (const way of ['commit', 'abort', 'open'] as const) if (ends[way].size > 0) ways.add(way)
    }
    assert.ok(
      ways.size === 1 && !ways.has('open'),
      `transaction ${transaction} ended in more than one way: ${[...ways]}`,
    )
    if (told.has(transaction)) assert.ok(ways.has(told.get(transaction)!), `transaction ${transaction}: not as told`)
  }
  for (const [transaction, how] of told) {
    if (how === 'abort') continue
    const places = found.get(transaction)
    assert.equal(places?.get('out/0')?.commit.size, 2, `transaction ${transaction} lost a record in out-0`)
    assert.equal(places?.get('out/1')?.commit.size, 1, `transaction ${transaction} lost a record in out-1`)
    assert.equal(places?.get(`${offsetsTopic}/0`)?.commit.size, 1, `transaction ${transaction} lost its offsets`)
  }
  for (const { states } of world.partitions.values())
    assert.equal(states.firstUndecidedOffset, Number.POSITIVE_INFINITY)
}

/** Everything that is open times out. */
async function finish(world: World): Promise<void> {
  world.autoSync = true
  await world.settle()
  world.clock.advance(timeoutMs + 1)
  await world.settle()
}

/** A small generator of its own: the same number gives the same run. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Runs a client; after each step one file, now this one, now that, gets to the disk. */
async function play(
  flow: Flow,
  seed: number,
  crashAt: (step: number, world: World) => Remains | null,
): Promise<{ stage: Stage; client: Client; steps: number }> {
  const random = randomOf(seed)
  const stage = new Stage(new World(topics, { endWaitMaxMs: 0 }))
  const client = new Client(stage, flow)
  const running = client.run(['commit', 'abort', 'commit'])
  let steps = 0
  for (; !client.isDone; steps++) {
    assert.ok(steps < 5_000, 'the client does not get on')
    await setImmediate()
    const remains = crashAt(steps, stage.world)
    if (remains !== null) stage.restart(remains)
    const dirty = stage.world.files.filter((file) => file.isDirty)
    dirty[Math.floor(random() * dirty.length)]?.sync()
  }
  await running
  return { stage, client, steps }
}

for (const flow of ['explicit', 'eager', 'implicit'] as const) {
  test(`I9 Q10 · after a crash at any step, with any prefix of each log, transactions end one way (${flow})`, async () => {
    let states = 0
    for (let seed = 1; seed <= 8; seed++) {
      const crashes: { remains: Remains; told: Map<string, 'commit' | 'abort'> }[] = []
      const told: Map<string, 'commit' | 'abort'>[] = []
      const random = randomOf(seed)
      const stage = new Stage(new World(topics, { endWaitMaxMs: 0 }))
      const client = new Client(stage, flow)
      const running = client.run(['commit', 'abort', 'commit'])
      while (!client.isDone) {
        await setImmediate()
        told.push(new Map(client.told))
        for (const remains of remainsOf(stage.world)) crashes.push({ remains, told: told.at(-1)! })
        const dirty = stage.world.files.filter((file) => file.isDirty)
        dirty[Math.floor(random() * dirty.length)]?.sync()
      }
      await running
      for (const { remains, told } of crashes) {
        const world = new World(topics, { endWaitMaxMs: 0 }, remains, 500)
        await finish(world)
        verify(world, told)
        states++
      }
    }
    assert.ok(states > 600, `${states} crash states`)
  })

  test(`I9 Q10 · a client that goes on after the crash gets all it wrote, once, or nothing (${flow})`, async () => {
    for (let seed = 1; seed <= 150; seed++) {
      const random = randomOf(seed)
      const at = new Set([0, 1, 2].map((n) => n * 12 + Math.floor(random() * 12)))
      const { stage, client } = await play(flow, seed, (step, world) => {
        if (!at.has(step)) return null
        const all = [...remainsOf(world)]
        return all[Math.floor(random() * all.length)]!
      })
      await finish(stage.world)
      verify(stage.world, client.told)
      assert.equal(client.told.size, 3)
    }
  })

  test(`X3 · I9 · ${flow}: two instances of one transactional id, with crashes: the older one is fenced or done`, async () => {
    let fencedOnes = 0
    for (let seed = 1; seed <= 150; seed++) {
      const random = randomOf(seed)
      const stage = new Stage(new World(topics, { endWaitMaxMs: 0 }))
      const [older, newer] = [new Client(stage, flow), new Client(stage, flow)]
      const clients = [older.run(['commit', 'abort', 'commit'], 'a')]
      const arrival = Math.floor(random() * 40)
      const at = new Set([0, 1, 2].map((n) => n * 15 + Math.floor(random() * 15)))
      for (let step = 0; step <= arrival || !older.isDone || !newer.isDone; step++) {
        assert.ok(step < 5_000, 'the clients do not get on')
        if (step === arrival) clients.push(newer.run(['commit', 'commit'], 'b'))
        await setImmediate()
        const all = at.has(step) ? [...remainsOf(stage.world)] : []
        if (all.length > 0) stage.restart(all[Math.floor(random() * all.length)]!)
        const dirty = stage.world.files.filter((file) => file.isDirty)
        dirty[Math.floor(random() * dirty.length)]?.sync()
      }
      await Promise.all(clients)
      await finish(stage.world)
      verify(stage.world, new Map([...older.told, ...newer.told]))
      // A crash can make the older one ask for its id again, after the newer one: then that one is fenced.
      assert.ok(older.told.size === 3 || newer.told.size === 2, 'both were fenced')
      if (older.told.size < 3) fencedOnes++
    }
    assert.ok(fencedOnes > 10, `${fencedOnes} runs in which the older one was fenced`)
  })
}
