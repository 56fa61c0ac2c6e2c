/**
 * A TCP proxy that knows Kafka's frames and decides the fate of each request: it passes, it is lost, its answer is lost, or it
 * arrives long after its sender has given up. Whoever loses something is told as TCP tells it: the connection ends.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'

export type Fate = 'pass' | 'lose-request' | 'lose-answer' | { readonly lateMs: number }

/** Asked for every request. */
export type Decide = (apiKey: number) => Fate

const frameBytesMax = 64 << 20

export class FateProxy {
  readonly #server: Server
  readonly #sockets: Set<Socket> = new Set()
  /** `host:port` for connections that come from now on. */
  target = ''
  decide: Decide = () => 'pass'

  private constructor() {
    this.#server = createServer((client) => this.#link(client))
  }

  static async start(port = 0): Promise<FateProxy> {
    const proxy = new FateProxy()
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject)
      proxy.#server.listen(port, '127.0.0.1', resolve)
    })
    return proxy
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  #link(client: Socket): void {
    const at = this.target.lastIndexOf(':')
    const broker = connect({ host: this.target.slice(0, at), port: Number(this.target.slice(at + 1)) })
    const lostAnswers = new Set<number>()
    /** A request is on its way that arrives late: its sender is gone, the connection to the broker must not be. */
    let isLate = false
    const end = (): void => {
      client.destroy()
      if (!isLate) broker.destroy()
    }
    for (const socket of [client, broker]) {
      this.#sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', end)
      socket.on('close', () => {
        this.#sockets.delete(socket)
        end()
      })
    }
    client.on(
      'data',
      framesOf((frame) => {
        if (client.destroyed) return
        const fate = this.decide(frame.readInt16BE(4))
        if (fate === 'lose-request') return end()
        if (fate === 'lose-answer') lostAnswers.add(frame.readInt32BE(8))
        if (typeof fate !== 'object') {
          broker.write(frame)
          return
        }
        isLate = true
        setTimeout(() => {
          isLate = false
          // The answer is for nobody.
          broker.end(frame)
        }, fate.lateMs).unref()
        client.destroy()
      }),
    )
    broker.on(
      'data',
      framesOf((frame) => {
        if (lostAnswers.has(frame.readInt32BE(4))) return end()
        if (!client.destroyed) client.write(frame)
      }),
    )
  }
}

/** Cuts a stream into frames, each with its length in front. */
function framesOf(onFrame: (frame: Buffer) => void): (chunk: Buffer) => void {
  let kept: Buffer = Buffer.alloc(0)
  return (chunk) => {
    kept = kept.length === 0 ? chunk : Buffer.concat([kept, chunk])
    while (kept.length >= 4) {
      const length = kept.readInt32BE(0)
      if (length < 0 || length > frameBytesMax) throw new Error(`a frame of ${length} bytes: not Kafka's protocol`)
      if (kept.length < 4 + length) return
      const frame = Buffer.from(kept.subarray(0, 4 + length))
      kept = kept.subarray(4 + length)
      onFrame(frame)
    }
  }
}
