/** The async engine alone: what it says about every call, and whom an abort reaches. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AsyncEngine, type AsyncEngineOptions } from '../../src/engines/async.ts'
import type { BatchHandler, Deferred, Handler, HandlerContext } from '../../src/engines/handler.ts'
import type { FanlaneError } from '../../src/errors.ts'
import { asEpoch, asOffset, asPosition } from '../../src/kernel/ids.ts'
import type { Completion, Work } from '../../src/ports/engine.ts'
import type { RawRecord } from '../../src/ports/log-client.ts'
import type { Logger } from '../../src/ports/logger.ts'
import { toSubmission } from '../../src/runtime/submission.ts'

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/** Every microtask that is due has run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** `count` works of one partition; the run is the offset plus 100. */
function works(count: number): readonly Work[] {
  const offsets = Array.from({ length: count }, (_, at) => at)
  const batch = {
    epoch: asEpoch(3),
    count,
    offsets,
    keys: offsets.map((offset) => `k${offset}`),
    sizes: offsets.map(() => 10),
    nextPosition: asPosition(count),
    logEnd: asPosition(count),
    leaderEpoch: 0,
    record: (index: number) => ({
      topic: 't',
      partition: 0,
      offset: index,
      timestamp: 0,
      size: 10,
      key: Buffer.from(`k${index}`),
      value: Buffer.from(`v${index}`),
      headers: [],
    }),
  }
  return offsets.map((offset) =>
    toSubmission({
      topic: 't',
      partition: 0,
      offset: asOffset(offset),
      epoch: batch.epoch,
      attempt: 1,
      run: 100 + offset,
      batch,
      index: offset,
    }),
  )
}

function engineWith(options: Partial<AsyncEngineOptions>): {
  readonly engine: AsyncEngine
  readonly said: readonly Completion[]
  readonly batches: readonly number[]
} {
  const said: Completion[] = []
  const batches: number[] = []
  const engine = new AsyncEngine({
    handle: null,
    handleBatch: null,
    decode: (record) => record,
    laneOf: () => null,
    logger: silent,
    capacity: () => 10,
    ...options,
  })
  engine.completions((completions) => {
    said.push(...completions)
    batches.push(completions.length)
  })
  return { engine, said, batches }
}

const statuses = (said: readonly Completion[]): string[] => said.map(({ offset, status }) => `${offset} ${status}`)

describe('the async engine', () => {
  test('I11 · told to stop while a record is decoded, its handler does not begin', async () => {
    const begun: string[] = []
    const decode = async (record: RawRecord): Promise<RawRecord> => record
    const one = engineWith({ decode, handle: (record) => void begun.push(`one ${record.offset}`) })
    const all = engineWith({ decode, handleBatch: async (records) => void begun.push(`all ${records.length}`) })
    one.engine.submit(works(2))
    one.engine.abort(works(1), 'revoked')
    all.engine.submitBatches([works(2)])
    all.engine.abort(works(1), 'revoked')
    await settled()
    assert.deepEqual(begun, ['one 1'])
    assert.deepEqual(statuses(one.said).sort(), ['0 failed', '1 done'])
    assert.deepEqual(statuses(all.said), ['0 failed', '1 failed'])
  })

  test('P1 · handlers without a promise run inline, and all results come in one batch', () => {
    const { engine, said, batches } = engineWith({ handle: () => undefined })
    engine.submit(works(3))
    assert.deepEqual(statuses(said), ['0 done', '1 done', '2 done'])
    assert.deepEqual(batches, [3])
    assert.equal(engine.inFlight(), 0)
  })

  test('P1 · work carries its record, and a result echoes the work', () => {
    const { engine, said } = engineWith({ handle: () => undefined })
    const [work] = works(1)
    assert.equal(String(work!.record.value), 'v0')
    engine.submit([work!])
    assert.deepEqual(said, [{ topic: 't', partition: 0, offset: 0, epoch: 3, attempt: 1, run: 100, status: 'done' }])
  })

  test('R4 · whatever a handler or a decoder throws, at once or later, is the failure of its record', async () => {
    const boom = new Error('boom')
    const thrower: Handler<unknown, unknown> = ({ offset }) => {
      if (offset === 0) throw boom
      return offset === 1 ? Promise.reject(boom) : undefined
    }
    const { engine, said } = engineWith({ handle: thrower })
    engine.submit(works(3))
    await settled()
    assert.deepEqual(statuses(said).sort(), ['0 failed', '1 failed', '2 done'])
    for (const decode of [
      () => {
        throw boom
      },
      () => Promise.reject(boom),
    ]) {
      const broken = engineWith({ handle: () => undefined, decode })
      broken.engine.submit(works(1))
      await settled()
      assert.deepEqual(statuses(broken.said), ['0 failed'])
    }
  })

  test('R7 · an abort reaches exactly the calls that it names', async () => {
    const aborted: number[] = []
    const handle: Handler<unknown, unknown> = ({ offset }, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          aborted.push(offset)
          resolve(undefined)
        })
      })
    const { engine, said } = engineWith({ handle })
    const all = works(4)
    engine.submit(all)
    assert.equal(engine.inFlight(), 4)
    engine.abort([all[2]!, all[0]!], 'timeout')
    assert.deepEqual(aborted, [2, 0])
    await settled()
    assert.deepEqual(statuses(said).sort(), ['0 done', '2 done'])
    assert.equal(engine.inFlight(), 2)
    engine.abort(all, 'revoked')
    assert.deepEqual(aborted, [2, 0, 1, 3])
  })

  for (const kind of ['at once', 'after a while']) {
    test(`R7 · a deferred record is reachable until it ends: its handler returned ${kind}`, async () => {
      const contexts: HandlerContext[] = []
      const later: Deferred[] = []
      const handle: Handler<unknown, unknown> = (_, ctx) => {
        contexts.push(ctx)
        later.push(ctx.defer())
        return kind === 'at once' ? undefined : Promise.resolve()
      }
      const { engine, said } = engineWith({ handle })
      const all = works(2)
      engine.submit(all)
      await settled()
      assert.deepEqual(statuses(said), ['0 deferred', '1 deferred'])
      assert.equal(engine.inFlight(), 0)
      engine.abort([all[0]!], 'revoked')
      assert.equal(contexts[0]!.signal.aborted, true)
      assert.equal((contexts[0]!.signal.reason as FanlaneError).code, 'ABORTED_REVOKED')
      assert.equal(contexts[1]!.signal.aborted, false)
      later[0]!.fail(contexts[0]!.signal.reason)
      later[1]!.done()
      await settled()
      assert.deepEqual(statuses(said.slice(2)), ['0 failed', '1 done'])
      // Over: an abort finds nothing any more, and a second end is ignored.
      engine.abort(all, 'revoked')
      assert.equal(contexts[1]!.signal.aborted, false)
      later[1]!.fail(new Error('too late'))
      await settled()
      assert.equal(said.length, 4)
    })
  }

  test('R7 · shutdown aborts deferred records as well as running ones', async () => {
    const signals: AbortSignal[] = []
    const handle: Handler<unknown, unknown> = ({ offset }, ctx) => {
      signals.push(ctx.signal)
      if (offset === 0) ctx.defer()
      else return new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
      return undefined
    }
    const { engine, said } = engineWith({ handle })
    engine.submit(works(2))
    await engine.shutdown(0)
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true, true],
    )
    assert.ok(statuses(said).includes('1 done'))
  })

  test('R7 · an abort of one record of a batch reaches the call, and of none after it', async () => {
    const signals: AbortSignal[] = []
    const ends: (() => void)[] = []
    const handleBatch: BatchHandler<unknown, unknown> = (_, ctx) => {
      signals.push(ctx.signal)
      return new Promise<void>((resolve) => ends.push(resolve))
    }
    const { engine, said } = engineWith({ handleBatch })
    const all = works(4)
    engine.submitBatches([all.slice(0, 2), all.slice(2)])
    await settled()
    assert.equal(engine.inFlight(), 2)
    engine.abort([all[3]!], 'timeout')
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [false, true],
    )
    for (const end of ends) end()
    await settled()
    assert.deepEqual(statuses(said), ['0 done', '1 done', '2 done', '3 done'])
    engine.abort(all, 'revoked')
    assert.equal(signals[0]!.aborted, false)
    assert.equal(engine.inFlight(), 0)
  })

  test('R4 · a failed record of a batch sends later ones of its lane back, and leaves other lanes alone', async () => {
    const handleBatch: BatchHandler<unknown, unknown> = (records, ctx) => ctx.fail(records[0]!, new Error('no'))
    const { engine, said } = engineWith({ handleBatch, laneOf: ({ offset }) => (offset === 1 ? 'b' : 'a') })
    engine.submitBatches([works(3)])
    await settled()
    assert.deepEqual(statuses(said), ['0 failed', '1 done', '2 returned'])
  })
})
