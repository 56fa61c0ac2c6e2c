/**
 * What every engine has to keep, as checks that any test framework can run:
 *
 *   for (const { name, run } of engineConformance({ create })) test(name, run)
 *
 * Each check makes an engine of its own and shuts it down.
 */
import assert from 'node:assert/strict'
import type { Engine, Work } from '../../ports/engine.ts'
import type { OutgoingRecord } from '../../ports/log-client.ts'
import { many, now, Workbench, worksOf } from './bench.ts'

export { conformanceBatchHandler, conformanceHandler, type Instruction, instructionOf } from './handler.ts'

export interface EngineSubject {
  /** A fresh engine that does with each record what `conformanceHandler` does. */
  readonly create: () => Engine | Promise<Engine>
  /** The same for `conformanceBatchHandler`, if the engine has `submitBatches`. Left out: batches are not looked at. */
  readonly createForBatches?: () => Engine | Promise<Engine>
  /** Its completions have `sends`. Default: yes. */
  readonly sends?: boolean
}

export interface EngineCheck {
  readonly name: string
  /** Rejects with what is wrong. */
  run(): Promise<void>
}

type Body = (bench: Workbench) => Promise<void>

export function engineConformance(subject: EngineSubject): readonly EngineCheck[] {
  const { create, createForBatches, sends = true } = subject
  const bodies = { ...CHECKS, ...(sends ? SENDING : {}), ...ABORTING }
  const checks = Object.entries(bodies).map(([name, body]) => checkOf(name, body, create))
  if (createForBatches === undefined) return checks
  return [...checks, ...Object.entries(BATCHING).map(([name, body]) => checkOf(name, body, createForBatches))]
}

function checkOf(name: string, body: Body, create: EngineSubject['create']): EngineCheck {
  const run = async (): Promise<void> => {
    const bench = await Workbench.open(create)
    try {
      await body(bench)
      assert.deepEqual(bench.broken, [], 'the engine says that it is broken')
    } finally {
      await bench.close()
    }
  }
  return { name, run }
}

/** Each piece was completed once, and what was said is about that piece. */
function assertOnce(bench: Workbench, works: readonly Work[]): void {
  for (const work of works) {
    const [said, ...more] = bench.of(work)
    const name = `${work.topic}-${work.partition}@${work.offset}`
    assert.ok(said, `${name} was not completed`)
    assert.deepEqual(more, [], `${name} was completed more than once`)
    assert.equal(said.topic, work.topic)
    assert.equal(said.partition, work.partition)
    if (said.run !== undefined) assert.equal(said.run, work.run, `${name}: run, if it is echoed, is echoed as it came`)
  }
}

function statusesOf(bench: Workbench, works: readonly Work[]): string[] {
  return works.flatMap((work) => bench.of(work).map(({ status }) => status))
}

const CHECKS: Readonly<Record<string, Body>> = {
  'its capacity is a whole number from 1': async ({ engine }) => {
    const capacity = engine.capacity()
    assert.ok(capacity >= 1, `capacity() is ${capacity}`)
    assert.ok(Number.isInteger(capacity) || capacity === Number.POSITIVE_INFINITY, `capacity() is ${capacity}`)
  },

  'every piece is completed once, and what is said names it': async (bench) => {
    const works = worksOf(many(Math.min(200, bench.engine.capacity())))
    bench.engine.submit(works)
    await bench.ended(works)
    await bench.quiet()
    assertOnce(bench, works)
    assert.deepEqual(new Set(statusesOf(bench, works)), new Set(['done']))
  },

  'a failure is told, with its error, and only of the piece that failed': async (bench) => {
    const [bad] = worksOf([{ instruction: { do: 'fail' } }], 1)
    const [good] = worksOf([{}], 2)
    assert.ok(bad !== undefined && good !== undefined)
    bench.engine.submit(bench.engine.capacity() > 1 ? [bad, good] : [bad])
    await bench.ended([bad])
    if (bench.engine.capacity() === 1) bench.engine.submit([good])
    await bench.ended([good])
    assert.deepEqual(statusesOf(bench, [bad, good]), ['failed', 'done'])
    const [said] = bench.of(bad)
    const error = said?.status === 'failed' ? said.error : undefined
    assert.match(error instanceof Error ? error.message : String(error), /told to fail/)
  },

  'what runs is counted: at most what was submitted, and nothing at the end': async (bench) => {
    const works = worksOf(many(Math.min(20, bench.engine.capacity()), { do: 'slow', ms: 20 }))
    assert.equal(bench.engine.inFlight(), 0)
    bench.engine.submit(works)
    const running = bench.engine.inFlight()
    assert.ok(running >= 0 && running <= works.length, `inFlight() is ${running} of ${works.length}`)
    await bench.ended(works)
    await bench.until('inFlight() to be 0', () => bench.engine.inFlight() === 0)
  },

  'work comes again and again, each time up to the capacity': async (bench) => {
    const size = Math.min(50, bench.engine.capacity())
    for (let round = 1; round <= 10; round++) {
      const works = worksOf(many(size), round)
      bench.engine.submit(works)
      await bench.ended(works)
      assertOnce(bench, works)
    }
  },

  'a slow piece does not hold up the others': async (bench) => {
    if (bench.engine.capacity() < 2) return
    const [slow] = worksOf([{ instruction: { do: 'slow', ms: 1_000 } }], 1)
    assert.ok(slow !== undefined)
    bench.engine.submit([slow])
    for (let round = 2; round < 12; round++) {
      const works = worksOf(many(Math.min(8, bench.engine.capacity() - 1)), round)
      bench.engine.submit(works)
      await bench.ended(works)
    }
    assert.equal(bench.of(slow).length, 0, 'the slow piece ended first')
    await bench.ended([slow])
  },

  'the same offset in two leases is told apart': async (bench) => {
    const offset = Number.MAX_SAFE_INTEGER - 1
    for (const epoch of [7, 8]) {
      const works = worksOf([{ offset, instruction: { do: epoch === 7 ? 'fail' : 'finish' } }], epoch)
      bench.engine.submit(works)
      await bench.ended(works)
      assertOnce(bench, works)
      assert.deepEqual(statusesOf(bench, works), [epoch === 7 ? 'failed' : 'done'])
    }
  },

  'nothing submitted is nothing done': async (bench) => {
    bench.engine.submit([])
    await bench.quiet()
    assert.deepEqual(bench.said, [])
    assert.equal(bench.engine.inFlight(), 0)
  },

  'shutdown with nothing to do': async (bench) => {
    await bench.engine.shutdown(now() + 10_000)
    assert.equal(bench.engine.inFlight(), 0)
  },

  'shutdown keeps its deadline, whatever runs': async (bench) => {
    bench.engine.submit(worksOf([{ instruction: { do: 'slow', ms: 60_000 } }]))
    const deadlineMs = now() + 500
    await bench.engine.shutdown(deadlineMs)
    // Generous: it must not wait for the minute, and this is no race against the machine.
    assert.ok(now() < deadlineMs + 20_000, 'shutdown() waited for what runs beyond its deadline')
  },
}

const SENDING: Readonly<Record<string, Body>> = {
  'records arrive as they are: null is not empty, and bytes are bytes': async (bench) => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
    const headers = [
      { key: 'same', value: all },
      { key: 'same', value: null },
      { key: '', value: Buffer.alloc(0) },
      { key: 'ümläut', value: Buffer.from('x') },
    ]
    const specs = [
      { key: null, value: all, headers },
      { key: Buffer.alloc(0), value: Buffer.alloc(0), headers },
      { key: all, value: null, headers },
      { key: Buffer.from('k'), value: Buffer.alloc(100_000, 7), headers },
    ]
    for (const [at, spec] of specs.entries()) {
      const [work] = worksOf([spec], at + 1)
      assert.ok(work !== undefined)
      bench.engine.submit([work])
      await bench.ended([work])
      const [said] = bench.of(work)
      assert.equal(said?.status, 'done')
      const sends = (said?.status === 'done' ? said.sends : undefined) ?? []
      assert.deepEqual(sends.map(plain), [plain({ topic: 'echo', size: 0, ...spec })])
    }
  },
}

const ABORTING: Readonly<Record<string, Body>> = {
  'what is aborted ends, once; what is not goes on': async (bench) => {
    const { engine } = bench
    if (engine.abort === undefined || engine.capacity() < 2) return
    const works = worksOf(many(2, { do: 'wait' }))
    const [first, second] = works
    assert.ok(first !== undefined && second !== undefined)
    engine.submit(works)
    await bench.quiet()
    engine.abort([first], 'revoked')
    await bench.ended([first])
    assert.equal(bench.of(second).length, 0, 'another piece ended with it')
    engine.abort([second], 'lost')
    await bench.ended([second])
    await bench.quiet()
    assertOnce(bench, works)
    assert.deepEqual(statusesOf(bench, works), ['failed', 'failed'])
  },

  'an abort right behind the work still reaches it': async (bench) => {
    const { engine } = bench
    if (engine.abort === undefined) return
    const works = worksOf(many(Math.min(4, engine.capacity()), { do: 'wait' }))
    engine.submit(works)
    engine.abort(works, 'skipped')
    await bench.ended(works)
    assertOnce(bench, works)
  },

  'an abort of what is over, or was never there, does no harm': async (bench) => {
    const { engine } = bench
    if (engine.abort === undefined) return
    const works = worksOf(many(1))
    engine.submit(works)
    await bench.ended(works)
    engine.abort([...works, ...worksOf([{ offset: 99 }], 99)], 'revoked')
    await bench.quiet()
    assert.equal(bench.said.length, 1)
    const more = worksOf(many(1), 5)
    engine.submit(more)
    await bench.ended(more)
  },
}

const BATCHING: Readonly<Record<string, Body>> = {
  'every record of a batch is completed once': async (bench) => {
    const works = worksOf(many(30))
    bench.engine.submitBatches?.([works.slice(0, 10), works.slice(10, 11), works.slice(11)])
    await bench.ended(works)
    await bench.quiet()
    assertOnce(bench, works)
    assert.deepEqual(new Set(statusesOf(bench, works)), new Set(['done']))
  },

  'one record of a batch fails, and what follows in its lane goes back': async (bench) => {
    const specs = ['a', 'a', 'b', 'a'].map((key, at) => ({
      key: Buffer.from(key),
      instruction: { do: at === 1 ? 'fail' : 'finish' } as const,
    }))
    const works = worksOf(specs)
    bench.engine.submitBatches?.([works])
    await bench.ended(works)
    assertOnce(bench, works)
    assert.deepEqual(statusesOf(bench, works), ['done', 'failed', 'done', 'returned'])
  },
}

function plain({ topic, key, value, headers }: OutgoingRecord): unknown {
  const hex = (bytes: Uint8Array | null): string | null => (bytes === null ? null : Buffer.from(bytes).toString('hex'))
  return { topic, key: hex(key), value: hex(value), headers: headers.map((each) => [each.key, hex(each.value)]) }
}
