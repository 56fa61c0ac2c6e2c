/** The handler that an engine under test runs: every record says what is to become of it. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { BatchContext, ConsumedRecord, HandlerContext } from '../../engines/handler.ts'

/**
 * What a record asks for, as JSON in its value; anything else is `finish`.
 * - finish: nothing more
 * - fail: an error with the message `told to fail`
 * - slow: end after `ms`
 * - wait: end when it is aborted, and not before
 * - echo: send the record, as it came, to the topic `echo`
 */
export interface Instruction {
  readonly do: 'finish' | 'fail' | 'slow' | 'wait' | 'echo'
  readonly ms?: number
}

export function instructionOf(value: Uint8Array | null): Instruction {
  if (value === null || value[0] !== 0x7b) return { do: 'finish' }
  return JSON.parse(Buffer.from(value).toString()) as Instruction
}

/** Give this to your engine as its handler, or do the same in your own words. */
export function conformanceHandler(record: ConsumedRecord, context: HandlerContext): unknown {
  // Every record with headers is sent back: bytes in values are then free to be anything.
  if (record.headers.length > 0) return echo(record, context)
  const instruction = instructionOf(record.value)
  switch (instruction.do) {
    case 'finish':
      return undefined
    case 'fail':
      throw new Error('told to fail')
    case 'slow':
      return sleep(instruction.ms ?? 0)
    case 'wait':
      return aborted(context.signal)
    case 'echo':
      return echo(record, context)
  }
}

/** The same for batches: a record that is to fail fails alone. */
export async function conformanceBatchHandler(
  records: readonly ConsumedRecord[],
  context: BatchContext,
): Promise<void> {
  for (const record of records) {
    if (instructionOf(record.value).do === 'fail') context.fail(record, new Error('told to fail'))
  }
}

function echo({ key, value, headers }: ConsumedRecord, context: HandlerContext): Promise<void> {
  return context.send({ topic: 'echo', key, value, headers })
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
