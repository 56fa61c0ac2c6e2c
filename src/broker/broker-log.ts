/**
 * Where the broker says what it does. Silent by default in a process of its user; the stand-alone broker prints.
 */
export interface BrokerLog {
  debug(message: string, detail?: unknown): void
  info(message: string, detail?: unknown): void
  warn(message: string, detail?: unknown): void
  error(message: string, detail?: unknown): void
}

const quiet = (): void => undefined

export const silentLog: BrokerLog = { debug: quiet, info: quiet, warn: quiet, error: quiet }
