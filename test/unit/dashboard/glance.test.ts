/** A glance tells in one pass what a whole snapshot tells, and only what is shown is put in order. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { heldFor, ordering, type Sort } from '../../../src/dashboard/instance.ts'
import { shownRows } from '../../../src/dashboard/rows.ts'
import type { Work } from '../../../src/kernel/events.ts'
import { Foremost } from '../../../src/kernel/foremost.ts'
import { type Glance, Glancer, heldPartitions } from '../../../src/kernel/glance.ts'
import type { Epoch } from '../../../src/kernel/ids.ts'
import type { Lease } from '../../../src/kernel/lease.ts'
import { type KernelSnapshot, type PartitionSnapshot, snapshot } from '../../../src/kernel/snapshot.ts'
import { waitingRecords } from '../../../src/kernel/waiting.ts'
import { TestKernel, works } from '../../support/kernel.ts'

const STALLED_MS = 5_000

function assertSame(seen: Glance, { partitions }: { readonly partitions: readonly PartitionSnapshot[] }): void {
  const byName = partitions.toSorted((a, b) => a.partition - b.partition)
  assert.deepEqual(
    seen.leases.map(({ home }) => home.partition),
    byName.map(({ partition }) => partition),
  )
  assert.deepEqual(
    [...seen.lag],
    byName.map(({ trueLag }) => trueLag),
  )
  assert.deepEqual(
    [...seen.heldMs],
    byName.map(({ blocking }) => blocking?.durationMs ?? -1),
  )
  assert.equal(
    seen.lagTotal,
    byName.reduce((sum, { trueLag }) => sum + trueLag, 0),
  )
  const ages = byName.flatMap(({ lagMs }) => (lagMs === null ? [] : [lagMs]))
  assert.equal(seen.lagMs, ages.length === 0 ? null : Math.max(...ages))
  assert.equal(
    seen.stalled,
    byName.filter(({ state, blocking }) => state === 'open' && (blocking?.durationMs ?? -1) >= STALLED_MS).length,
  )
  assert.equal(
    seen.parked,
    byName.reduce((sum, { parked }) => sum + parked.length, 0),
  )
  const paused: Record<string, number> = {}
  for (const { paused: reasons } of byName) for (const reason of reasons) paused[reason] = (paused[reason] ?? 0) + 1
  assert.deepEqual(seen.paused, paused)
}

type Deed = 'open' | 'lose' | 'drain' | 'poll' | 'done' | 'poison' | 'pause' | 'resume' | 'wait'

/** A control plane to which anything may happen that makes sense. */
class Shop {
  readonly kernel: TestKernel = new TestKernel({
    onExhausted: 'skip',
    breaker: { poisons: 1 },
    drainMs: 60_000,
    limits: { records: 12 },
  })
  readonly #held: Map<number, { readonly epoch: Epoch; next: number }> = new Map()
  readonly #running: Map<number, Work[]> = new Map()
  readonly #gone: Set<number> = new Set()

  snapshot(): KernelSnapshot {
    return snapshot(this.kernel.state, this.kernel.nowMs)
  }

  do(what: Deed, partition: number, ms: number): void {
    const { kernel } = this
    const at = this.#held.get(partition)
    const running = this.#running.get(partition) ?? []
    const selection = { topic: 't', partition }
    if (what === 'wait') kernel.wait(ms)
    else if (what === 'pause' || what === 'resume') kernel.step({ kind: 'control', control: { kind: what, selection } })
    else if (what === 'open') {
      if (at === undefined && !this.#gone.has(partition))
        this.#held.set(partition, { epoch: kernel.open(partition), next: 0 })
    } else if (what === 'done' || what === 'poison') {
      const work = running.shift()
      if (work === undefined) return
      running.push(...works(what === 'done' ? kernel.done(work) : kernel.fail(work, true)))
    } else if (at === undefined) return
    else if (what === 'poll') {
      const records = Array.from({ length: 5 }, (_, n) => [at.next + n, `k${(at.next + n) % 2}`] as const)
      at.next += 5
      const timestampAt = (index: number): number => kernel.nowMs - index
      this.#running.set(partition, [...running, ...kernel.poll(at.epoch, records, { timestampAt })])
    } else {
      if (what === 'lose') kernel.step({ kind: 'lost', partitions: [selection] })
      // What runs in it may end; it does not come back here.
      else kernel.step({ kind: 'revoked', revocation: this.#gone.add(partition).size, partitions: [selection] })
      this.#held.delete(partition)
      if (what === 'lose') this.#running.delete(partition)
    }
  }
}

describe('a glance', () => {
  test('P9 · says the same as a snapshot, whatever partitions come, go, hang, are paused and parked', () => {
    const whats = [
      'open',
      'lose',
      'drain',
      'poll',
      'poll',
      'done',
      'poison',
      'pause',
      'resume',
      'wait',
      'look',
    ] as const
    const deed = fc.record({
      what: fc.constantFrom(...whats),
      partition: fc.integer({ min: 0, max: 4 }),
      ms: fc.integer({ min: 1, max: 4_000 }),
    })
    fc.assert(
      fc.property(fc.array(deed, { minLength: 30, maxLength: 80, size: 'max' }), (deeds) => {
        const shop = new Shop()
        const glancer = new Glancer(shop.kernel.state)
        for (const { what, partition, ms } of deeds) {
          // Not after each: several partitions may come and go between two looks.
          if (what !== 'look') shop.do(what, partition, ms)
          else assertSame(glancer.glance(shop.kernel.nowMs, STALLED_MS), shop.snapshot())
        }
        assertSame(glancer.glance(shop.kernel.nowMs, STALLED_MS), shop.snapshot())
        assert.deepEqual(
          heldPartitions(shop.kernel.state, shop.kernel.nowMs, STALLED_MS),
          shop.snapshot().partitions.filter(({ blocking }) => (blocking?.durationMs ?? -1) >= STALLED_MS),
        )
      }),
      { seed: 8, numRuns: 400 },
    )
  })

  test('P9 · the rows of a page are the first ones of all, in each order, with and without a search', () => {
    const row = fc.record({
      topic: fc.constantFrom('a', 'b', 'ü'),
      partition: fc.nat(30),
      lag: fc.nat(5),
      heldMs: fc.integer({ min: -1, max: 4_000 }),
    })
    const rows = fc.uniqueArray(row, { selector: ({ topic, partition }) => `${topic}-${partition}`, maxLength: 60 })
    fc.assert(
      fc.property(
        rows,
        fc.constantFrom<Sort>('stuck', 'lag', 'name'),
        fc.nat(70),
        fc.constantFrom('', 'odd'),
        (given, sort, count, find) => {
          const all = given.toSorted((a, b) =>
            a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : a.partition - b.partition,
          )
          const leases = all.map(({ topic, partition }) => ({ home: { topic, partition } }) as Lease)
          const columns = {
            leases,
            lag: Float64Array.from(all, ({ lag }) => lag),
            heldMs: Float64Array.from(all, ({ heldMs }) => heldMs),
          }
          const isOdd = ({ home }: Pick<Lease, 'home'>): boolean => home.partition % 2 === 1
          const { rows: shown, total } = shownRows({ sort, find, from: 0, count }, columns, isOdd)
          const order = ordering(sort)
          const wanted = all
            .map((each, at) => ({ ...each, at, heldForMs: heldFor(each.heldMs) }))
            .filter(({ partition }) => find === '' || partition % 2 === 1)
            .sort(order)
          assert.equal(total, wanted.length)
          assert.deepEqual(
            shown,
            wanted.slice(0, count).map(({ at }) => at),
          )
        },
      ),
      { seed: 8, numRuns: 300 },
    )
  })

  test('the foremost of many are what sorting them all would give', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { maxLength: 200 }), fc.nat(30), (values, max) => {
        const first = new Foremost(max, (a, b) => values[a]! - values[b]!)
        for (const at of values.keys()) first.offer(at)
        const sorted = [...values.keys()].sort((a, b) => values[a]! - values[b]!)
        assert.deepEqual(first.items, sorted.slice(0, max))
      }),
      { seed: 8 },
    )
  })
})

describe('what waits for its next attempt', () => {
  test('P9 R5 · soonest first, as many as are asked for, all of them counted', () => {
    const kernel = new TestKernel({ retry: { attempts: 99, initialMs: 100, factor: 1, maxMs: 100 } })
    const epoch = kernel.open()
    assert.deepEqual(waitingRecords(kernel.state, 10), { total: 0, soonest: [] })
    const started = kernel.poll(epoch, [0, 1, 2, 3, 4])
    for (const at of [3, 1, 4]) {
      kernel.fail(started[at]!)
      kernel.wait(10)
    }
    assert.equal(waitingRecords(kernel.state, 0).total, 3)
    const { total, soonest } = waitingRecords(kernel.state, 2)
    assert.equal(total, 3)
    assert.deepEqual(
      soonest.map(({ offset }) => offset),
      [3, 1],
    )
  })

  test('P9 · a record that made everything stop is counted, though nothing will ever start it', () => {
    const kernel = new TestKernel({ onExhausted: 'stop', retry: { attempts: 1 } })
    const [work] = kernel.poll(kernel.open(), [0])
    kernel.fail(work!)
    assert.equal(waitingRecords(kernel.state, 1).soonest[0]?.offset, 0)
  })
})

describe('a hot lane', () => {
  test('P9 R6 · says whether its key is paused by hand, or stopped by its breaker', () => {
    const kernel = new TestKernel({ onExhausted: 'skip', breaker: { poisons: 1 } })
    const started = kernel.poll(kernel.open(), [
      [0, 'a'],
      [1, 'b'],
      [2, 'c'],
      [3, 'a'],
      [4, 'b'],
      [5, 'c'],
    ])
    kernel.fail(started[1]!, true)
    const control = (kind: 'pause' | 'resume'): void => {
      kernel.step({ kind: 'control', control: { kind, selection: { topic: 't', partition: 0, key: 'a' } } })
    }
    const paused = (): Record<string, string | null> =>
      Object.fromEntries(snapshot(kernel.state, kernel.nowMs).lanes.hottest.map((lane) => [lane.key, lane.paused]))
    assert.deepEqual(paused(), { a: null, b: 'parked', c: null })
    control('pause')
    assert.deepEqual(paused(), { a: 'user', b: 'parked', c: null })
    control('resume')
    assert.deepEqual(paused(), { a: null, b: 'parked', c: null })
  })
})
