/**
 * The name of one record in one group: what "this very record was handled before" is about.
 *
 * The timestamp is part of it. Where a topic is deleted and made again, or a log was truncated, another record gets the
 * same offset: without the timestamp it would be taken for the old one, and lost.
 */
export interface NamedRecord {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly timestamp: number
}

export function recordId(group: string, { topic, partition, offset, timestamp }: NamedRecord): string {
  return `${group}/${topic}/${partition}/${offset}/${timestamp}`
}
