/** A value through a Standard Schema, for values that are decoded already. */
import { PermanentError } from '../errors.ts'
import type { StandardSchema } from '../index.ts'

/** What does not pass is a permanent failure: bytes do not get better by trying again. */
export function validated<Type>(schema: StandardSchema<Type>, value: unknown, code: string): Type | Promise<Type> {
  const result = schema['~standard'].validate(value)
  return result instanceof Promise ? result.then((late) => accept(late, code)) : accept(result, code)
}

type Result<Type> = Exclude<ReturnType<StandardSchema<Type>['~standard']['validate']>, Promise<unknown>>

function accept<Type>(result: Result<Type>, code: string): Type {
  if (result.issues === undefined) return result.value
  const issues = result.issues.map(({ message, path }) =>
    path?.length ? `${path.map(segmentName).join('.')}: ${message}` : message,
  )
  throw new PermanentError(`It does not pass its schema: ${issues.join('; ')}.`, { code })
}

/** The specification allows bare keys and objects with a key. */
function segmentName(segment: unknown): string {
  return typeof segment === 'object' && segment !== null && 'key' in segment ? String(segment.key) : String(segment)
}
