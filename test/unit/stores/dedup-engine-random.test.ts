/**
 * Two dedup engines on one store, driven at random: handlers end or fail in any order, works are aborted at any moment, the store
 * answers late, fails, or comes too late. Whatever happens: a piece of work is settled once; nothing starts after its abort; one id
 * never runs twice at the same time, nor again after it was done; and in the end everything is done and nothing is left behind.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asEpoch, asOffset, asPosition } from '../../../src/kernel/ids.ts'
import type { DedupStore } from '../../../src/ports/dedup.ts'
import type { Completion, Engine, Work } from '../../../src/ports/engine.ts'
import { toSubmission } from '../../../src/runtime/submission.ts'
import { DedupEngine } from '../../../src/stores/dedup/engine.ts'
import { memoryDedup } from '../../../src/stores/memory.ts'
import { ManualClock } from '../cluster/manual-clock.ts'

const SEEDS = 60
const RECORDS = 40
const IDS = 25
const CLAIM_MS = 30_000

type Chance = (below: number) => number

function chanceOf(seed: number): Chance {
  let state = seed * 2_654_435_761 + 1
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b_3c6d) + 0x9e37_79b9) | 0
    return ((state ^ (state >>> 13)) >>> 0) % below
  }
}

/** What everybody sees of ids, whichever engine runs them. */
class Ledger {
  readonly running: Set<string> = new Set()
  readonly done: Set<string> = new Set()
  readonly aborted: Set<number> = new Set()

  starts({ run, batch, index }: Work): void {
    const id = String(batch.keys[index])
    assert.ok(!this.aborted.has(run as number), `${id} starts after its abort`)
    assert.ok(!this.running.has(id), `${id} runs twice at a time`)
    assert.ok(!this.done.has(id), `${id} was done`)
    this.running.add(id)
  }

  ends({ batch, index }: Work, isDone: boolean): void {
    const id = String(batch.keys[index])
    this.running.delete(id)
    if (isDone) this.done.add(id)
  }
}

class RandomEngine implements Engine {
  readonly #ledger: Ledger
  readonly running: Work[] = []
  #tell: (completions: readonly Completion[]) => void = () => undefined

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }
  completions(listener: (completions: readonly Completion[]) => void): void {
    this.#tell = listener
  }
  submit(works: readonly Work[]): void {
    for (const work of works) {
      this.#ledger.starts(work)
      this.running.push(work)
    }
  }
  submitBatches(batches: readonly (readonly Work[])[]): void {
    for (const works of batches) this.submit(works)
  }
  inFlight(): number {
    return this.running.length
  }
  capacity(): number {
    return 100
  }
  async shutdown(): Promise<void> {}

  endOne(chance: Chance, failures: number): void {
    const [work] = this.running.splice(chance(this.running.length || 1), 1)
    if (work === undefined) return
    const isDone = chance(100) >= failures
    this.#ledger.ends(work, isDone)
    const { topic, partition, offset, epoch, attempt, run } = work
    const end = isDone ? { status: 'done' as const } : { status: 'failed' as const, error: new Error('no') }
    this.#tell([{ topic, partition, offset, epoch, attempt, run: run as number, ...end }])
  }
}

/** Late, failing, or both: applied, and then the answer is lost. */
function moody(store: DedupStore, chance: Chance, trouble: () => number): DedupStore {
  const mood = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    for (let turns = chance(4); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve))
    if (chance(100) < trouble()) throw new Error('before')
    const result = await call()
    if (chance(100) < trouble()) throw new Error('after')
    return result
  }
  return {
    begin: (ids, claim) => mood(() => store.begin(ids, claim)),
    done: (ids) => mood(() => store.done(ids)),
    release: (ids, owner) => mood(() => store.release(ids, owner)),
  }
}

/** What the control plane does with one engine: hands out, hands out again what came back, aborts. */
class Driver {
  readonly clock: ManualClock = new ManualClock()
  readonly engine: DedupEngine
  readonly inner: RandomEngine
  readonly #ledger: Ledger
  readonly #chance: Chance
  readonly #waiting: number[] = Array.from({ length: RECORDS }, (_, at) => at)
  readonly #out: Map<number, Work> = new Map()
  readonly #deferred: Set<number> = new Set()
  #runs: number
  finished = 0

  constructor(store: DedupStore, ledger: Ledger, chance: Chance, name: string) {
    this.#ledger = ledger
    this.#chance = chance
    this.#runs = name === 'one' ? 0 : 1_000_000
    this.inner = new RandomEngine(ledger)
    this.engine = new DedupEngine({
      inner: this.inner,
      store,
      idOf: ({ batch, index }) => String(batch.keys[index]),
      laneOf: () => null,
      clock: this.clock,
      owner: name,
      claimMs: CLAIM_MS,
      timeoutMs: 5_000,
      report: () => undefined,
      broken: (error) => {
        throw error
      },
    })
    this.engine.completions((completions) => {
      for (const completion of completions) this.#settled(completion)
    })
  }

  get isOver(): boolean {
    return this.finished === RECORDS
  }

  submit(): void {
    const count = Math.min(this.#waiting.length, 1 + this.#chance(8))
    const works = this.#waiting.splice(0, count).map((offset) => this.#work(offset))
    for (const work of works) this.#out.set(work.run as number, work)
    if (works.length === 0) return
    if (this.#chance(3) === 0) this.engine.submitBatches([works])
    else this.engine.submit(works)
  }

  abortOne(): void {
    const all = [...this.#out.values()]
    const work = all[this.#chance(all.length || 1)]
    if (work === undefined) return
    this.#ledger.aborted.add(work.run as number)
    this.engine.abort([work], (['revoked', 'timeout', 'skipped'] as const)[this.#chance(3)] ?? 'revoked')
  }

  #settled({ run, status, offset }: Completion): void {
    assert.ok(this.#out.has(run as number), `${offset} is settled twice`)
    if (status === 'deferred') {
      assert.ok(!this.#deferred.has(run as number), `${offset} is deferred twice`)
      this.#deferred.add(run as number)
      return
    }
    this.#out.delete(run as number)
    if (status === 'done') this.finished++
    else this.#waiting.push(offset)
  }

  #work(offset: number): Work {
    const keys = Array.from({ length: RECORDS }, (_, at) => `id-${(at * 7) % IDS}`)
    const batch = {
      epoch: asEpoch(1),
      count: RECORDS,
      offsets: keys.map((_, at) => at),
      keys,
      sizes: keys.map(() => 1),
      nextPosition: asPosition(RECORDS),
      logEnd: asPosition(RECORDS),
      leaderEpoch: 0,
      record: () => assert.fail('nobody needs the record'),
    }
    const id = { topic: 't', partition: 0, offset: asOffset(offset), epoch: batch.epoch, attempt: 1, run: ++this.#runs }
    return toSubmission({ ...id, batch, index: offset })
  }
}

async function play(seed: number): Promise<void> {
  const chance = chanceOf(seed)
  const ledger = new Ledger()
  let trouble = chance(2) === 0 ? 0 : 10
  const memory = memoryDedup()
  const store = moody(memory, chance, () => trouble)
  const drivers = ['one', 'two'].map((name) => new Driver(store, ledger, chance, name))
  const aborts = chance(2) === 0
  for (let step = 0; step < 400; step++) {
    for (const driver of drivers) {
      const what = chance(10)
      if (what < 3) driver.submit()
      else if (what < 6) driver.inner.endOne(chance, 20)
      else if (what === 6 && aborts) driver.abortOne()
      else if (what < 9) await driver.clock.advance(chance(200))
      else await new Promise((resolve) => setImmediate(resolve))
    }
  }
  trouble = 0
  for (let step = 0; !drivers.every(({ isOver }) => isOver); step++) {
    assert.ok(step < 2_000, `it does not end: ${drivers.map(({ finished }) => finished)} of ${RECORDS}`)
    for (const driver of drivers) {
      driver.submit()
      driver.inner.endOne(chance, 0)
      await driver.clock.advance(500)
    }
  }
  assert.equal(ledger.done.size, IDS)
  for (const { clock, engine } of drivers) {
    await clock.advance(2 * CLAIM_MS)
    assert.equal(clock.timers, 0, 'a timer is left')
    assert.equal(engine.inFlight(), 0)
  }
}

test(`R8 I11 I12 · ${SEEDS} random lives of two engines on one store`, async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    await play(seed).catch((error: unknown) => {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
    })
  }
})
