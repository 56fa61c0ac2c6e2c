/**
 * What a client is told about a name that cannot be a topic's, in Kafka's words, which tools show and tests look for.
 */
import { Refused } from '../refused.ts'
import { topicNameProblem } from './names.ts'

export function topicNameRefusal(name: string): Refused | undefined {
  if (topicNameProblem(name) === undefined) return undefined
  return new Refused('INVALID_TOPIC_EXCEPTION', `Topic name is invalid: ${words(name)}`)
}

function words(name: string): string {
  if (name === '') return 'the empty string is not allowed'
  if (name === '.' || name === '..') return `'${name}' is not allowed`
  if (name.length > 249) return `the length of '${name}' is longer than the max allowed length 249`
  return `'${name}' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'`
}
