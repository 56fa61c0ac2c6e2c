/** A consumer under test with its ledger: what its handlers do is decided record by record, and everything is written down. */
import type { TestContext } from 'node:test'
import { consume } from '../../../src/consume.ts'
import type { Consumer } from '../../../src/consumer/consumer.ts'
import type { ConsumeOptions } from '../../../src/consumer/options.ts'
import type { ConsumedRecord } from '../../../src/engines/handler.ts'
import { type Notebook, notebook } from '../../e2e/support.ts'
import { cleanUp } from './cleanup.ts'
import type { Ledger } from './ledger.ts'

export interface Reader {
  readonly consumer: Consumer
  readonly notes: Notebook
  /** Partitions held now, as `topic-partition`. */
  readonly held: ReadonlySet<string>
  /** How often partitions came and went. */
  readonly history: readonly string[]
}

export interface ReaderOptions extends Omit<ConsumeOptions, 'handle'> {
  readonly member?: string
  /** What the handler does between its two lines in the ledger. */
  readonly work?: (record: ConsumedRecord) => unknown
}

/** Quick commits and small waits, for tests. Closed with the test, if it was not before. */
export async function read(t: TestContext, ledger: Ledger, options: ReaderOptions): Promise<Reader> {
  const { member = 'one', work, client, ...rest } = options
  const notes = notebook()
  const held = new Set<string>()
  const history: string[] = []
  const consumer = await consume({
    logger: notes,
    commit: { everyMs: 50 },
    closeMs: 5_000,
    ...rest,
    client: { fetchMaxWaitMs: 100, ...client },
    handle: async (record) => {
      ledger.start(member, record)
      await work?.(record)
      ledger.end(member, record)
    },
  })
  consumer.on('assigned', (partitions) => {
    for (const { topic, partition } of partitions) {
      held.add(`${topic}-${partition}`)
      history.push(`+${topic}-${partition}`)
    }
  })
  consumer.on('revoked', (partitions) => {
    for (const { topic, partition } of partitions) {
      held.delete(`${topic}-${partition}`)
      history.push(`-${topic}-${partition}`)
    }
  })
  consumer.closed.catch(() => undefined)
  cleanUp(t, async () => {
    await consumer.close().catch(() => undefined)
  })
  return { consumer, notes, held, history }
}
