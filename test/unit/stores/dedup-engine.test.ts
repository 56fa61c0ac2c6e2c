/** The dedup engine alone: what it asks the store, what it hands on, and what it says about each piece of work. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PermanentError } from '../../../src/errors.ts'
import { asEpoch, asOffset, asPosition } from '../../../src/kernel/ids.ts'
import type { DedupStore } from '../../../src/ports/dedup.ts'
import type { Completion, Engine, Work } from '../../../src/ports/engine.ts'
import { toSubmission } from '../../../src/runtime/submission.ts'
import { DedupEngine, type DedupEngineParts } from '../../../src/stores/dedup/engine.ts'
import { memoryDedup } from '../../../src/stores/memory.ts'
import { ManualClock } from '../cluster/manual-clock.ts'

const CLAIM_MS = 9_000
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
}

let runs = 100

function works(keys: readonly string[]): readonly Work[] {
  const batch = {
    epoch: asEpoch(3),
    count: keys.length,
    offsets: keys.map((_, at) => at),
    keys,
    sizes: keys.map(() => 10),
    nextPosition: asPosition(keys.length),
    logEnd: asPosition(keys.length),
    leaderEpoch: 0,
    record: (index: number) => ({
      topic: 't',
      partition: 0,
      offset: index,
      timestamp: 0,
      size: 10,
      key: Buffer.from(keys[index] ?? ''),
      value: null,
      headers: [],
    }),
  }
  return keys.map((_, at) =>
    toSubmission({
      topic: 't',
      partition: 0,
      offset: asOffset(at),
      epoch: batch.epoch,
      attempt: 1,
      run: ++runs,
      batch,
      index: at,
    }),
  )
}

/** An engine whose work ends when the test says so. */
class HandEngine implements Engine {
  readonly started: Work[] = []
  readonly batches: (readonly Work[])[] = []
  readonly aborted: number[] = []
  tell: (completions: readonly Completion[]) => void = () => undefined

  completions(listener: (completions: readonly Completion[]) => void): void {
    this.tell = listener
  }
  submit(batch: readonly Work[]): void {
    this.started.push(...batch)
  }
  submitBatches(batches: readonly (readonly Work[])[]): void {
    this.batches.push(...batches)
  }
  abort(all: readonly { offset: number }[]): void {
    this.aborted.push(...all.map(({ offset }) => offset))
  }
  inFlight(): number {
    return this.started.length
  }
  capacity(): number {
    return 10
  }
  async shutdown(): Promise<void> {}

  end(work: Work, end: { status: 'done' | 'returned' | 'deferred' } | { status: 'failed'; error: unknown }): void {
    const { topic, partition, offset, epoch, attempt, run } = work
    this.tell([{ topic, partition, offset, epoch, attempt, run: run as number, ...end } as Completion])
  }
}

interface Bench {
  readonly engine: DedupEngine
  readonly inner: HandEngine
  readonly clock: ManualClock
  readonly said: string[]
  readonly errors: unknown[]
  readonly asked: string[]
}

function bench(store: DedupStore = memoryDedup(), change: Partial<DedupEngineParts> = {}): Bench {
  const inner = new HandEngine()
  const clock = new ManualClock()
  const said: string[] = []
  const errors: unknown[] = []
  const asked: string[] = []
  const watched: DedupStore = {
    begin: (ids, claim) => {
      asked.push(`begin ${ids}`)
      return store.begin(ids, claim)
    },
    done: (ids) => {
      asked.push(`done ${ids}`)
      return store.done(ids)
    },
    release: (ids, owner) => {
      asked.push(`release ${ids}`)
      return store.release(ids, owner)
    },
  }
  const engine = new DedupEngine({
    inner,
    store: watched,
    idOf: ({ batch, index }) => String(batch.keys[index]),
    laneOf: ({ batch, index }) => batch.keys[index]?.split(':')[0] ?? null,
    clock,
    owner: 'me',
    claimMs: CLAIM_MS,
    timeoutMs: 5_000,
    report: (error) => errors.push(error),
    broken: (error) => errors.push(error),
    ...change,
  })
  engine.completions((completions) => {
    for (const { offset, status } of completions) said.push(`${offset} ${status}`)
  })
  return { engine, inner, clock, said, errors, asked }
}

const offsets = (all: readonly Work[]): number[] => all.map(({ offset }) => offset)

describe('the dedup engine', () => {
  test('R8 · one question for all; new ones run; the mark comes before the completion', async () => {
    const marks = Promise.withResolvers<void>()
    const store = memoryDedup()
    await store.done(['b'])
    const { engine, inner, said, asked } = bench({
      ...bound(store),
      done: (ids) => marks.promise.then(() => store.done(ids)),
    })
    const [a, , c] = works(['a', 'b', 'c']) as [Work, Work, Work]
    engine.submit([a, ...works(['a', 'b']).slice(1), c])
    await settled()
    assert.deepEqual(offsets(inner.started), [0, 2])
    assert.deepEqual(said, ['1 done'])
    assert.equal(engine.deduplicated, 1)
    inner.end(a, { status: 'done' })
    inner.end(c, { status: 'done' })
    await settled()
    assert.deepEqual(said, ['1 done'], 'not before the store knows')
    marks.resolve()
    await settled()
    assert.deepEqual(said, ['1 done', '0 done', '2 done'])
    assert.deepEqual(asked, ['begin a,b,c', 'done a,c'])
  })

  test('R8 · a failure is released and never marked; the next attempt claims at once', async () => {
    const { engine, inner, said, asked } = bench()
    const [a] = works(['a']) as [Work]
    engine.submit([a])
    await settled()
    inner.end(a, { status: 'failed', error: new Error('no') })
    await settled()
    assert.deepEqual(said, ['0 failed'])
    engine.submit(works(['a']))
    await settled()
    assert.equal(inner.started.length, 2)
    assert.deepEqual(asked, ['begin a', 'release a', 'begin a'])
  })

  test('R8 · taken by another: it waits without a place and comes back unattempted, until it is done there', async () => {
    const store = memoryDedup()
    await store.begin(['a'], { owner: 'other', ms: 60_000 })
    const { engine, inner, said, clock } = bench(store)
    engine.submit(works(['a']))
    await settled()
    assert.deepEqual(said, ['0 deferred'])
    await clock.advance(250)
    assert.deepEqual(said, ['0 deferred', '0 returned'])
    await store.done(['a'])
    engine.submit(works(['a']))
    await settled()
    assert.deepEqual(said, ['0 deferred', '0 returned', '0 done'])
    assert.equal(inner.started.length, 0)
  })

  test('R8 · two records with one id in one consumer: the second waits for the first', async () => {
    const { engine, inner, said, asked } = bench()
    const [first, second] = works(['a', 'a']) as [Work, Work]
    engine.submit([first, second])
    await settled()
    assert.deepEqual(offsets(inner.started), [0])
    assert.deepEqual(said, ['1 deferred'])
    inner.end(first, { status: 'done' })
    await settled()
    assert.deepEqual(said, ['1 deferred', '1 returned', '0 done'])
    engine.submit(works(['a']))
    await settled()
    assert.equal(said.at(-1), '0 done')
    assert.equal(inner.started.length, 1)
    assert.deepEqual(asked, ['begin a', 'done a', 'begin a'])
  })

  test('R8 I11 · told to stop while the store is asked: it does not start, and its claim is given back', async () => {
    const gate = Promise.withResolvers<void>()
    const store = memoryDedup()
    const slow = {
      ...bound(store),
      begin: (ids: readonly string[], claim: never) => gate.promise.then(() => store.begin(ids, claim)),
    }
    const { engine, inner, said, asked } = bench(slow)
    const [a, b] = works(['a', 'b']) as [Work, Work]
    engine.submit([a, b])
    engine.abort([a], 'revoked')
    assert.deepEqual(said, ['0 returned'])
    gate.resolve()
    await settled()
    assert.deepEqual(offsets(inner.started), [1])
    assert.deepEqual(asked, ['begin a,b', 'release a'])
    assert.deepEqual(await store.begin(['a', 'b'], { owner: 'other', ms: 1 }), ['new', 'taken'])
    engine.abort([b], 'revoked')
    assert.deepEqual(inner.aborted, [1], 'one that runs is told by its engine')
  })

  test('R8 · a store that fails: records wait, nothing is lost, no attempt is used, and it is said', async () => {
    const store = memoryDedup()
    let isDown = true
    const flaky: DedupStore = {
      ...bound(store),
      begin: (ids, claim) => {
        if (isDown) throw new Error('connection refused')
        return store.begin(ids, claim)
      },
    }
    const { engine, inner, said, errors, clock } = bench(flaky)
    engine.submit(works(['a', 'b']))
    await settled()
    assert.deepEqual(said, ['0 deferred', '1 deferred'])
    assert.deepEqual(
      errors.map((error) => (error as { code: string }).code),
      ['DEDUP_STORE_FAILED'],
    )
    await clock.advance(100)
    assert.deepEqual(said.slice(2), ['0 returned', '1 returned'])
    isDown = false
    engine.submit(works(['a', 'b']))
    await settled()
    assert.deepEqual(offsets(inner.started), [0, 1])
  })

  test('R8 · a store that failed is left alone for a while: records that come meanwhile wait without asking', async () => {
    const down: DedupStore = { ...bound(memoryDedup()), begin: () => Promise.reject(new Error('down')) }
    const { engine, said, errors, clock, asked } = bench(down)
    for (const key of ['a', 'b', 'c', 'd']) {
      engine.submit(works([key]))
      await settled()
    }
    assert.equal(said.filter((each) => each.endsWith('deferred')).length, 4)
    assert.deepEqual([asked.length, errors.length], [1, 1])
    await clock.advance(100)
    assert.equal(said.filter((each) => each.endsWith('returned')).length, 4)
  })

  test('R8 · a mark that fails is tried again: what is done is not done a second time', async () => {
    const store = memoryDedup()
    let failures = 2
    const flaky: DedupStore = {
      ...bound(store),
      done: async (ids) => {
        if (failures-- > 0) throw new Error('gone')
        return store.done(ids)
      },
    }
    const { engine, inner, said, errors, clock } = bench(flaky)
    const [a] = works(['a']) as [Work]
    engine.submit([a])
    await settled()
    inner.end(a, { status: 'done' })
    await settled()
    inner.end(a, { status: 'failed', error: new Error('a second word') })
    for (let round = 0; round < 3; round++) {
      await clock.advance(10_000)
      await settled()
    }
    assert.deepEqual(said, ['0 done'])
    assert.ok(errors.length >= 2)
    assert.deepEqual(await store.begin(['a'], { owner: 'other', ms: 1 }), ['done'])
  })

  test('R8 · a store that never answers: a time-out, and a claim that comes too late is given back', async () => {
    const gate = Promise.withResolvers<void>()
    const store = memoryDedup()
    const slow: DedupStore = {
      ...bound(store),
      begin: (ids, claim) => gate.promise.then(() => store.begin(ids, claim)),
    }
    // No renewal before the time-out: it would give the claim back as well.
    const { engine, inner, said, errors, clock, asked } = bench(slow, { claimMs: 60_000 })
    engine.submit(works(['a']))
    await settled()
    await clock.advance(5_000)
    await settled()
    assert.deepEqual(said, ['0 deferred'])
    assert.equal((errors[0] as { code: string }).code, 'DEDUP_STORE_TIMEOUT')
    gate.resolve()
    await settled()
    assert.equal(inner.started.length, 0)
    assert.ok(asked.includes('release a'))
    assert.deepEqual(await store.begin(['a'], { owner: 'other', ms: 1 }), ['new'])
  })

  test('R8 · a handler that runs for longer than a claim lasts: the claim is renewed', async () => {
    let nowMs = 0
    const store = memoryDedup({ clock: { now: () => nowMs } })
    const { engine, inner, clock, asked } = bench(store)
    const [a] = works(['a']) as [Work]
    engine.submit([a])
    await settled()
    for (let third = 0; third < 9; third++) {
      nowMs += CLAIM_MS / 3
      await clock.advance(CLAIM_MS / 3)
      await settled()
      assert.deepEqual(await store.begin(['a'], { owner: 'other', ms: 1 }), ['taken'])
    }
    inner.end(a, { status: 'done' })
    await settled()
    const before = asked.length
    await clock.advance(10 * CLAIM_MS)
    await settled()
    assert.equal(asked.length, before, 'nothing is renewed when nothing runs')
  })

  test('R8 · an id that cannot be had is a permanent failure of its record', async () => {
    const failure = new PermanentError('no id')
    const { engine, said, inner } = bench(memoryDedup(), {
      idOf: ({ offset }) => {
        if (offset === 0) throw failure
        return offset === 1 ? Promise.reject(failure) : Promise.resolve('c')
      },
    })
    engine.submit(works(['a', 'b', 'c']))
    await settled()
    assert.deepEqual(said, ['0 failed', '1 failed'])
    assert.deepEqual(offsets(inner.started), [2])
  })

  test('R8 I3 · in a batch, what follows a record that does not run now does not run before it', async () => {
    const store = memoryDedup()
    await store.begin(['x:1'], { owner: 'other', ms: 60_000 })
    await store.done(['y:1'])
    const { engine, inner, said, asked } = bench(store)
    engine.submitBatches([works(['x:1', 'x:2', 'y:1', 'y:2', 'z:1'])])
    await settled()
    assert.deepEqual(inner.batches.map(offsets), [[3, 4]])
    assert.deepEqual(said, ['0 deferred', '1 returned', '2 done'])
    assert.ok(asked.includes('release x:2'))
  })

  test('R8 · outputs: the record is marked when they are acknowledged, not before', async () => {
    const store = memoryDedup()
    const { engine, inner, said } = bench(store)
    const [a, b] = works(['a', 'b']) as [Work, Work]
    engine.submit([a, b])
    await settled()
    const output = { topic: 'out', key: null, value: null, headers: [], size: 1 }
    const sends = [[output], [output]] as const
    for (const [at, work] of [a, b].entries()) {
      inner.end(work, { status: 'done', sends: sends[at] } as { status: 'done' })
    }
    await settled()
    assert.deepEqual(said, ['0 done', '1 done'])
    assert.deepEqual(await store.begin(['a', 'b'], { owner: 'other', ms: 1 }), ['taken', 'taken'])
    const publications = [a, b].map((work, at) => ({ work, sends: sends[at] ?? [] }))
    await engine.published(publications, [
      { work: a, ok: true },
      { work: b, ok: false, error: new Error('no leader') },
    ])
    assert.deepEqual(await store.begin(['a'], { owner: 'other', ms: 1 }), ['done'])
    engine.submit(works(['b']))
    await settled()
    assert.equal(inner.started.length, 3, 'the attempt after a failed output is not taken for a duplicate')
  })

  test('R8 R7 · shutting down: what is done is marked, what waits is not started', async () => {
    const store = memoryDedup()
    const { engine, inner, clock } = bench(store)
    const [a] = works(['a']) as [Work]
    engine.submit([a])
    await settled()
    inner.end(a, { status: 'done' })
    engine.submit(works(['b']))
    await engine.shutdown(clock.now() + 1_000)
    await settled()
    assert.deepEqual(offsets(inner.started), [0])
    assert.deepEqual(await store.begin(['a', 'b'], { owner: 'other', ms: 1 }), ['done', 'new'])
  })
})

/** Methods as functions of their own: a spread of an instance has none. */
function bound(store: DedupStore): DedupStore {
  return {
    begin: (ids, claim) => store.begin(ids, claim),
    done: (ids) => store.done(ids),
    release: (ids, owner) => store.release(ids, owner),
  }
}
