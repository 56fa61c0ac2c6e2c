/** An engine from outside the package, as small as the port allows. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { consume } from '../../src/consume.ts'
import type { Completion, Engine, Work } from '../../src/ports/index.ts'
import { MemoryLog } from '../../src/testing/index.ts'
import { logOf, notebook, turns } from './support.ts'

const base = { group: 'g', topics: ['t'], logger: notebook(), retry: { initialMs: 0 } }

/** Runs each piece one turn of the event loop later, and echoes no more than it has to. */
class SmallEngine implements Engine {
  readonly #run: (work: Work) => void
  readonly #capacity: number
  #say: (completions: readonly Completion[]) => void = () => {}
  #inFlight = 0
  most = 0
  isShut = false

  constructor(run: (work: Work) => void, capacity = 4) {
    this.#run = run
    this.#capacity = capacity
  }

  completions(listener: (completions: readonly Completion[]) => void): void {
    this.#say = listener
  }

  submit(batch: readonly Work[]): void {
    this.#inFlight += batch.length
    this.most = Math.max(this.most, this.#inFlight)
    setImmediate(() => {
      this.#inFlight -= batch.length
      this.#say(batch.map((work) => this.#end(work)))
    })
  }

  inFlight(): number {
    return this.#inFlight
  }

  capacity(): number {
    return this.#capacity
  }

  async shutdown(): Promise<void> {
    this.isShut = true
  }

  #end(work: Work): Completion {
    const { topic, partition, offset, epoch } = work
    try {
      this.#run(work)
      return { topic, partition, offset, epoch, status: 'done' }
    } catch (error) {
      return { topic, partition, offset, epoch, status: 'failed', error }
    }
  }
}

describe('an engine from outside', () => {
  test('P1 R4 · runs records, is tried again where it fails, and is never given more than it can take', async () => {
    const log = new MemoryLog({ t: 2 })
    for (let n = 0; n < 50; n++) log.append('t', { key: `k${n % 10}`, value: String(n) })
    const seen: string[] = []
    const engine = new SmallEngine(({ record, batch, index, attempt }) => {
      assert.deepEqual(record, batch.record(index))
      if (Number(record.value) % 7 === 0 && attempt === 1) throw new Error('once')
      seen.push(String(record.value))
    })
    const consumer = await consume({ ...base, log, engine })
    await consumer.idle()
    await consumer.close()
    assert.deepEqual(
      seen.map(Number).sort((a, b) => a - b),
      Array.from({ length: 50 }, (_, n) => n),
    )
    for (let key = 0; key < 10; key++) {
      const numbers = seen.map(Number).filter((n) => n % 10 === key)
      assert.deepEqual(
        numbers,
        numbers.toSorted((a, b) => a - b),
      )
    }
    assert.equal(engine.most, 4)
    assert.equal(engine.isShut, true)
    const committed = [0, 1].map((partition) => log.group('g').committed('t', partition)?.position ?? 0)
    assert.equal(committed[0]! + committed[1]!, 50)
  })

  test('P1 · one that has submitBatches may be told to batch', async () => {
    const log = logOf(1, 'a', 'a', 'a', 'a')
    const sizes: number[] = []
    const engine = new SmallEngine(() => {})
    const batching: Engine = {
      completions: (listener) => engine.completions(listener),
      submit: () => assert.fail('not one by one'),
      submitBatches: (batches) => {
        for (const works of batches) {
          sizes.push(works.length)
          engine.submit(works)
        }
      },
      inFlight: () => engine.inFlight(),
      capacity: () => 4,
      shutdown: () => engine.shutdown(),
    }
    const consumer = await consume({ ...base, log, engine: batching, batch: { max: 2, min: 2 } })
    await consumer.idle()
    await consumer.close()
    assert.deepEqual(sizes, [2, 2])
  })

  test('P1 · one without abort is not told of a skip, and its record ends when it ends', async () => {
    const log = logOf(1, 'a')
    const works: Work[] = []
    let say: (completions: readonly Completion[]) => void = () => {}
    const engine: Engine = {
      completions: (listener) => {
        say = listener
      },
      submit: (batch) => works.push(...batch),
      inFlight: () => works.length,
      capacity: () => 1,
      shutdown: async () => {},
    }
    const consumer = await consume({ ...base, log, engine })
    while (works.length === 0) await turns(1)
    await consumer.skip({ topic: 't', partition: 0, offset: 0 })
    assert.equal(consumer.snapshot().totals.skipped, 0)
    const { topic, partition, offset, epoch } = works[0]!
    say([{ topic, partition, offset, epoch, status: 'done' }])
    await consumer.idle()
    await consumer.close()
    assert.equal(consumer.snapshot().totals.skipped, 1)
  })

  const cause = new Error('worker is gone')
  const defects: Readonly<Record<string, Partial<Engine>>> = {
    'throws in submit': {
      submit: () => {
        throw cause
      },
    },
    'says something that means nothing': (() => {
      let say: (completions: readonly Completion[]) => void = () => {}
      return {
        completions: (listener: typeof say) => {
          say = listener
        },
        submit: (batch: readonly Work[]) => say(batch.map((work) => ({ ...work, status: 'finished' }) as never)),
      }
    })(),
  }
  for (const [name, defect] of Object.entries(defects)) {
    test(`P1 · one that ${name} stops the consumer with ENGINE_FAILED, and nothing is committed`, async () => {
      const log = logOf(1, 'a')
      const engine = Object.assign(new SmallEngine(() => {}), defect)
      const consumer = await consume({ ...base, log, engine, drainMs: 0 })
      await assert.rejects(consumer.idle(), { code: 'ENGINE_FAILED' })
      await assert.rejects(consumer.closed, (error: Error & { code: string }) => {
        assert.equal(error.code, 'ENGINE_FAILED')
        if (name === 'throws in submit') assert.equal(error.cause, cause)
        return /The engine failed in/.test(error.message)
      })
      assert.equal(log.group('g').committed('t', 0)?.position ?? 0, 0)
    })
  }
})
