/** Errors of docs/errors.md that consumers and their handlers meet, each provoked in the way a user would. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { MemoryClient } from '../../../src/clients/memory/memory-client.ts'
import { exitOf } from '../../../src/consumer/exits.ts'
import { type ConsumeOptions, type Consumer, consume, PermanentError, RetryableError } from '../../../src/index.ts'
import { InvariantError, invariant } from '../../../src/kernel/invariant.ts'
import type { DedupStore } from '../../../src/ports/dedup.ts'
import type { Completion, Engine, Work } from '../../../src/ports/engine.ts'
import { SystemClock } from '../../../src/system-clock.ts'
import { Telemetry } from '../../../src/telemetry/telemetry.ts'
import { MemoryLog } from '../../../src/testing/index.ts'
import { notebook } from '../../e2e/support.ts'
import { until } from '../../support/wait.ts'

type Options = Partial<ConsumeOptions>

async function started(log: MemoryLog, options: Options): Promise<Consumer> {
  return consume({ log, group: 'billing', topics: ['orders'], logger: notebook(), ...options } as ConsumeOptions)
}

function oneOrder(count = 1): MemoryLog {
  const log = new MemoryLog({ orders: 1 })
  for (let n = 0; n < count; n++) log.append('orders', { key: `customer-${n}`, value: `order ${n}` })
  return log
}

function codeOf(error: unknown): string {
  return (error as { readonly code: string }).code
}

test('PERMANENT and RETRYABLE are the codes of errors that users throw without one of their own', async () => {
  const codes: string[] = []
  const consumer = await started(oneOrder(), {
    retry: { initialMs: 1, jitter: 0 },
    onExhausted: async (_, error) => {
      codes.push(codeOf(error))
    },
    handle: (_, ctx) => {
      if (ctx.attempt === 1) throw new RetryableError('busy')
      throw new PermanentError('no')
    },
  })
  consumer.on('retry', ({ error }) => codes.push(codeOf(error)))
  await consumer.idle()
  await consumer.close()
  assert.deepEqual(codes, ['RETRYABLE', 'PERMANENT'])
})

test('SEND_AFTER_END: a send that comes when the handler is over', async () => {
  const late: Promise<void>[] = []
  const log = oneOrder(2)
  const consumer = await started(log, {
    handle: (_, ctx) => {
      late.push(sleep(20).then(() => ctx.send({ topic: 'invoices', value: 'late' })))
      late.at(-1)?.catch(() => undefined)
    },
  })
  await consumer.idle()
  for (const send of late) await assert.rejects(send, { code: 'SEND_AFTER_END' })
  await consumer.close()
})

test('NOT_IN_BATCH: ctx.fail is given a record that is no part of the batch', async () => {
  let caught: unknown
  const consumer = await started(oneOrder(), {
    batch: { max: 10 },
    handleBatch: (records, ctx) => {
      const [first] = records
      assert.ok(first !== undefined)
      try {
        ctx.fail({ ...first }, new Error('a copy'))
      } catch (error) {
        caught = error
      }
    },
  })
  await consumer.idle()
  await consumer.close()
  assert.equal(codeOf(caught), 'NOT_IN_BATCH')
})

test('DEAD_LETTER_TOPIC_INVALID: deadLetter.topic names no topic; the record stays pending and says why', async () => {
  let name = ''
  const log = oneOrder()
  const why: string[] = []
  const consumer = await started(log, {
    retry: { initialMs: 1, maxMs: 5 },
    deadLetter: { topic: () => name },
    handle: () => {
      throw new PermanentError('no')
    },
  })
  consumer.on('dead-letter-retry', ({ error }) => why.push(codeOf(error)))
  await until('it was refused twice', () => why.length >= 2)
  name = 'letters'
  await consumer.idle()
  await consumer.close()
  assert.equal(why[0], 'DEAD_LETTER_TOPIC_INVALID')
  assert.equal(log.records('letters', 0).length, 1)
})

test('ABORTED_TIMEOUT, ABORTED_SKIPPED and ABORTED_SOUGHT are what ctx.signal says', async () => {
  const reasons: string[] = []
  const log = oneOrder(2)
  const consumer = await started(log, {
    handlerTimeoutMs: 30,
    retry: { attempts: 1 },
    onExhausted: 'skip',
    handle: async (record, ctx) => {
      if (record.offset !== 0) return
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }))
      reasons.push(codeOf(ctx.signal.reason))
      throw ctx.signal.reason
    },
  })
  await consumer.idle()
  await consumer.close()
  assert.deepEqual(reasons, ['ABORTED_TIMEOUT'])

  for (const way of ['skip', 'seek'] as const) {
    const gate = oneOrder(1)
    const begun = Promise.withResolvers<void>()
    let runs = 0
    const steered = await started(gate, {
      handle: async (_, ctx) => {
        if (++runs > 1) return
        begun.resolve()
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }))
        reasons.push(codeOf(ctx.signal.reason))
      },
    })
    await begun.promise
    await steered[way]({ topic: 'orders', partition: 0, offset: 0 })
    await steered.idle()
    await steered.close()
  }
  assert.deepEqual(reasons.slice(1), ['ABORTED_SKIPPED', 'ABORTED_SOUGHT'])
})

test('ABORTED_REVOKED: the drain time is over and the partition goes to another member', async () => {
  const log = new MemoryLog({ orders: 2 })
  for (const partition of [0, 1]) log.append('orders', { key: 'a', value: 'order', partition })
  const reasons: string[] = []
  let running = 0
  const stubborn: Options = {
    drainMs: 20,
    closeMs: 20,
    handle: async (_, ctx) => {
      running++
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }))
      reasons.push(codeOf(ctx.signal.reason))
      throw ctx.signal.reason
    },
  }
  const first = await started(log, stubborn)
  await until('both run', () => running === 2)
  const second = await started(log, { handle: () => undefined })
  await until('one was told to stop', () => reasons.length > 0)
  await first.close()
  await second.close()
  assert.equal(reasons[0], 'ABORTED_REVOKED')
})

test('DEDUP_ANSWER_INVALID: a store of the user answers with too few words', async () => {
  const answers: ('new' | 'done' | 'taken')[][] = [[]]
  const store: DedupStore = {
    begin: async (ids) => answers.shift() ?? ids.map(() => 'new'),
    done: async () => undefined,
    release: async () => undefined,
  }
  const consumer = await started(oneOrder(), { dedup: { store }, handle: () => undefined })
  const errors: string[] = []
  consumer.on('error', (error) => errors.push(codeOf(error), codeOf((error as Error).cause)))
  await consumer.idle()
  await consumer.close()
  assert.ok(errors.includes('DEDUP_ANSWER_INVALID'), errors.join())
})

test('DEDUP_CLAIM_LOST: somebody else took the claim while the handler ran', async () => {
  const gate = Promise.withResolvers<void>()
  let asked = 0
  const store: DedupStore = {
    begin: async (ids) => ids.map(() => (asked++ === 0 ? 'new' : 'taken')),
    done: async () => undefined,
    release: async () => undefined,
  }
  const consumer = await started(oneOrder(), {
    dedup: { store, claimMs: 1_000 },
    handle: () => gate.promise,
  })
  const lost = new Promise<unknown>((resolve) => consumer.on('error', resolve))
  assert.equal(codeOf(await lost), 'DEDUP_CLAIM_LOST')
  gate.resolve()
  await consumer.idle()
  await consumer.close()
})

test('UNKNOWN_STATUS: an engine from outside says a word that nobody knows', async () => {
  class Mumbler implements Engine {
    #say: (completions: readonly Completion[]) => void = () => undefined
    completions(listener: (completions: readonly Completion[]) => void): void {
      this.#say = listener
    }
    submit(batch: readonly Work[]): void {
      const [work] = batch
      assert.ok(work !== undefined)
      const { topic, partition, offset, epoch } = work
      setImmediate(() => this.#say([{ topic, partition, offset, epoch, status: 'maybe' } as unknown as Completion]))
    }
    inFlight(): number {
      return 0
    }
    capacity(): number {
      return 1
    }
    async shutdown(): Promise<void> {
      // Nothing runs.
    }
  }
  const consumer = await started(oneOrder(), { engine: new Mumbler(), drainMs: 10, closeMs: 20 })
  await assert.rejects(consumer.closed, (error) => {
    const codes = [codeOf(error), codeOf((error as Error).cause)]
    assert.ok(codes.includes('UNKNOWN_STATUS'), codes.join())
    return true
  })
})

test('METRICS_REFUSED: the registry has a metric of that name', async () => {
  const { Counter, Registry } = await import('prom-client')
  const registry = new Registry()
  const { METRICS } = await import('../../../src/telemetry/metric-table.ts')
  new Counter({ name: METRICS[0]?.name ?? '', help: 'taken', registers: [registry] })
  await assert.rejects(started(oneOrder(), { metrics: registry, handle: () => undefined }), { code: 'METRICS_REFUSED' })
})

test('INTERNAL: somebody asks for figures that were never recorded', () => {
  // A defect: a consumer with a dashboard or with metrics records, and nobody else asks.
  const telemetry = new Telemetry({
    group: 'billing',
    version: '0',
    clock: new SystemClock(),
    snapshot: () => assert.fail('nobody looks'),
    held: () => assert.fail('nobody looks'),
    engine: () => ({}),
    metrics: undefined,
    conventions: 'current',
    isWatched: false,
    stalledAfterMs: 60_000,
    stalled: () => undefined,
  })
  assert.throws(() => telemetry.view(), { code: 'INTERNAL' })
  telemetry.close()
})

test('INVARIANT_BROKEN names the invariant', () => {
  // A defect of the kernel. That the invariants themselves find one is what npm run mutants shows.
  assert.throws(
    () => invariant(false, 'I2', () => 'position 5 is above 4'),
    (error) => error instanceof InvariantError && error.code === 'INVARIANT_BROKEN' && error.invariant === 'I2',
  )
})

test('DEAD_LETTER_FAILED: a log client of somebody else refuses a letter and does not say why', async () => {
  // Ours always say why, so the port is given one that does not.
  const log = oneOrder()
  const given = { log, group: 'billing', topics: ['orders'], startFrom: 'earliest', clock: new SystemClock() } as const
  const client = new MemoryClient(given)
  client.publish = async ([first]) => (first === undefined ? [] : [{ work: first.work, ok: false }])
  const exit = exitOf(
    { group: 'billing', topics: ['orders'], handle: () => undefined },
    { delivery: 'at-least-once', client, onLetter: () => undefined, now: () => 0 },
  )
  const [record] = log.records('orders', 0)
  assert.ok(record !== undefined)
  const { topic, partition, offset } = record
  const work = { topic, partition, offset, epoch: 1, attempt: 1 }
  const exhausted = { record, work, error: new Error('no') } as unknown as Parameters<typeof exit>[0]
  await assert.rejects(Promise.resolve(exit(exhausted)), { code: 'DEAD_LETTER_FAILED' })
})

test('NOT_SUPPORTED: a log client of somebody else cannot look up times', async () => {
  const { offsetsForTimes } = MemoryClient.prototype
  // The method is optional in the port and ours both have it: one without it has to be made.
  Object.assign(MemoryClient.prototype, { offsetsForTimes: undefined })
  const consumer = await started(oneOrder(), { handle: () => undefined })
  await consumer.idle()
  await assert.rejects(consumer.seek({ topic: 'orders', partition: 0, timestamp: 0 }), { code: 'NOT_SUPPORTED' })
  Object.assign(MemoryClient.prototype, { offsetsForTimes })
  await consumer.close()
})
