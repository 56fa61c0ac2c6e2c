/** fanlane with one of its engines around a handler that burns CPU. Workers inherit what the handler needs by the environment. */
import { setTimeout as sleep } from 'node:timers/promises'
import type * as Fanlane from '../../../src/index.ts'
import type { Task } from '../task.ts'
import { fromBuild, optionsOf } from './ours.ts'
import type { Run } from './run.ts'

/** The handler is not imported here: it reads its environment when it is loaded. Ten times what it waits at most. */
const flushedMs = 50

export async function oursEngine(
  task: Task,
  kind: 'async' | 'threads' | 'processes',
): Promise<(run: Run) => Promise<void>> {
  const { consume } = await fromBuild<typeof Fanlane>(task.build, 'index')
  process.env.FANLANE_BENCH_ROUNDS = String(task.hashRounds)
  process.env.FANLANE_BENCH_EVENTS = task.events.file
  return async (run) => {
    const consumer = await consume({
      ...optionsOf(task),
      engine: kind === 'async' ? 'async' : { kind, workers: task.workers },
      handler: new URL('./engine-handler.ts', import.meta.url),
    })
    consumer.on('error', (error) => run.fail(error))
    consumer.closed.catch((error: unknown) => run.fail(error))
    consumer.on('committed', (entries) => {
      for (const { partition, position } of entries) run.commit(partition, position)
    })
    await run.finished()
    // What workers did last is in their files by then.
    await sleep(flushedMs)
    // The CPU time of processes is known when they have ended.
    await consumer.close()
  }
}
