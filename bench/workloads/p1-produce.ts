/** P1: a million records written by each client's producer. */
import { judge } from '../core/judge.ts'
import { makePlan, type Shape } from '../core/plan.ts'
import { readBack } from '../core/read-back.ts'
import { speedOf, whyBroken } from '../core/stage.ts'
import type { Variant, Workload } from '../core/workload.ts'

const timeoutMs = 300_000

function variantOf(partitions: number, records: number): Variant {
  const keys = Math.min(records, 10_000)
  const shape: Shape = { records, partitions, keys, distribution: 'even', valueBytes: 100 }
  return {
    name: `p${partitions}`,
    title: `${partitions === 1 ? '1 partition' : `${partitions} partitions`}, idempotent, acks=all`,
    order: 'none',
    brokers: ['kafka'],
    contenders: [
      { name: 'ours-produce' },
      { name: 'kafkajs-produce' },
      { name: 'platformatic-produce' },
      { name: 'java-produce' },
    ],
    records,
    seconds: 15,
    about: { records, partitions, keys: `${keys} even`, 'value bytes': 100 },
    async measure(stage, contender) {
      const plan = makePlan(shape)
      const topic = await stage.topic('out', partitions)
      const part = { order: 'none', concurrency: 1, handlerMs: 0, until: 'caught up', load: shape } as const
      const outcome = await (await stage.start(contender, stage.task({ topic, plan }, part))).outcome(timeoutMs)
      const verdict = judge(plan, 'none', [await readBack(stage, topic, plan)])
      const twice = verdict.duplicated === 0 ? null : `${verdict.duplicated} records were written twice`
      return { ...speedOf(outcome, records), ...verdict, more: {}, broken: whyBroken(verdict) ?? twice }
    },
  }
}

export const produce: Workload = {
  id: 'P1',
  title: 'Producing',
  what: `Not part of the parallel consumer, but of the same client: a million records of 100 bytes, idempotent, acknowledged by all. The
time ends with the last acknowledgement; afterwards a Java reader finds every number exactly once, or it is a failure.`,
  variants({ quick }) {
    const records = quick ? 20_000 : 1_000_000
    return [variantOf(8, records), variantOf(1, records)]
  },
}
