/**
 * What a configuration key is: its type, its default, which values it takes. One table for topics (topic-configs.ts), one for
 * the broker (broker-configs.ts); validation, DescribeConfigs and the log's settings all read these tables.
 */
export type ConfigType = 'boolean' | 'string' | 'int' | 'short' | 'long' | 'double' | 'list' | 'password'

/** The numbers of DescribeConfigs. */
export const configTypeNumbers: Readonly<Record<ConfigType, number>> = {
  boolean: 1,
  string: 2,
  int: 3,
  short: 4,
  long: 5,
  double: 6,
  list: 7,
  password: 9,
}

export interface ConfigDefinition {
  readonly type: ConfigType
  readonly default: string | null
  readonly min?: number
  readonly max?: number
  readonly oneOf?: readonly string[]
  /** The broker's key that gives a topic its default. */
  readonly brokerKey?: string
  /** Cannot be changed while the broker runs. */
  readonly readOnly?: boolean
}

export type ConfigTable = Readonly<Record<string, ConfigDefinition>>

const ranges: Readonly<Partial<Record<ConfigType, readonly [number, number]>>> = {
  int: [-(2 ** 31), 2 ** 31 - 1],
  short: [-(2 ** 15), 2 ** 15 - 1],
}

/** Why `value` cannot be the value of `key`, or undefined if it can. */
export function configProblem(table: ConfigTable, key: string, value: string | null): string | undefined {
  const definition = Object.hasOwn(table, key) ? table[key] : undefined
  if (definition === undefined) return `Unknown topic config name: ${key}`
  if (value === null) return `Null value not supported for ${key}`
  const text = value.trim()
  switch (definition.type) {
    case 'boolean':
      return ['true', 'false'].includes(text.toLowerCase()) ? undefined : invalid(key, value, 'Expected value to be either true or false')
    case 'int':
    case 'short':
    case 'long':
      return integerProblem(definition, key, text)
    case 'double':
      return numberProblem(definition, key, text)
    case 'list':
      return listProblem(definition, key, text)
    default:
      return definition.oneOf === undefined || definition.oneOf.includes(text)
        ? undefined
        : invalid(key, value, `String must be one of: ${definition.oneOf.join(', ')}`)
  }
}

function integerProblem(definition: ConfigDefinition, key: string, text: string): string | undefined {
  if (!/^[+-]?\d{1,19}$/.test(text)) return invalid(key, text, `Not a number of type ${definition.type.toUpperCase()}`)
  const exact = BigInt(text)
  if (exact > 2n ** 63n - 1n || exact < -(2n ** 63n)) return invalid(key, text, `Not a number of type ${definition.type.toUpperCase()}`)
  const range = ranges[definition.type]
  if (range !== undefined && (exact < range[0] || exact > range[1])) {
    return invalid(key, text, `Not a number of type ${definition.type.toUpperCase()}`)
  }
  return numberProblem(definition, key, text)
}

function numberProblem(definition: ConfigDefinition, key: string, text: string): string | undefined {
  const number = Number(text)
  if (text === '' || Number.isNaN(number)) return invalid(key, text, `Not a number of type ${definition.type.toUpperCase()}`)
  if (definition.min !== undefined && number < definition.min) return invalid(key, text, `Value must be at least ${definition.min}`)
  if (definition.max !== undefined && number > definition.max) return invalid(key, text, `Value must be no more than ${definition.max}`)
  return undefined
}

function listProblem(definition: ConfigDefinition, key: string, text: string): string | undefined {
  const { oneOf } = definition
  if (oneOf === undefined) return undefined
  const bad = listOf(text).find((item) => !oneOf.includes(item))
  return bad === undefined ? undefined : invalid(key, bad, `String must be one of: ${oneOf.join(', ')}`)
}

function invalid(key: string, value: string, why: string): string {
  return `Invalid value ${value} for configuration ${key}: ${why}`
}

export function listOf(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** A long as a number: what is beyond all practical time or size becomes Infinity. */
export function longOf(text: string): number {
  const exact = BigInt(text)
  return exact > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(exact)
}
