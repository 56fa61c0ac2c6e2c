/** fanlane, the whole parallel consumer, from the build that is measured. What is not said here is its default. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Fanlane from '../../../src/index.ts'
import type { Task } from '../task.ts'
import type { Prepare, Run } from './run.ts'

/** A module of the build: compiled, or the sources themselves. */
export async function fromBuild<Module>(build: string, path: string): Promise<Module> {
  const compiled = join(build, `${path}.js`)
  return (await import(pathToFileURL(existsSync(compiled) ? compiled : join(build, `${path}.ts`)).href)) as Module
}

type Options = Fanlane.ConsumeOptions

export function optionsOf({ brokers, group, topic, order, concurrency, commitMs, sessionMs, room }: Task): Options {
  return {
    brokers,
    group,
    topics: [topic],
    order,
    concurrency,
    commit: { everyMs: commitMs },
    ...(sessionMs === 0 ? {} : { client: { sessionTimeoutMs: sessionMs, heartbeatMs: sessionMs / 6 } }),
    ...(room === 0 ? {} : { limits: { records: room } }),
    logger: { debug: nothing, info: nothing, warn: said, error: said },
  }
}

const prepareWith =
  (handler: (run: Run) => Partial<Options>): Prepare =>
  async (task) => {
    const { consume } = await fromBuild<typeof Fanlane>(task.build, 'index')
    return async (run) => {
      const consumer = await consume({ ...optionsOf(task), ...handler(run) })
      consumer.on('error', (error) => run.fail(error))
      consumer.closed.catch((error: unknown) => run.fail(error))
      consumer.on('committed', (entries) => {
        for (const { topic, partition, position } of entries) if (topic === task.topic) run.commit(partition, position)
      })
      await run.finished()
      if (task.until === 'told') await consumer.close()
    }
  }

/** A handler that does nothing looks at the place of the record only, and its value is never touched. */
export const ours: Prepare = prepareWith((run) =>
  run.task.handlerMs === 0 && run.task.straggler === null
    ? { handle: ({ partition, offset }) => run.ledger.seen((run.bases[partition] ?? 0) + offset) }
    : { handle: ({ value }) => run.handle(value) },
)

/** The same with a handler that reads the record's number from its value. */
export const oursReading: Prepare = prepareWith((run) => ({ handle: ({ value }) => run.handle(value) }))

/** Exactly once: every record goes to another topic, in transactions. */
export const oursCopy: Prepare = prepareWith((run) => {
  const { output } = run.task
  if (output === null) throw new Error('a copy needs an output')
  const { topic, transactionMs } = output
  return {
    delivery: 'exactly-once',
    commit: { everyMs: transactionMs },
    handle: ({ key, value }, ctx) => {
      const sent = ctx.send({ topic, key, value })
      void run.handle(value)
      return sent
    },
  }
})

function nothing(): void {
  // Only what goes wrong is printed.
}

function said(...args: readonly unknown[]): void {
  console.error(...args)
}
