/** What the page may ask for: checked field by field, because anybody can send anything. */
import { FanlaneError } from '../errors.ts'
import type { Action } from './frames.ts'

const TEXT_MAX_CHARS = 100_000
const CONCURRENCY_MAX = 1_000_000

type Fields = Readonly<Record<string, unknown>>

export function actionOf(given: unknown): Action {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw bad('an action is an object')
  const fields = given as Fields
  const only = (...names: readonly string[]): void => {
    const extra = Object.keys(fields).find((name) => name !== 'kind' && !names.includes(name))
    if (extra !== undefined) throw bad(`'${extra.slice(0, 50)}' is not known here`)
  }
  switch (fields.kind) {
    case 'pause':
    case 'resume':
      only('topic', 'partition', 'key')
      return {
        kind: fields.kind,
        topic: text(fields, 'topic'),
        ...(fields.partition === undefined ? {} : { partition: whole(fields, 'partition') }),
        ...(fields.key === undefined ? {} : { key: text(fields, 'key', 0) }),
      }
    case 'concurrency':
      only('limit', 'instance')
      return {
        kind: 'concurrency',
        limit: whole(fields, 'limit', 1, CONCURRENCY_MAX),
        ...(fields.instance === undefined ? {} : { instance: text(fields, 'instance') }),
      }
    case 'skip':
      only('topic', 'partition', 'offset')
      return {
        kind: 'skip',
        topic: text(fields, 'topic'),
        partition: whole(fields, 'partition'),
        offset: whole(fields, 'offset'),
      }
    case 'release':
      only('topic', 'partition', 'key')
      return {
        kind: 'release',
        topic: text(fields, 'topic'),
        partition: whole(fields, 'partition'),
        key: fields.key === null ? null : text(fields, 'key', 0),
      }
    case 'redrive': {
      only('topic', 'partition', 'offset')
      const topic = text(fields, 'topic')
      if (fields.partition === undefined && fields.offset === undefined) return { kind: 'redrive', topic }
      return { kind: 'redrive', topic, partition: whole(fields, 'partition'), offset: whole(fields, 'offset') }
    }
    default:
      throw bad('kind is pause, resume, concurrency, skip, release or redrive')
  }
}

/** For the audit log. */
export function actionInWords(action: Action): string {
  switch (action.kind) {
    case 'pause':
    case 'resume': {
      const where = action.partition === undefined ? action.topic : `${action.topic}-${action.partition}`
      return action.key === undefined
        ? `${action.kind} ${where}`
        : `${action.kind} key ${JSON.stringify(action.key)} of ${where}`
    }
    case 'concurrency':
      return `concurrency ${action.limit}${action.instance === undefined ? '' : ` of ${action.instance}`}`
    case 'skip':
      return `skip ${action.topic}-${action.partition}@${action.offset}`
    case 'release':
      return `release ${action.key === null ? 'what is parked' : `key ${JSON.stringify(action.key)}`} of ${action.topic}-${action.partition}`
    case 'redrive':
      return action.offset === undefined
        ? `redrive all of ${action.topic}`
        : `redrive ${action.topic}-${action.partition}@${action.offset}`
  }
}

function text(fields: Fields, name: string, minChars: number = 1): string {
  const value = fields[name]
  if (typeof value === 'string' && value.length >= minChars && value.length <= TEXT_MAX_CHARS) return value
  throw bad(`'${name}' must be text`)
}

function whole(fields: Fields, name: string, min: number = 0, max: number = Number.MAX_SAFE_INTEGER): number {
  const value = fields[name]
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) return value
  throw bad(`'${name}' must be a whole number from ${min}${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}`)
}

function bad(what: string): FanlaneError {
  return new FanlaneError(
    'ACTION_INVALID',
    `This is no action: ${what}. Send one as { "kind": "skip", "topic": "orders", "partition": 3, "offset": 1041 }.`,
  )
}
