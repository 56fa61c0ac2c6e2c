/** The default logger: one line per event on stderr, JSON where there are fields. */
import { inspect } from 'node:util'
import type { Logger } from '../ports/logger.ts'
import { messageOf } from './error-text.ts'

const LINE_MAX_CHARS = 4_000

export function stderrLogger(fields: object = {}): Logger {
  const write =
    (level: string) =>
    (more: object, message = ''): void => {
      const all = { ...fields, ...more }
      const tail = Object.keys(all).length === 0 ? '' : ` ${toJson(all)}`
      process.stderr.write(`${`fanlane ${level} ${message}${tail}`.slice(0, LINE_MAX_CHARS)}\n`)
    }
  return {
    debug: () => undefined,
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (more) => stderrLogger({ ...fields, ...more }),
  }
}

/**
 * The user's logger as the loop may use it: an exception of a logger must not stop a consumer. It is said once, on stderr,
 * as there is nobody else to say it to.
 */
export function safeLogger(logger: Logger): Logger {
  let said = false
  const guard =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (fields: object, message?: string): void => {
      try {
        logger[level](fields, message)
      } catch (error) {
        if (said) return
        said = true
        stderrLogger().error(
          { error },
          `the logger threw in ${level}(); the line is lost, and so are later ones it throws at`,
        )
      }
    }
  return { debug: guard('debug'), info: guard('info'), warn: guard('warn'), error: guard('error') }
}

function toJson(value: object): string {
  try {
    return JSON.stringify(value, plain)
  } catch {
    // A ring, or a toJSON that throws: users throw all kinds of things.
    return inspect(value, { depth: 2, breakLength: Number.POSITIVE_INFINITY })
  }
}

function plain(_: string, value: unknown): unknown {
  if (value instanceof Error) {
    return { name: value.name, code: (value as { readonly code?: unknown }).code, message: messageOf(value) }
  }
  return typeof value === 'bigint' ? value.toString() : value
}
