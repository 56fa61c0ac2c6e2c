/** A consumer whose handler a test writes itself, with quick commits, closed with the test; its log lines are kept. */
import type { TestContext } from 'node:test'
import { consume } from '../../../src/consume.ts'
import type { Consumer } from '../../../src/consumer/consumer.ts'
import type { ConsumeOptions } from '../../../src/consumer/options.ts'
import { type Notebook, notebook } from '../../e2e/support.ts'
import { cleanUp } from './cleanup.ts'

export interface Runner {
  readonly consumer: Consumer
  readonly notes: Notebook
}

/** Small waits between attempts, so that a record that fails five times does not take seconds. */
export const quickRetry = { initialMs: 5, maxMs: 50 }

export async function run(t: TestContext, options: ConsumeOptions): Promise<Runner> {
  const notes = notebook()
  const { client, ...rest } = options
  const consumer = await consume({
    logger: notes,
    commit: { everyMs: 50 },
    closeMs: 5_000,
    retry: quickRetry,
    ...rest,
    client: { fetchMaxWaitMs: 100, ...client },
  })
  consumer.closed.catch(() => undefined)
  cleanUp(t, async () => {
    await consumer.close().catch(() => undefined)
  })
  return { consumer, notes }
}
