/** Where records go that failed for good: the user's function, the dead-letter topic, or lines on stdout. */
import { FanlaneError } from '../errors.ts'
import type { KernelOptions } from '../kernel/options.ts'
import type { ExhaustedRecord, RecordExit } from '../ports/exit.ts'
import type { LogClient } from '../ports/log-client.ts'
import { deadLetterTopic, toDeadLetter } from './dead-letters.ts'
import type { ConsumeOptions } from './options.ts'
import { DEFAULT_LINE_MAX_BYTES, stdoutWriter, type Write, writePoison } from './poison-log.ts'

export interface ExitParts {
  readonly delivery: KernelOptions['delivery']
  readonly client: LogClient
  /** A dead letter is about to be written to this topic. */
  readonly onLetter: (topic: string) => void
  readonly now: () => number
  readonly write?: Write
}

export function exitOf(options: ConsumeOptions<unknown, unknown>, parts: ExitParts): RecordExit {
  const { onExhausted } = options
  if (typeof onExhausted === 'function') {
    return async ({ record, error }) => {
      await onExhausted(record, error)
      return {}
    }
  }
  return onExhausted === 'log' ? toLog(options, parts) : toTopic(options, parts)
}

function toLog(options: ConsumeOptions<unknown, unknown>, { write = stdoutWriter(), now }: ExitParts): RecordExit {
  const lineMaxBytes = options.deadLetter?.lineMaxBytes ?? DEFAULT_LINE_MAX_BYTES
  const group = options.group ?? ''
  return async (exhausted) => {
    await writePoison(write, exhausted, { group, lineMaxBytes, nowMs: now() })
    return {}
  }
}

function toTopic(options: ConsumeOptions<unknown, unknown>, { delivery, client, onLetter }: ExitParts): RecordExit {
  const { topic: topicOf = deadLetterTopic, create = true } = options.deadLetter ?? {}
  return async (exhausted: ExhaustedRecord) => {
    const { record, work } = exhausted
    const topic = checked(topicOf(record))
    onLetter(topic)
    if (create) await client.ensureTopic?.(topic, record.topic)
    const letter = toDeadLetter(exhausted, topic, options.group ?? '')
    // Exactly-once: the letter is an output of the same transaction as the offset.
    if (delivery === 'exactly-once') return { sends: [letter] }
    const [result] = await client.publish([{ work, sends: [letter] }])
    if (result?.ok === true) return {}
    throw (
      result?.error ??
      new FanlaneError('DEAD_LETTER_FAILED', `${topic}: the dead letter was not acknowledged. It is tried again.`)
    )
  }
}

function checked(topic: unknown): string {
  if (typeof topic === 'string' && topic !== '') return topic
  throw new FanlaneError(
    'DEAD_LETTER_TOPIC_INVALID',
    `deadLetter.topic returned ${String(topic)}: return the name of a topic for every record.`,
  )
}
