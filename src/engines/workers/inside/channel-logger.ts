/** `ctx.log` in a worker: every line is written outside, in order, by the logger of the consumer. */
import type { Logger } from '../../../ports/logger.ts'
import { type LogLevel, packPlain } from '../messages.ts'
import { packValue } from '../portable-error.ts'
import type { Channel } from './channel.ts'

export function channelLogger(channel: Channel, bound: object | null = null): Logger {
  const write =
    (level: LogLevel) =>
    (fields: object, message?: string): void => {
      const about = bound === null ? null : packValue(bound)
      // pino also takes a line alone; whoever logs in here may do so too.
      const text = message === undefined ? undefined : String(message)
      channel.post(packPlain({ kind: 'log', level, bound: about, fields: packValue(fields), message: text }))
    }
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (more) => channelLogger(channel, { ...bound, ...more }),
  }
}
