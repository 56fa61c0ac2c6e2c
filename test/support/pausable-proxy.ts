/** A TCP proxy that can hold everything back that goes to its target, and let it go again. */
import { connect, createServer, type Server, type Socket } from 'node:net'

export class PausableProxy {
  readonly #server: Server
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  #isPaused = false

  /** `host:port`, where connections that come from now on go to. */
  target = ''

  private constructor() {
    this.#server = createServer((client) => {
      const at = this.target.lastIndexOf(':')
      const server = connect({ host: this.target.slice(0, at), port: Number(this.target.slice(at + 1)) })
      const pair = [client, server] as const
      this.#pairs.add(pair)
      const end = (): void => {
        this.#pairs.delete(pair)
        client.destroy()
        server.destroy()
      }
      for (const socket of pair) {
        socket.setNoDelay(true)
        socket.on('error', end)
        socket.on('close', end)
      }
      client.on('data', (chunk) => server.write(chunk))
      server.on('data', (chunk) => client.write(chunk))
      if (this.#isPaused) client.pause()
    })
  }

  static async start(port: number): Promise<PausableProxy> {
    const proxy = new PausableProxy()
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject)
      proxy.#server.listen(port, '127.0.0.1', resolve)
    })
    return proxy
  }

  pause(): void {
    this.#isPaused = true
    for (const [client] of this.#pairs) client.pause()
  }

  resume(): void {
    this.#isPaused = false
    for (const [client] of this.#pairs) client.resume()
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const [client, server] of this.#pairs) {
      client.destroy()
      server.destroy()
    }
    await closed
  }
}
