/** Bytes that were on the disk for good and are not what they were. Never served, never cut off silently. */
import { FanlaneError } from '../../errors.ts'

export class LogDamagedError extends FanlaneError {
  readonly file: string
  readonly position: number
  readonly offset: number

  constructor(file: string, position: number, offset: number, what: string) {
    super(
      'LOG_DAMAGED',
      `${file} is damaged at byte ${position} (offset ${offset}): ${what}. Records before it can be read. Restore the ` +
        'file from a backup while the broker is stopped, or give the damaged part up by deleting the records before ' +
        'the next good offset.',
    )
    this.name = 'LogDamagedError'
    this.file = file
    this.position = position
    this.offset = offset
  }
}
