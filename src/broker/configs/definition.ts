/**
 * What a configuration key is: its type, its default, which values it takes. One table for topics (topic-configs.ts), one for
 * the broker (broker-configs.ts), one for groups (group-configs.ts); validation, DescribeConfigs and the settings that the
 * broker obeys all read these tables.
 *
 * A value is kept as it was given and read here, in one place: `problem` says what is wrong with it, `canonical` prints it as
 * Kafka does, `longOf` and `doubleOf` give its number.
 */
export type ConfigType = 'boolean' | 'string' | 'int' | 'short' | 'long' | 'double' | 'list' | 'class' | 'password'

/** The numbers of DescribeConfigs. */
export const configTypeNumbers: Readonly<Record<ConfigType, number>> = {
  boolean: 1,
  string: 2,
  int: 3,
  short: 4,
  long: 5,
  double: 6,
  list: 7,
  class: 8,
  password: 9,
}

/** Where a key of the broker may be changed while it runs: for the whole cluster, for this broker, only for one listener. */
export type ChangeScope = 'cluster' | 'broker' | 'listener'

export interface ConfigDefinition {
  readonly type: ConfigType
  readonly default: string | null
  readonly min?: number
  readonly max?: number
  readonly oneOf?: readonly string[]
  /** A rule of its own: why not, or undefined. */
  readonly rule?: (value: string) => string | undefined
  /** The broker's key that gives a topic its default. */
  readonly brokerKey?: string
  /** Left out: the key cannot be changed while the broker runs. */
  readonly change?: ChangeScope
  /** What it does here. Left out: the value is known to Kafka, kept and shown, and means nothing to a single broker. */
  readonly doc?: string
}

export type ConfigTable = Readonly<Record<string, ConfigDefinition>>

/** A request can name any key, `constructor` included. */
export function definitionOf(table: ConfigTable, key: string): ConfigDefinition | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

const ranges: Readonly<Partial<Record<ConfigType, readonly [bigint, bigint]>>> = {
  int: [-(2n ** 31n), 2n ** 31n - 1n],
  short: [-(2n ** 15n), 2n ** 15n - 1n],
  long: [-(2n ** 63n), 2n ** 63n - 1n],
}

/** Why `value` cannot be the value of `key`, or undefined if it can. */
export function configProblem(
  table: ConfigTable,
  key: string,
  value: string | null,
  owner = 'topic',
): string | undefined {
  const definition = definitionOf(table, key)
  if (definition === undefined) return `Unknown ${owner} config name: ${key}`
  if (value === null) return `Null value not supported for ${owner} configs: ${key}`
  return valueProblem(definition, key, value)
}

export function valueProblem(definition: ConfigDefinition, key: string, value: string): string | undefined {
  const text = value.trim()
  switch (definition.type) {
    case 'boolean':
      if (isBoolean(text)) return undefined
      return invalid(key, value, 'Expected value to be either true or false')
    case 'int':
    case 'short':
    case 'long':
      return integerProblem(definition, key, text)
    case 'double':
      return doubleProblem(definition, key, text)
    case 'list':
      return listProblem(definition, key, text)
    default:
      return oneOfProblem(definition, key, text) ?? ruleProblem(definition, key, text)
  }
}

function isBoolean(text: string): boolean {
  return ['true', 'false'].includes(text.toLowerCase())
}

function integerProblem(definition: ConfigDefinition, key: string, text: string): string | undefined {
  const number = integerOf(text)
  const [lowest, highest] = ranges[definition.type] ?? [0n, 0n]
  if (number === undefined || number < lowest || number > highest) return notANumber(definition, key, text)
  return rangeProblem(definition, key, Number(number), String(number)) ?? ruleProblem(definition, key, text)
}

function doubleProblem(definition: ConfigDefinition, key: string, text: string): string | undefined {
  const number = doubleOf(text)
  // Kafka takes NaN; nothing could be decided with it.
  if (Number.isNaN(number)) return notANumber(definition, key, text)
  return rangeProblem(definition, key, number, javaDouble(number))
}

function rangeProblem(definition: ConfigDefinition, key: string, number: number, shown: string): string | undefined {
  const { min, max } = definition
  if (min !== undefined && number < min) return invalid(key, shown, `Value must be at least ${min}`)
  if (max !== undefined && number > max) return invalid(key, shown, `Value must be no more than ${max}`)
  return undefined
}

function listProblem(definition: ConfigDefinition, key: string, text: string): string | undefined {
  const problems = listOf(text).map((item) => oneOfProblem(definition, key, item))
  const why = definition.rule?.(listOf(text).join(','))
  return problems.find((problem) => problem !== undefined) ?? (why && invalid(key, `[${listOf(text).join(', ')}]`, why))
}

function oneOfProblem({ oneOf }: ConfigDefinition, key: string, text: string): string | undefined {
  if (oneOf === undefined || oneOf.includes(text)) return undefined
  return invalid(key, text, `String must be one of: ${oneOf.join(', ')}`)
}

function ruleProblem({ rule }: ConfigDefinition, key: string, text: string): string | undefined {
  const why = rule?.(text)
  return why === undefined ? undefined : invalid(key, text, why)
}

function notANumber({ type }: ConfigDefinition, key: string, text: string): string {
  return invalid(key, text, `Not a number of type ${type.toUpperCase()}`)
}

function invalid(key: string, value: string, why: string): string {
  return `Invalid value ${value} for configuration ${key}: ${why}`
}

/** A value as Kafka prints it once it was read: without the spaces, signs and capitals that it came with. */
export function canonical(definition: ConfigDefinition, value: string): string {
  const text = value.trim()
  switch (definition.type) {
    case 'boolean':
      return text.toLowerCase()
    case 'int':
    case 'short':
    case 'long':
      return String(integerOf(text) ?? text)
    case 'double':
      return javaDouble(doubleOf(text))
    case 'list':
      return listOf(text).join(',')
    default:
      return text
  }
}

/** An item may be empty, as in `a,,b`; only no text at all is no item. */
export function listOf(text: string): string[] {
  return text.trim() === '' ? [] : text.split(',').map((item) => item.trim())
}

function integerOf(text: string): bigint | undefined {
  return /^[+-]?\d{1,19}$/.test(text) ? BigInt(text.replace('+', '')) : undefined
}

/** A long as a number: what is beyond all practical time or size becomes Infinity. */
export function longOf(text: string): number {
  const exact = integerOf(text.trim()) ?? 0n
  return exact > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(exact)
}

/** NaN: it is not a number. */
export function doubleOf(text: string): number {
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[dDfF]?$/.exec(text.trim())
  return match === null ? Number.NaN : Number(match[1])
}

/** Java prints a double with at least one digit after the point, and in powers of ten sooner than JavaScript. */
function javaDouble(number: number): string {
  const size = Math.abs(number)
  if (size === 0 || (size >= 1e-3 && size < 1e7)) return Number.isInteger(number) ? `${number}.0` : String(number)
  const [digits = '', power = ''] = number.toExponential().split('e')
  return `${digits.includes('.') ? digits : `${digits}.0`}E${Number(power)}`
}
