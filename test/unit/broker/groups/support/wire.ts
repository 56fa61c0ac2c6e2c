/** Requests and answers as the wire carries them: nothing is used in a test that a version has no room for. */
import type { Api } from '../../../../../src/protocol/api.ts'
import { Reader } from '../../../../../src/protocol/reader.ts'
import type { Input } from '../../../../../src/protocol/types.ts'
import { Writer } from '../../../../../src/protocol/writer.ts'

/** Through the codec and back, so that nothing is used that the wire would not carry. */
export function overTheWire<Q, R>(api: Api<Q, R>, version: number, request: Input<Q>): Q {
  const writer = new Writer()
  api.writeRequest(writer, request, version)
  return api.readRequest(new Reader(writer.toBuffer()), version)
}

export function backOverTheWire<Q, R>(api: Api<Q, R>, version: number, response: Input<R>): R {
  const writer = new Writer()
  api.writeResponse(writer, response, version)
  return api.readResponse(new Reader(writer.toBuffer()), version)
}

/** A subscription of the consumer protocol, version 0, with a value of the script as user data. */
export function subscription(value: unknown, topics: readonly string[] = []): Buffer {
  const writer = new Writer()
  writer.int16(0)
  writer.int32(topics.length)
  for (const topic of topics) writer.string(topic, false)
  writer.bytes(Buffer.from(JSON.stringify(value)), false)
  return writer.toBuffer()
}
