/** What is given by hand is looked at before anything is sent: a wrong type would otherwise reach the broker as nonsense. */
import { FanlaneError, OptionError } from '../errors.ts'

/** A list, each thing in it once: brokers refuse a request that names one twice, or take the last. */
export function listed<Item>(items: readonly Item[], what: string, nameOf: (item: Item) => string): readonly Item[] {
  if (!Array.isArray(items)) throw new OptionError('OPTION_INVALID', what, `${what} must be a list.`)
  const names = new Set<string>()
  for (const item of items as readonly Item[]) {
    const name = nameOf(item)
    if (names.has(name)) throw new OptionError('OPTION_INVALID', what, `${what} names ${name} twice.`)
    names.add(name)
  }
  return items
}

/** Names to look at: one that comes twice is looked at once. */
export function names(list: readonly string[], what: string): readonly string[] {
  if (!Array.isArray(list) || !list.every((name) => typeof name === 'string')) {
    throw new OptionError('OPTION_INVALID', what, `${what} must be a list of names.`)
  }
  return [...new Set<string>(list)]
}

/** A whole number that the wire can carry, from `min` on. */
export function whole(value: number, what: string, min = 0): number {
  if (Number.isSafeInteger(value) && value >= min) return value
  throw new OptionError('OPTION_INVALID', what, `${what} must be a whole number from ${min}, not ${String(value)}.`)
}

/** A number of an answer. Offsets and ids of real clusters are far below the limit. */
export function exact(value: bigint): number {
  const number = Number(value)
  if (Number.isSafeInteger(number)) return number
  throw new FanlaneError('BROKER_ANSWER_INVALID', `A broker answered with ${value}, which is no offset, time or id.`)
}

/** Negative means that there is none. */
export function exactOrNull(value: bigint): number | null {
  return value < 0n ? null : exact(value)
}

export function orNull(value: number): number | null {
  return value < 0 ? null : value
}
