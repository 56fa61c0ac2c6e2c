/** Bytes to lines, with a bound: a file without line ends does not fill the memory. */
import { FanlaneError } from '../../errors.ts'

/** More than this no broker takes in one record. */
export const LINE_MAX_BYTES: number = 64 * 2 ** 20

const NEWLINE = 0x0a
const RETURN = 0x0d

/** Lines without their ends, `\n` or `\r\n`; the bytes as they are. A last line without an end counts. */
export async function* linesOf(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = []
  let restBytes = 0
  for await (const chunk of source) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      yield whole([...rest, chunk.subarray(from, at)])
      rest = []
      restBytes = 0
      from = at + 1
    }
    if (from === chunk.length) continue
    rest.push(chunk.subarray(from))
    restBytes += chunk.length - from
    if (restBytes > LINE_MAX_BYTES) {
      throw new FanlaneError('LINE_TOO_LONG', `A line of the input has more than ${LINE_MAX_BYTES} bytes: is it text?`)
    }
  }
  if (restBytes > 0) yield whole(rest)
}

function whole(parts: readonly Buffer[]): Buffer {
  const [first] = parts
  const line = parts.length === 1 && first !== undefined ? first : Buffer.concat(parts)
  return line.at(-1) === RETURN ? line.subarray(0, -1) : line
}
