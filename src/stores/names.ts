/** Names of tables that users choose. They become part of SQL, so nothing but a plain name is taken. */
import { OptionError } from '../errors.ts'

const PLAIN = /^[a-z_][a-z0-9_]{0,47}(\.[a-z_][a-z0-9_]{0,47})?$/i

/** `table`, or `schema.table`. */
export function tableName(table: string): string {
  if (typeof table === 'string' && PLAIN.test(table)) return table
  throw new OptionError(
    'OPTION_INVALID',
    'table',
    `Option 'table' must be a plain name of letters, digits and _, at most 48, with a schema before a dot if you like; it is ${JSON.stringify(table)}.`,
  )
}

export function wholeMs(option: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value
  throw new OptionError(
    'OPTION_INVALID',
    option,
    `Option '${option}' must be a whole number of milliseconds from 1; it is ${String(value)}.`,
  )
}

/** Kafka keeps records for a week unless told otherwise: what is older does not come again. */
export const KEEP_MS: number = 7 * 24 * 3_600_000
