/** Shared by the tests of `consume()` on a log in memory. */
import type { Consumer } from '../../src/consumer/consumer.ts'
import type { ConsumerEvent, ConsumerEvents } from '../../src/consumer/events.ts'
import type { Logger } from '../../src/ports/logger.ts'
import { MemoryLog } from '../../src/testing/index.ts'

export interface Line {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: Record<string, unknown>
  readonly message: string
}

export interface Notebook extends Logger {
  readonly lines: readonly Line[]
}

export function notebook(): Notebook {
  const lines: Line[] = []
  const write =
    (level: Line['level']) =>
    (fields: object, message = ''): void => {
      lines.push({ level, fields: { ...fields }, message })
    }
  return { lines, debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

/** A log with one topic `t`; each value is appended with itself as key. */
export function logOf(partitions: number, ...values: readonly string[]): MemoryLog {
  const log = new MemoryLog({ t: partitions })
  for (const value of values) log.append('t', { key: value, value })
  return log
}

/** What the next event of this name carries. */
export function next<Name extends ConsumerEvent>(consumer: Consumer, name: Name): Promise<ConsumerEvents[Name][0]> {
  return new Promise((resolve) => consumer.once(name, ((value: ConsumerEvents[Name][0]) => resolve(value)) as never))
}

/** Turns of the event loop: the loop takes its mailbox in each of them. */
export async function turns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

export function headersOf(log: MemoryLog, topic: string, offset = 0): Record<string, string> {
  const headers = log.records(topic, 0)[offset]?.headers ?? []
  return Object.fromEntries(headers.map(({ key, value }) => [key, String(value)]))
}
