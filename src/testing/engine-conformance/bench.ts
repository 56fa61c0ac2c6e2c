/** An engine on the workbench: it is handed work, and everything that it says is kept. */
import { setTimeout as sleep } from 'node:timers/promises'
import { asEpoch, asOffset, asPosition } from '../../kernel/ids.ts'
import type { Completion, Engine, Work } from '../../ports/engine.ts'
import type { Header, RecordBatch } from '../../ports/log-client.ts'
import { toSubmission } from '../../runtime/submission.ts'
import type { Instruction } from './handler.ts'

export interface RecordSpec {
  readonly instruction?: Instruction
  readonly key?: Buffer | null
  readonly value?: Buffer | null
  readonly headers?: readonly Header[]
  readonly offset?: number
}

const TOPIC = 'conformance'
const PATIENCE_MS = 30_000

let runs = 1_000

/** Work of one partition and one lease, one piece for each spec. */
export function worksOf(specs: readonly RecordSpec[], epoch: number = 1): readonly Work[] {
  const offsets = specs.map(({ offset }, at) => offset ?? at)
  const records = specs.map(({ instruction, key = Buffer.from('key'), value, headers = [] }, at) => {
    const bytes = value === undefined ? Buffer.from(JSON.stringify(instruction ?? { do: 'finish' })) : value
    const size = 70 + (key?.length ?? 0) + (bytes?.length ?? 0)
    const offset = offsets[at] ?? at
    return { topic: TOPIC, partition: 3, offset, timestamp: 1_700_000_000_000 + at, size, key, value: bytes, headers }
  })
  const end = asPosition(Math.max(0, ...offsets) + 1)
  const batch: RecordBatch = {
    epoch: asEpoch(epoch),
    count: records.length,
    offsets,
    keys: records.map(({ key }) => key?.toString('latin1') ?? null),
    sizes: records.map(({ size }) => size),
    nextPosition: end,
    logEnd: end,
    leaderEpoch: 0,
    record: (index) => {
      const record = records[index]
      if (record === undefined) throw new RangeError(`there is no record ${index}`)
      return record
    },
  }
  return offsets.map((offset, index) =>
    toSubmission({
      topic: TOPIC,
      partition: 3,
      offset: asOffset(offset),
      epoch: batch.epoch,
      attempt: 1,
      run: runs++,
      batch,
      index,
    }),
  )
}

export function many(count: number, instruction: Instruction = { do: 'finish' }): RecordSpec[] {
  return Array.from({ length: count }, () => ({ instruction }))
}

export class Workbench {
  readonly engine: Engine
  readonly said: Completion[] = []
  readonly broken: unknown[] = []

  constructor(engine: Engine) {
    this.engine = engine
    engine.completions((completions) => this.said.push(...completions))
    engine.failures?.((error) => this.broken.push(error))
  }

  static async open(create: () => Engine | Promise<Engine>): Promise<Workbench> {
    const bench = new Workbench(await create())
    await bench.engine.start?.()
    return bench
  }

  async close(): Promise<void> {
    await this.engine.shutdown(now() + 5_000)
  }

  /** What was said of this piece, ends only. */
  of({ offset, epoch }: Work): readonly Completion[] {
    return this.said.filter((each) => each.offset === offset && each.epoch === epoch && each.status !== 'deferred')
  }

  /** All of these have ended. */
  async ended(works: readonly Work[]): Promise<void> {
    await this.until(`${works.length} pieces to be completed`, () => works.every((work) => this.of(work).length > 0))
  }

  async until(what: string, isTrue: () => boolean): Promise<void> {
    for (const endMs = now() + PATIENCE_MS; !isTrue(); ) {
      if (this.broken.length > 0) throw new Error('the engine says that it is broken', { cause: this.broken[0] })
      if (now() > endMs) throw new Error(`waited ${PATIENCE_MS} ms in vain for ${what}`)
      await sleep(1)
    }
  }

  /** Long enough for a second saying to come, if one does. */
  async quiet(): Promise<void> {
    await sleep(30)
  }
}

export function now(): number {
  return performance.timeOrigin + performance.now()
}
