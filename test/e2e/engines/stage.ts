/** A consumer with workers on a log in memory, everything that happens to it, and the ledger of its handlers. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { consume } from '../../../src/consume.ts'
import type { Consumer } from '../../../src/consumer/consumer.ts'
import type { RecordFailure } from '../../../src/consumer/events.ts'
import type { ConsumeOptions } from '../../../src/consumer/options.ts'
import { MemoryLog } from '../../../src/testing/index.ts'
import { within } from '../../support/wait.ts'
import { cleanUp } from '../../wire/support/cleanup.ts'
import { Ledger } from '../../wire/support/ledger.ts'
import { type Notebook, notebook } from '../support.ts'
import { handlerFile, type Kind } from './support.ts'

export const folder: string = mkdtempSync(join(tmpdir(), 'fanlane-engines-'))
const file = join(folder, 'ledger')
writeFileSync(file, '')
process.env.FANLANE_TEST_LEDGER = file
after(() => rmSync(folder, { recursive: true, force: true }))

/** One file for all tests of a process: topics tell them apart. */
export const ledger: Ledger = new Ledger()
ledger.include(file)

let topics = 0

export interface Stage {
  readonly consumer: Consumer
  readonly log: MemoryLog
  readonly topic: string
  readonly notes: Notebook
  readonly retries: readonly RecordFailure[]
  readonly letters: readonly RecordFailure[]
  /** By offset, in partition 0. */
  readonly ended: () => ReadonlySet<number>
  idle(): Promise<void>
  /** Workers that died, by name. */
  readonly dead: () => readonly string[]
  /** I3 I8 · nothing of a key began before what was earlier had ended or left as a dead letter, or beside another. */
  assertOrder(): void
}

export interface Deed {
  readonly key: string
  readonly value: string
}

/** Each deed has a key of its own. */
export const deeds = (...values: readonly string[]): Deed[] => values.map((value, at) => ({ key: `k${at}`, value }))

export async function stage(
  t: TestContext,
  kind: Kind,
  records: readonly Deed[],
  options: Partial<ConsumeOptions<unknown, unknown>> = {},
): Promise<Stage> {
  const topic = `t${++topics}`
  const log = new MemoryLog({ [topic]: 1, out: 1 })
  for (const record of records) log.append(topic, record)
  const notes = notebook()
  const retries: RecordFailure[] = []
  const letters: RecordFailure[] = []
  const consumer = await consume({
    log,
    group: 'g',
    topics: [topic],
    engine: { kind, workers: 2 },
    handler: handlerFile('deeds'),
    retry: { attempts: 3, initialMs: 1, maxMs: 10 },
    closeMs: 2_000,
    logger: notes,
    ...options,
  })
  cleanUp(t, () => consumer.close().catch(() => undefined))
  consumer.on('retry', (failure) => retries.push(failure))
  consumer.on('dead-letter', (failure) => letters.push(failure))
  const dead = (): string[] =>
    notes.lines.filter(({ message }) => message.startsWith('a worker died')).map(({ fields }) => String(fields.worker))
  const assertOrder = (): void => {
    const entries = ledger.entries.filter((entry) => entry.topic === topic)
    const over = new Set<number>(offsetsOf(letters))
    const running = new Map<string | null, string>()
    for (const { kind: what, key, offset, member } of entries) {
      if (what === 'end') {
        over.add(offset)
        running.delete(key)
        continue
      }
      const earlier = records.flatMap((record, at) => (record.key === key && at < offset && !over.has(at) ? [at] : []))
      assert.deepEqual(earlier, [], `${offset} of ${key} began before these had ended`)
      assert.equal(running.get(key), undefined, `${offset} of ${key} began while another one was running`)
      // A worker that died has ended what it ran, without a word.
      if (!dead().includes(member)) running.set(key, member)
    }
  }
  return {
    consumer,
    log,
    topic,
    notes,
    retries,
    letters,
    ended: () => ledger.ended(topic, 0),
    idle: () => within('everything is finished', consumer.idle()),
    dead,
    assertOrder,
  }
}

export function codeOf({ error }: RecordFailure): unknown {
  return (error as { readonly code?: unknown }).code
}

export function offsetsOf(failures: readonly RecordFailure[]): number[] {
  return [...new Set(failures.map(({ work }) => work.offset as number))].sort((a, b) => a - b)
}
