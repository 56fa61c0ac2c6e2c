/**
 * The smallest client there is: one socket, one request at a time, any API in any version. It adds nothing of its own, so
 * what it gets is what the broker said.
 */
import { connect, type Socket } from 'node:net'
import { type Api, requestHeaderVersion, responseHeaderVersion } from '../../../../src/protocol/api.ts'
import { FrameReader } from '../../../../src/protocol/frames.ts'
import { Reader } from '../../../../src/protocol/reader.ts'
import type { Input } from '../../../../src/protocol/types.ts'
import { Writer } from '../../../../src/protocol/writer.ts'

const frameBytesMax = 64 * 2 ** 20

/** Sends a request, gives the answer. Scripts run on anything that has this shape. */
export type Ask = <Q extends object, R extends object>(
  api: Api<Q, R>,
  version: number,
  request: Input<Q>,
) => Promise<R>

export type RawClient = { readonly ask: Ask; close(): void }

export async function rawClient(address: string): Promise<RawClient> {
  const [host, port] = address.split(':') as [string, string]
  const socket = connect(Number(port), host)
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  const frames = new FrameReader(frameBytesMax)
  socket.on('data', (chunk: Buffer) => frames.push(Buffer.from(chunk)))
  let correlationId = 0
  return {
    async ask(api, version, request) {
      correlationId++
      send(socket, api, version, correlationId, (writer) => api.writeRequest(writer, request, version))
      const reader = new Reader(await nextFrame(socket, frames, api.name))
      const answered = reader.int32()
      if (answered !== correlationId) throw new Error(`${api.name}: answer ${answered} to request ${correlationId}`)
      if (responseHeaderVersion(api, version) > 0) reader.uvarint()
      return api.readResponse(reader, version)
    },
    close: () => socket.destroy(),
  }
}

function send(
  socket: Socket,
  api: { readonly key: number; readonly flexibleFrom: number },
  version: number,
  correlationId: number,
  body: (writer: Writer) => void,
): void {
  const writer = new Writer()
  writer.int16(api.key)
  writer.int16(version)
  writer.int32(correlationId)
  writer.string('raw', false)
  if (requestHeaderVersion(api, version) > 1) writer.uvarint(0)
  body(writer)
  const length = Buffer.alloc(4)
  length.writeInt32BE(writer.length)
  socket.write(Buffer.concat([length, ...writer.chunks()]))
}

function nextFrame(socket: Socket, frames: FrameReader, name: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const frame = frames.next()
      if (frame === undefined) return
      done()
      resolve(frame)
    }
    const fail = (): void => {
      done()
      reject(new Error(`the connection was closed instead of an answer to ${name}`))
    }
    const done = (): void => {
      socket.off('data', look)
      socket.off('close', fail)
    }
    socket.on('data', look)
    socket.on('close', fail)
    look()
  })
}
