/**
 * The states against a reference that remembers everything and looks it all up each time: whatever is produced, marked,
 * forgotten, snapshotted, both judge alike.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ProducerStates, type Verdict } from '../../../src/broker/log/producer-state.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { data, marker } from './producer-state-batches.ts'

type Written =
  | {
      readonly kind: 'data'
      readonly producerId: number
      readonly epoch: number
      readonly first: number
      readonly last: number
      readonly offset: number
      readonly count: number
      readonly transactional: boolean
      readonly atMs: number
    }
  | {
      readonly kind: 'commit' | 'abort'
      readonly producerId: number
      readonly epoch: number
      readonly coordinatorEpoch: number
      readonly offset: number
      readonly atMs: number
    }

const sequences = 2 ** 31

class Reference {
  history: Written[] = []
  logStart = 0
  readonly forgottenAt = new Map<number, number>()

  of(producerId: number): Written[] {
    const from = this.forgottenAt.get(producerId) ?? 0
    return this.history.filter((w, i) => w.producerId === producerId && i >= from)
  }

  /** Data of the current epoch, the last five. */
  remembered(producerId: number) {
    const all = this.of(producerId)
    const epoch = all.at(-1)?.epoch
    let from = all.length
    while (from > 0 && all[from - 1]!.epoch === epoch) from--
    return all
      .slice(from)
      .filter((w) => w.kind === 'data')
      .slice(-5)
  }

  openFrom(producerId: number): number {
    let open = -1
    for (const w of this.of(producerId)) {
      if (w.kind !== 'data') open = -1
      else if (w.transactional && open < 0) open = w.offset
    }
    return open
  }

  firstUndecided(): number {
    const open = [0, 1, 2].map((id) => this.openFrom(id)).filter((offset) => offset >= 0)
    return Math.min(...open)
  }

  aborted(from: number, to: number) {
    const found: { producerId: number; firstOffset: number }[] = []
    for (const [at, w] of this.history.entries()) {
      if (w.kind !== 'abort' || w.offset < this.logStart) continue
      let open = -1
      for (const before of this.history.slice(0, at)) {
        if (before.producerId !== w.producerId) continue
        if (before.kind !== 'data') open = -1
        else if (before.transactional && open < 0) open = before.offset
      }
      if (open >= 0 && w.offset >= from && open < to) found.push({ producerId: w.producerId, firstOffset: open })
    }
    return found
  }

  checkData(producerId: number, epoch: number, first: number, count: number, transactional: boolean): Verdict {
    const known = this.of(producerId).at(-1)
    if (known === undefined) return { kind: 'append' }
    const last = (first + count - 1) % sequences
    const remembered = this.remembered(producerId)
    const same = remembered.find((w) => w.kind === 'data' && w.epoch === epoch && w.first === first && w.last === last)
    if (same?.kind === 'data') {
      return {
        kind: 'duplicate',
        baseOffset: same.offset,
        lastOffset: same.offset + same.count - 1,
        timestampMs: same.atMs,
      }
    }
    if (epoch < known.epoch) return { kind: 'refused', error: errorCodes.INVALID_PRODUCER_EPOCH }
    const before = remembered.at(-1)
    const expected = epoch > known.epoch || before?.kind !== 'data' ? 0 : (before.last + 1) % sequences
    if (first !== expected) return { kind: 'refused', error: errorCodes.OUT_OF_ORDER_SEQUENCE_NUMBER }
    if (!transactional && this.openFrom(producerId) >= 0)
      return { kind: 'refused', error: errorCodes.INVALID_TXN_STATE }
    return { kind: 'append' }
  }

  checkMarker(producerId: number, epoch: number, coordinatorEpoch: number): Verdict {
    const all = this.of(producerId)
    if (epoch < (all.at(-1)?.epoch ?? -1)) return { kind: 'refused', error: errorCodes.INVALID_PRODUCER_EPOCH }
    const last = all.findLast((w) => w.kind !== 'data')
    if (last !== undefined && coordinatorEpoch < last.coordinatorEpoch) {
      return { kind: 'refused', error: errorCodes.TRANSACTION_COORDINATOR_FENCED }
    }
    return { kind: 'append' }
  }

  expire(nowMs: number, expirationMs: number): void {
    for (const producerId of [0, 1, 2]) {
      const last = this.of(producerId).at(-1)
      if (last !== undefined && this.openFrom(producerId) < 0 && nowMs - last.atMs >= expirationMs) {
        this.forgottenAt.set(producerId, this.history.length)
      }
    }
  }
}

const producerId = fc.integer({ min: 0, max: 2 })
const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('produce' as const),
      producerId,
      /** Relative to what is known: 0 continues, negative repeats or is old, positive jumps. */
      epoch: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 1, -1),
      sequence: fc.constantFrom(0, 0, 0, 0, 0, 0, -1, -2, 1),
      repeat: fc.option(fc.integer({ min: 0, max: 6 }), { freq: 4 }),
      count: fc.integer({ min: 1, max: 3 }),
      transactional: fc.boolean(),
      wrapping: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('mark' as const),
      producerId,
      epoch: fc.constantFrom(0, 0, 0, 1, -1),
      kind: fc.constantFrom('commit' as const, 'abort' as const),
      coordinatorEpoch: fc.constantFrom(1, 1, 1, 1, 2, 0),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('expire' as const), afterMs: fc.integer({ min: 1, max: 30 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('cut' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  },
)

test('Q10 · producer states judge like a reference that remembers everything', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const reference = new Reference()
      let states = new ProducerStates()
      let end = 0
      let nowMs = 0
      for (const s of steps) {
        nowMs++
        if (s.do === 'restart') states = ProducerStates.restore(states.snapshot())
        else if (s.do === 'expire') {
          reference.expire(nowMs, s.afterMs)
          states.expire(nowMs, s.afterMs)
        } else if (s.do === 'cut') {
          reference.logStart = Math.max(reference.logStart, Math.floor(s.share * end))
          states.truncateFrom(reference.logStart)
        } else if (s.do === 'mark') {
          const known = reference.of(s.producerId).at(-1)?.epoch ?? 0
          const epoch = Math.max(0, known + s.epoch)
          const bytes = marker({ ...s, epoch, offset: end, timestampMs: nowMs })
          const verdict = states.check(bytes, 'coordinator', nowMs)
          assert.deepEqual(verdict, reference.checkMarker(s.producerId, epoch, s.coordinatorEpoch))
          seen.add(nameOf(verdict))
          if (verdict.kind === 'append') {
            states.apply(bytes, nowMs)
            reference.history.push({ ...s, epoch, offset: end++, atMs: nowMs })
          }
        } else {
          const remembered = reference.remembered(s.producerId)
          const again = s.repeat === null ? undefined : remembered[s.repeat]
          const known = reference.of(s.producerId).at(-1)?.epoch ?? 0
          const before = remembered.at(-1)
          const start = s.wrapping && remembered.length === 0 ? sequences - 2 : 0
          const next = before?.kind === 'data' ? before.last + 1 : start
          const first = again?.kind === 'data' ? again.first : (next + s.sequence + sequences) % sequences
          const count = again?.kind === 'data' ? again.count : s.count
          const epoch = Math.max(0, known + s.epoch)
          const batch = { producerId: s.producerId, epoch, sequence: first, count, transactional: s.transactional }
          const bytes = data({ ...batch, offset: end, timestampMs: nowMs })
          const verdict = states.check(bytes, 'client', nowMs)
          assert.deepEqual(verdict, reference.checkData(s.producerId, epoch, first, count, s.transactional))
          seen.add(nameOf(verdict))
          if (verdict.kind === 'append') {
            states.apply(bytes, nowMs)
            const last = (first + count - 1) % sequences
            reference.history.push({ ...batch, kind: 'data', first, last, offset: end, atMs: nowMs })
            end += count
          }
        }
        assert.equal(states.firstUndecidedOffset, reference.firstUndecided())
        for (const from of [reference.logStart, Math.floor(end / 2), end - 1]) {
          for (const to of [from + 1, end]) {
            assert.deepEqual(states.abortedBetween(from, to), reference.aborted(from, to))
          }
        }
      }
    }),
    { numRuns: 1_000, seed: 4 },
  )
  for (const verdict of ['append', 'duplicate', 'INVALID_PRODUCER_EPOCH', 'OUT_OF_ORDER_SEQUENCE_NUMBER']) {
    assert.ok(seen.has(verdict), `never seen: ${verdict}`)
  }
  for (const verdict of ['INVALID_TXN_STATE', 'TRANSACTION_COORDINATOR_FENCED']) assert.ok(seen.has(verdict), verdict)
})

function nameOf(verdict: Verdict): string {
  if (verdict.kind !== 'refused') return verdict.kind
  return Object.entries(errorCodes).find(([, code]) => code === verdict.error)?.[0] ?? '?'
}
