/**
 * Requests of transactions that get lost, whose answers get lost, or that arrive when nobody thinks of them any more; and a
 * broker, with both coordinators, that dies in the middle. Whatever happens, a read_committed reader sees every output once.
 */
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import type { Fate, FateProxy } from '../support/fate-proxy.ts'
import { unique } from '../support/targets.ts'
import { until, within } from '../support/wait.ts'
import { committedAtLeast } from './support/committed.ts'
import { RawKafka } from './support/raw-kafka.ts'
import { type Runner, run } from './support/runner.ts'

export interface FaultyTarget {
  /** Through the proxy. */
  readonly brokers: readonly string[]
  readonly direct: readonly string[]
  readonly proxy: FateProxy
  /** The broker dies without a word and comes back, with what it had on disk. */
  restart(): Promise<void>
}

/** The two that add to a transaction are not asked for where writing adds: from transaction.version 2 on, as here. */
const apis = { Produce: 0, InitProducerId: 22, EndTxn: 26, TxnOffsetCommit: 28 }

const fates: readonly (readonly [string, Fate])[] = [
  ['is lost', 'lose-request'],
  ['has its answer lost', 'lose-answer'],
  ['arrives late', { lateMs: 400 }],
]

export function transactionFaults(target: FaultyTarget): void {
  let raw: RawKafka
  before(async () => {
    raw = await RawKafka.connect(target.direct)
  })
  after(() => raw[Symbol.asyncDispose]())

  const { brokers, proxy } = target

  interface Copy extends Runner {
    readonly output: string
    feed(count: number): Promise<void>
    /** All that was fed is there, once. */
    verify(): Promise<void>
  }

  async function copy(t: TestContext, transactionalId?: string): Promise<Copy> {
    const topic = unique('orders')
    const output = unique('invoices')
    const group = unique('group')
    await raw.createTopic(topic, 2)
    await raw.createTopic(output, 2)
    const runner = await run(t, {
      brokers,
      group,
      topics: [topic],
      delivery: 'exactly-once',
      commit: { everyMs: 20 },
      ...(transactionalId === undefined ? {} : { transactionalId }),
      client: { requestTimeoutMs: 2_000, transactionTimeoutMs: 3_000, sessionTimeoutMs: 3_000, heartbeatMs: 300 },
      handle: ({ key, value, partition }, ctx) => ctx.send({ topic: output, key, value: `${partition}/${value}` }),
    })
    let fed = 0
    return {
      ...runner,
      output,
      async feed(count) {
        for (const partition of [0, 1]) await raw.fill(topic, partition, count, 10, fed)
        fed += count
      },
      async verify() {
        const isThere = async (): Promise<boolean> =>
          (await raw.stored(group)).filter(({ position }) => position >= fed).length === 2
        await until('all is committed', isThere)
        await within('idle', runner.consumer.idle())
        const wanted = [0, 1].flatMap((partition) => Array.from({ length: fed }, (_, at) => `${partition}/${at}`))
        const values = (await committedAtLeast(raw, output, wanted.length)).map(({ value }) => String(value))
        assert.deepEqual(values.toSorted(), wanted.toSorted())
      },
    }
  }

  for (const [api, key] of Object.entries(apis)) {
    for (const [what, fate] of fates) {
      test(`X4 I9 · ${api} ${what}, three times: every output once`, async (t) => {
        let hits = 0
        let left = 0
        proxy.decide = (asked) => {
          if (asked !== key || left === 0) return 'pass'
          left--
          hits++
          return fate
        }
        t.after(() => {
          proxy.decide = () => 'pass'
        })
        // The first one is asked before anything else.
        if (api === 'InitProducerId') left = 1
        const { feed, verify, consumer } = await copy(t)
        await feed(20)
        await within('idle', consumer.idle())
        for (let round = 0; round < 3; round++) {
          if (api === 'InitProducerId') {
            // A new one is asked for when nobody knows how the last transaction ended.
            left = 1
            const askInit = proxy.decide
            let isEndLost = false
            proxy.decide = (asked) => {
              if (asked !== apis.EndTxn || isEndLost) return askInit(asked)
              isEndLost = true
              return 'lose-answer'
            }
          } else left = 1
          await feed(20)
          await verify()
        }
        assert.ok(hits >= 3, `${hits} hits`)
      })
    }
  }

  for (const isNamed of [false, true]) {
    test(`X4 X8 I9 · the broker, and with it both coordinators, dies and comes back, ${isNamed ? 'with a transactional id of the user' : 'with a generated id'}`, async (t) => {
      const { feed, verify, consumer } = await copy(t, isNamed ? unique('copier') : undefined)
      await feed(100)
      await until('some are done', () => consumer.snapshot().totals.done >= 30)
      await target.restart()
      await raw[Symbol.asyncDispose]()
      raw = await RawKafka.connect(target.direct)
      await feed(100)
      await verify()
    })
  }
}
