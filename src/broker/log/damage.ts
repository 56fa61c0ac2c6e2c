/** What a log says when it cannot do what it is asked for. */
import { FanlaneError } from '../../errors.ts'

/** Bytes that were on the disk for good and are not what they were. Never served, never cut off silently. */
export class LogDamagedError extends FanlaneError {
  readonly file: string
  readonly position: number
  readonly offset: number
  /** Where the log ends is not known any more: nothing about it can be changed. */
  readonly isAtEnd: boolean

  constructor(file: string, position: number, offset: number, what: string, isAtEnd = false) {
    const wayOut = isAtEnd
      ? 'or delete the topic.'
      : 'or give the damaged part up by deleting the records before the next good offset.'
    super(
      'LOG_DAMAGED',
      `${file} is damaged at byte ${position} (offset ${offset}): ${what}. Records before it can be read. Restore the ` +
        `file from a backup while the broker is stopped, ${wayOut}`,
    )
    this.isAtEnd = isAtEnd
    this.name = 'LogDamagedError'
    this.file = file
    this.position = position
    this.offset = offset
  }
}

export function logClosed(directory: string): FanlaneError {
  return new FanlaneError(
    'LOG_CLOSED',
    `The log in ${directory} is closed: its topic is being deleted, or the broker stops. Nothing more can be written to it.`,
  )
}
