/**
 * The handler of the consumers under test: it writes down when it starts and when it ends. A module of its own, so that threads
 * and processes run the same; whoever starts them says in the environment what to do. It imports little: workers that die are
 * replaced, and load it again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, threadId } from 'node:worker_threads'
import type { ConsumedRecord, HandlerContext } from '../../src/engines/handler.ts'
import { PermanentError, RetryableError } from '../../src/errors.ts'
import { type HandlerSpec, specVariable } from './handler-spec.ts'
import { LedgerFile, type Run } from './ledger.ts'
import { meaningOf } from './workload.ts'

const { member, directory, output, work, engine } = JSON.parse(process.env[specVariable] ?? '') as HandlerSpec
export const ledger: LedgerFile = new LedgerFile(directory, member, `${member}-${process.pid}-${threadId}`)

export default async function handle(record: ConsumedRecord, context: HandlerContext): Promise<void> {
  const { partition, offset } = record
  const { key, seq, poison, isLethal } = meaningOf(String(record.value?.toString('latin1', 0, 60)))
  const run: Run = { partition, offset, key, seq, attempt: context.attempt }
  ledger.write({ kind: 'start', ...run })
  await sleep(msOf(record))
  if (poison !== null) {
    ledger.write({ kind: 'failed', ...run })
    throw poison === 'permanent' ? new PermanentError('poison') : new RetryableError('poison')
  }
  if (isLethal && context.attempt === 1) die()
  if (output !== null) {
    await context.send({ topic: output, key: record.key, value: `${partition}/${offset}/${key}:${seq}` })
  }
  ledger.write({ kind: 'end', ...run })
}

/** As the system would do it, in the middle of a handler. */
function die(): void {
  if (engine === 'processes') process.kill(process.pid, 'SIGKILL')
  if (!isMainThread) process.exit(7)
}

function msOf({ offset, partition }: ConsumedRecord): number {
  if (work.kind === 'straggler') return offset === work.offset ? work.longMs : offset % 40 < 2 ? work.slowMs : 1
  const number = offset * 31 + partition * 17
  return number % 499 === 0 ? work.longMs : number % (work.usualMs + 1)
}
