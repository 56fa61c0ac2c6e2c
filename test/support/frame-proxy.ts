/**
 * A TCP proxy between Kafka clients and a broker that shows every frame to a listener.
 * Bytes pass unchanged and in order; a response is known by its correlation id, since a request with acks=0 has none.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'

export type Frame = {
  readonly kind: 'request' | 'response'
  readonly apiKey: number
  readonly apiVersion: number
  /** What the connection's requests call themselves. */
  readonly clientId: string
  /** Header and body, without the length in front. */
  readonly bytes: Buffer
}

export type FrameProxy = { readonly port: number; close(): Promise<void> }

const frameBytesMax = 64 << 20

/** Listens on `port` (0: any) and forwards to `target`, which may be known only later. */
export async function startFrameProxy(
  target: () => string,
  onFrame: (frame: Frame) => void,
  port = 0,
): Promise<FrameProxy> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((client) => {
    const [host, targetPort] = target().split(':') as [string, string]
    const broker = connect(Number(targetPort), host)
    const asked = new Map<number, { apiKey: number; apiVersion: number; clientId: string }>()
    const fromClient = frames((bytes) => {
      const apiKey = bytes.readInt16BE(0)
      const apiVersion = bytes.readInt16BE(2)
      const clientIdLength = bytes.length >= 10 ? bytes.readInt16BE(8) : -1
      const clientId = clientIdLength > 0 ? bytes.toString('utf8', 10, 10 + clientIdLength) : ''
      asked.set(bytes.readInt32BE(4), { apiKey, apiVersion, clientId })
      onFrame({ kind: 'request', apiKey, apiVersion, clientId, bytes })
    })
    const fromBroker = frames((bytes) => {
      const correlationId = bytes.readInt32BE(0)
      const request = asked.get(correlationId)
      asked.delete(correlationId)
      if (request !== undefined) onFrame({ kind: 'response', ...request, bytes })
    })
    for (const [from, to, watch] of [
      [client, broker, fromClient],
      [broker, client, fromBroker],
    ] as const) {
      sockets.add(from)
      from.setNoDelay(true)
      from.on('data', (chunk: Buffer) => {
        watch(chunk)
        if (!to.write(chunk)) from.pause()
      })
      to.on('drain', () => from.resume())
      from.on('error', () => to.destroy())
      from.on('end', () => to.end())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as { port: number }).port,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Cuts a stream of chunks into frames. */
function frames(onFrame: (bytes: Buffer) => void): (chunk: Buffer) => void {
  let kept: Buffer = Buffer.alloc(0)
  return (chunk) => {
    kept = kept.length === 0 ? chunk : Buffer.concat([kept, chunk])
    while (kept.length >= 4) {
      const length = kept.readInt32BE(0)
      if (length < 0 || length > frameBytesMax) throw new Error(`a frame of ${length} bytes: not Kafka's protocol`)
      if (kept.length < 4 + length) return
      onFrame(Buffer.from(kept.subarray(4, 4 + length)))
      kept = kept.subarray(4 + length)
    }
  }
}
