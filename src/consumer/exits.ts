/** Where records go that failed for good: the user's function, or the dead-letter topic. */
import { FanlaneError } from '../errors.ts'
import type { KernelOptions } from '../kernel/options.ts'
import type { ExhaustedRecord, RecordExit } from '../ports/exit.ts'
import type { LogClient } from '../ports/log-client.ts'
import { deadLetterTopic, toDeadLetter } from './dead-letters.ts'
import type { ConsumeOptions } from './options.ts'

export function exitOf(
  options: ConsumeOptions<unknown, unknown>,
  delivery: KernelOptions['delivery'],
  client: LogClient,
  onLetter: (topic: string) => void,
): RecordExit {
  const { onExhausted } = options
  if (typeof onExhausted === 'function') {
    return async ({ record, error }) => {
      await onExhausted(record, error)
      return {}
    }
  }
  const topicOf = options.deadLetter?.topic ?? deadLetterTopic
  return async (exhausted: ExhaustedRecord) => {
    const topic = checked(topicOf(exhausted.record))
    onLetter(topic)
    const letter = toDeadLetter(exhausted, topic, options.group ?? '')
    // Exactly-once: the letter is an output of the same transaction as the offset.
    if (delivery === 'exactly-once') return { sends: [letter] }
    const [result] = await client.publish([{ work: exhausted.work, sends: [letter] }])
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
