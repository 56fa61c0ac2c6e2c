/**
 * Bytes that are not what the protocol says they should be, or a value that the protocol cannot carry. `code` tells which;
 * a server answers INVALID_REQUEST or closes the connection, a client gives the connection up.
 */
import { FanlaneError } from '../errors.ts'

export type ProtocolErrorCode =
  | 'FRAME_TRUNCATED'
  | 'FRAME_TOO_LARGE'
  | 'FRAME_LENGTH_INVALID'
  | 'LENGTH_INVALID'
  | 'COUNT_INVALID'
  | 'NULL_NOT_ALLOWED'
  | 'VARINT_OVERLONG'
  | 'TAG_SIZE_WRONG'
  | 'FIELD_UNSUPPORTED'
  | 'VALUE_OUT_OF_RANGE'

export class ProtocolError extends FanlaneError {
  constructor(code: ProtocolErrorCode, message: string) {
    super(code, message)
    this.name = 'ProtocolError'
  }
}

/** A field that has a value, in a version of the message that has no room for it. */
export function unsupportedField(field: string, version: number): ProtocolError {
  return new ProtocolError(
    'FIELD_UNSUPPORTED',
    `${field} cannot be sent in version ${version} of this message; use a newer version`,
  )
}
