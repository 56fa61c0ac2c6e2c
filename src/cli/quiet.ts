/** A logger for consumers whose command says itself what there is to say. */
import type { Logger } from '../ports/logger.ts'

export const silent: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore }

function ignore(): void {
  // The command speaks.
}
