/**
 * A server that reads requests and answers what a test tells it, for faults that no real broker has. It speaks ApiVersions by
 * itself unless the test takes that over.
 */
import { createServer, type Server, type Socket } from 'node:net'
import { type Api, requestHeaderVersion, responseHeaderVersion } from '../../../src/protocol/api.ts'
import { FrameReader } from '../../../src/protocol/frames.ts'
import { metadataApi } from '../../../src/protocol/generated/03-metadata.ts'
import { heartbeatApi } from '../../../src/protocol/generated/12-heartbeat.ts'
import { saslHandshakeApi } from '../../../src/protocol/generated/17-sasl-handshake.ts'
import { type ApiVersion, apiVersionsApi } from '../../../src/protocol/generated/18-api-versions.ts'
import { saslAuthenticateApi } from '../../../src/protocol/generated/36-sasl-authenticate.ts'
import { readRequestHeader } from '../../../src/protocol/generated/request-header.ts'
import { writeResponseHeader } from '../../../src/protocol/generated/response-header.ts'
import { Reader } from '../../../src/protocol/reader.ts'
import type { Input } from '../../../src/protocol/types.ts'
import { Writer } from '../../../src/protocol/writer.ts'

const apis = [metadataApi, heartbeatApi, saslHandshakeApi, apiVersionsApi, saslAuthenticateApi] as const

export interface Asked {
  readonly api: Api<never, never>
  readonly version: number
  readonly correlationId: number
  readonly clientId: string | null
  readonly body: unknown
  readonly socket: Socket
  /** Which connection of the server this is, from 0. */
  readonly connection: number
  reply<Q, R>(api: Api<Q, R>, body: Input<R>, options?: { version?: number; correlationId?: number }): void
}

/** True: handled. False: the server's own way (ApiVersions is answered, the rest is met with silence). */
export type Script = (asked: Asked) => boolean | undefined

export const allVersions: readonly ApiVersion[] = apis.map(({ key, minVersion, maxVersion }) => {
  return { apiKey: key, minVersion, maxVersion }
})

export class ScriptedBroker {
  readonly asked: Asked[] = []
  readonly sockets: Socket[] = []
  readonly #server: Server
  script: Script

  private constructor(script: Script) {
    this.script = script
    this.#server = createServer((socket) => this.#serve(socket))
  }

  static async start(script: Script = () => undefined, port = 0): Promise<ScriptedBroker> {
    const broker = new ScriptedBroker(script)
    await new Promise<void>((resolve, reject) => {
      broker.#server.once('error', reject)
      broker.#server.listen(port, '127.0.0.1', resolve)
    })
    return broker
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  get address(): string {
    return `127.0.0.1:${this.port}`
  }

  /** Requests of one API, in the order in which they came. */
  of(api: { readonly key: number }): Asked[] {
    return this.asked.filter((asked) => asked.api.key === api.key)
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #serve(socket: Socket): void {
    const connection = this.sockets.push(socket) - 1
    const frames = new FrameReader(2 ** 28)
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk: Buffer) => {
      frames.push(chunk)
      for (let frame = frames.next(); frame !== undefined; frame = frames.next()) this.#take(frame, socket, connection)
    })
  }

  #take(frame: Buffer, socket: Socket, connection: number): void {
    const key = frame.readInt16BE(0)
    const version = frame.readInt16BE(2)
    const api = apis.find((known) => known.key === key) as Api<never, never> | undefined
    if (api === undefined) throw new Error(`the script knows no API ${key}`)
    const reader = new Reader(frame)
    const { correlationId, clientId } = readRequestHeader(reader, requestHeaderVersion(api, version))
    const body: unknown = version > api.maxVersion ? null : api.readRequest(reader, version)
    const asked: Asked = {
      api,
      version,
      correlationId,
      clientId,
      body,
      socket,
      connection,
      reply: (answerApi, answer, options = {}) => {
        const answerVersion = options.version ?? version
        const writer = new Writer()
        writer.int32(0)
        writeResponseHeader(
          writer,
          { correlationId: options.correlationId ?? correlationId },
          responseHeaderVersion(answerApi, answerVersion),
        )
        answerApi.writeResponse(writer, answer, answerVersion)
        const bytes = writer.toBuffer()
        bytes.writeInt32BE(bytes.length - 4, 0)
        socket.write(bytes)
      },
    }
    this.asked.push(asked)
    if (this.script(asked) === true) return
    if (key === apiVersionsApi.key) asked.reply(apiVersionsApi, { apiKeys: allVersions })
  }
}
