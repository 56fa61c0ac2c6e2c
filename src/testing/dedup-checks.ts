/**
 * What every dedup store has to pass, for those who write one: `for (const { name, run } of dedupStoreChecks(open)) test(name, run)`.
 * The checks share one store, with ids of their own, so they may run on a server that others use.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DedupAnswer, DedupStore } from '../ports/dedup.ts'

export interface DedupStoreCheck {
  readonly name: string
  run(): Promise<void>
}

export interface DedupStoreChecksOptions {
  /** Another store on the same place, as another process would have it. Left out for stores that only one process sees. */
  readonly another?: () => Promise<DedupStore> | DedupStore
}

type Body = (store: DedupStore, name: (what: string) => string) => Promise<void>

const LONG_MS = 60_000
const SHORT_MS = 40
const PATIENCE_MS = 10_000

const times = (count: number, answer: DedupAnswer): DedupAnswer[] => Array.from({ length: count }, () => answer)

const checks: Readonly<Record<string, Body>> = {
  'an id is new once, then taken, then done': async (store, name) => {
    const [a, b] = [name('a'), name('b')]
    assert.deepEqual(await store.begin([a, b], { owner: 'one', ms: LONG_MS }), ['new', 'new'])
    assert.deepEqual(await store.begin([a, b], { owner: 'two', ms: LONG_MS }), ['taken', 'taken'])
    await store.done([b])
    const fresh = name('c')
    assert.deepEqual(await store.begin([fresh, b, a], { owner: 'two', ms: LONG_MS }), ['new', 'done', 'taken'])
    assert.deepEqual(await store.begin([b], { owner: 'one', ms: LONG_MS }), ['done'], 'for its own owner too')
  },
  'nobody is in his own way: asking again renews the claim': async (store, name) => {
    const id = name('a')
    await store.begin([id], { owner: 'one', ms: SHORT_MS })
    assert.deepEqual(await store.begin([id], { owner: 'one', ms: LONG_MS }), ['new'])
    await sleep(2 * SHORT_MS)
    assert.deepEqual(await store.begin([id], { owner: 'two', ms: LONG_MS }), ['taken'])
  },
  'a claim lapses: whoever crashed locks nothing for ever': async (store, name) => {
    const id = name('a')
    await store.begin([id], { owner: 'one', ms: SHORT_MS })
    const end = performance.now() + PATIENCE_MS
    for (;;) {
      const [answer] = await store.begin([id], { owner: 'two', ms: LONG_MS })
      if (answer === 'new') break
      assert.equal(answer, 'taken')
      assert.ok(performance.now() < end, 'the claim does not lapse')
      await sleep(SHORT_MS / 4)
    }
    assert.deepEqual(await store.begin([id], { owner: 'one', ms: LONG_MS }), ['taken'])
  },
  'released by its owner it is new at once; others cannot release it': async (store, name) => {
    const id = name('a')
    await store.begin([id], { owner: 'one', ms: LONG_MS })
    await store.release([id], 'two')
    assert.deepEqual(await store.begin([id], { owner: 'two', ms: LONG_MS }), ['taken'])
    await store.release([id], 'one')
    assert.deepEqual(await store.begin([id], { owner: 'two', ms: LONG_MS }), ['new'])
  },
  'done is done: a release does not undo it, and nobody has to have claimed it': async (store, name) => {
    const [a, b] = [name('a'), name('b')]
    await store.begin([a], { owner: 'one', ms: LONG_MS })
    await store.done([a, b])
    await store.release([a, b], 'one')
    assert.deepEqual(await store.begin([a, b], { owner: 'one', ms: LONG_MS }), ['done', 'done'])
    await store.done([a])
    assert.deepEqual(await store.begin([a], { owner: 'two', ms: LONG_MS }), ['done'], 'twice is as good as once')
  },
  'done counts, whoever has claimed it meanwhile': async (store, name) => {
    const id = name('a')
    await store.begin([id], { owner: 'two', ms: LONG_MS })
    await store.done([id])
    assert.deepEqual(await store.begin([id], { owner: 'two', ms: LONG_MS }), ['done'])
  },
  'of many who ask at the same time, one hears new for each id': async (store, name) => {
    const ids = Array.from({ length: 40 }, (_, at) => name(`race-${at}`))
    const owners = Array.from({ length: 12 }, (_, at) => `owner-${at}`)
    // Every owner asks in an order of its own: a store that locks in that order would wait for ever.
    const orders = owners.map((_, at) => [...ids.slice(at * 3), ...ids.slice(0, at * 3)])
    const answers = await Promise.all(owners.map((owner, at) => store.begin(orders[at] ?? [], { owner, ms: LONG_MS })))
    for (const id of ids) {
      const heard = answers.map((each, at) => each[(orders[at] ?? []).indexOf(id)])
      assert.equal(heard.filter((answer) => answer === 'new').length, 1, `${id}: ${heard}`)
      assert.equal(heard.filter((answer) => answer === 'taken').length, owners.length - 1)
    }
  },
  'ids are texts like any other': async (store, name) => {
    const odd = [
      'a b',
      "'; DROP TABLE x; --",
      'ü€😀',
      '__proto__',
      'a/b/c',
      '%_*?[]{}',
      '\n\t\r',
      'x'.repeat(900),
      'A',
      'a ',
    ]
    const ids = odd.map((each) => name(each))
    assert.deepEqual(await store.begin(ids, { owner: 'one', ms: LONG_MS }), times(ids.length, 'new'))
    await store.done(ids)
    assert.deepEqual(await store.begin(ids, { owner: 'two', ms: LONG_MS }), times(ids.length, 'done'))
    assert.deepEqual(
      await store.begin([name('a')], { owner: 'two', ms: LONG_MS }),
      ['new'],
      'nothing is trimmed or folded',
    )
  },
  'thousands at once, and none': async (store, name) => {
    const ids = Array.from({ length: 3_000 }, (_, at) => name(`many-${at}`))
    assert.deepEqual(await store.begin(ids, { owner: 'one', ms: LONG_MS }), times(ids.length, 'new'))
    await store.done(ids.filter((_, at) => at % 3 === 0))
    await store.release(
      ids.filter((_, at) => at % 3 === 1),
      'one',
    )
    const expected = ids.map((_, at): DedupAnswer => (at % 3 === 0 ? 'done' : at % 3 === 1 ? 'new' : 'taken'))
    assert.deepEqual(await store.begin(ids, { owner: 'two', ms: LONG_MS }), expected)
    assert.deepEqual(await store.begin([], { owner: 'two', ms: LONG_MS }), [])
    await store.done([])
    await store.release([], 'two')
  },
}

export function dedupStoreChecks(
  open: () => Promise<DedupStore> | DedupStore,
  { another }: DedupStoreChecksOptions = {},
): readonly DedupStoreCheck[] {
  const single = Object.entries(checks).map(([name, body]) => ({
    name,
    run: async () => body(await open(), namer()),
  }))
  if (another === undefined) return single
  return [...single, { name: 'another process sees the same ids', run: () => shared(open, another) }]
}

async function shared(
  open: () => Promise<DedupStore> | DedupStore,
  another: () => Promise<DedupStore> | DedupStore,
): Promise<void> {
  const name = namer()
  const [a, b, c] = [name('a'), name('b'), name('c')]
  const [mine, other] = [await open(), await another()]
  await mine.begin([a, b], { owner: 'one', ms: LONG_MS })
  await mine.done([a])
  assert.deepEqual(await other.begin([a, b, c], { owner: 'two', ms: LONG_MS }), ['done', 'taken', 'new'])
  assert.deepEqual(await mine.begin([c], { owner: 'one', ms: LONG_MS }), ['taken'])
  await other.close?.()
}

/** Ids that no other check and no other run uses. */
function namer(): (what: string) => string {
  const run = randomUUID()
  return (what) => `${run}:${what}`
}
