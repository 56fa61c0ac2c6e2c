/** Which topics of a log are meant. */
import { FanlaneError } from '../errors.ts'

/**
 * Names are taken as they are and must exist. Patterns leave out internal topics, `*.dlq`, and topics that were written
 * to as dead letters, whatever they are called: a consumer must not feed on its own failures.
 */
export function chooseTopics(
  wanted: readonly (string | RegExp)[],
  existing: readonly string[],
  letterTopics: ReadonlySet<string>,
): readonly string[] {
  const { names, matches } = topicChoice(wanted, letterTopics)
  for (const name of names) if (!existing.includes(name)) throw notFound(name, existing)
  return existing.filter((topic) => names.includes(topic) || matches?.(topic) === true)
}

export interface TopicChoice {
  readonly names: readonly string[]
  /** null: no patterns. */
  readonly matches: ((topic: string) => boolean) | null
}

/** The same, of a cluster whose topics come and go. */
export function topicChoice(wanted: readonly (string | RegExp)[], letterTopics: ReadonlySet<string>): TopicChoice {
  const patterns = wanted.filter((each) => typeof each !== 'string')
  const isPrivate = (topic: string): boolean =>
    topic.startsWith('__') || topic.endsWith('.dlq') || letterTopics.has(topic)
  return {
    names: wanted.filter((each) => typeof each === 'string'),
    matches:
      patterns.length === 0
        ? null
        : (topic) => !isPrivate(topic) && patterns.some((pattern) => isMatch(pattern, topic)),
  }
}

/** `search`, not `test`: a pattern with the flag g or y remembers where it stopped, and would skip every other topic. */
function isMatch(pattern: RegExp, topic: string): boolean {
  return topic.search(pattern) >= 0
}

function notFound(topic: string, existing: readonly string[]): FanlaneError {
  const known = existing.length === 0 ? 'It has no topics.' : `It has: ${existing.slice(0, 20).join(', ')}.`
  return new FanlaneError(
    'TOPIC_NOT_FOUND',
    `The log has no topic '${topic}'. ${known} Create it with log.createTopic('${topic}', partitions), or correct 'topics'.`,
  )
}
