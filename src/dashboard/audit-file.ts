/** Actions, one line of JSON each, in the order in which they happened. */
import { appendFile } from 'node:fs/promises'
import type { Logger } from '../ports/logger.ts'
import type { AuditFrame } from './frames.ts'

export function auditFile(path: string, logger: Logger): (entry: AuditFrame) => void {
  let last: Promise<void> = Promise.resolve()
  return (entry) => {
    const line = `${JSON.stringify({ ...entry, at: new Date(entry.at).toISOString() })}\n`
    last = last
      .then(() => appendFile(path, line, { mode: 0o600 }))
      .catch((error) => logger.error({ error, line }, `an action could not be written to ${path}`))
  }
}
