/** W7: consume, process, produce, in transactions of 100 ms. What counts is what a reader of committed records finds. */
import { rmSync } from 'node:fs'
import type { Contender } from '../contenders/index.ts'
import { judge } from '../core/judge.ts'
import type { Shape } from '../core/plan.ts'
import { readBack } from '../core/read-back.ts'
import type { Round } from '../core/results.ts'
import { type Stage, speedOf, whyBroken } from '../core/stage.ts'
import type { Workload } from '../core/workload.ts'

const timeoutMs = 180_000
const transactionMs = 100

async function copied(stage: Stage, contender: Contender, shape: Shape): Promise<Round> {
  const filled = await stage.filled(shape)
  const output = await stage.topic('copy', shape.partitions)
  const part = { order: 'key', concurrency: 100, handlerMs: 0 } as const
  const task = stage.task(filled, { ...part, output: { topic: output, transactionMs } })
  const outcome = await (await stage.start(contender, task)).outcome(timeoutMs)
  await stage.demandCommitted(task)
  rmSync(task.events.file, { force: true })
  const verdict = judge(filled.plan, 'key', [await readBack(stage, output, filled.plan)])
  const isExact = verdict.duplicated === 0
  const broken = whyBroken(verdict) ?? (isExact ? null : `${verdict.duplicated} records are in the copy twice`)
  return { ...speedOf(outcome, shape.records), ...verdict, more: {}, broken }
}

export const exactlyOnce: Workload = {
  id: 'W7',
  title: 'Exactly-once copy',
  what: `Every record of one topic goes to another, with transactions of 100 ms that hold outputs and offsets. Afterwards a Java reader
of committed records counts the copy: lost, twice, out of the order of its key.`,
  variants({ quick }) {
    const records = quick ? 5_000 : 100_000
    const shape: Shape = { records, partitions: 8, keys: 1_000, distribution: 'even', valueBytes: 100 }
    return [
      {
        name: 'copy',
        title: 'transactions of 100 ms, 8 partitions',
        order: 'key',
        brokers: ['kafka'],
        contenders: [{ name: 'ours-copy' }, { name: 'pc-copy' }, { name: 'copier' }],
        records,
        seconds: 12,
        about: {
          records,
          partitions: 8,
          keys: '1000 even',
          'transaction ms': transactionMs,
        },
        prepare: async (stage) => {
          await stage.filled(shape)
        },
        measure: (stage, contender) => copied(stage, contender, shape),
      },
    ]
  },
}
