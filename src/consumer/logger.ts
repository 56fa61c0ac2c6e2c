/** The default logger: one line per event on stderr, JSON where there are fields. */
import type { Logger } from '../ports/logger.ts'

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

function toJson(value: object): string {
  return JSON.stringify(value, (_, each) => {
    if (each instanceof Error) return { name: each.name, code: (each as { readonly code?: unknown }).code, message: each.message }
    return typeof each === 'bigint' ? each.toString() : each
  })
}
