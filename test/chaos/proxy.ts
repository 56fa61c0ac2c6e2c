/**
 * The only way from consumers and producer to the broker: a TCP proxy that can cut connections, slow them down, and take
 * requests while it throws the answers away. Whose connection it is says the client id in its first request.
 *
 * What always holds: bytes of one direction stay in order and nothing is left out in between. A connection that has lost an
 * answer is cut before another one passes, as TCP would have it.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'

export interface Trouble {
  /** Client ids whose connections are meant; null: all. */
  readonly whose: string | null
  readonly delayMs?: number
  readonly dropAnswers?: boolean
}

interface Link {
  readonly client: Socket
  readonly server: Socket
  whose: string | null
  /** An answer was thrown away. */
  isDeaf: boolean
}

export class ChaosProxy {
  readonly #server: Server
  readonly #links: Set<Link> = new Set()
  #trouble: Trouble | null = null

  /** `host:port` for connections that come from now on. */
  target = ''
  /** Pieces of answers that were thrown away, and pieces of anything that had to wait. */
  dropped = 0
  delayed = 0

  private constructor() {
    this.#server = createServer((client) => this.#link(client))
  }

  static async start(): Promise<ChaosProxy> {
    const proxy = new ChaosProxy()
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject)
      proxy.#server.listen(0, '127.0.0.1', resolve)
    })
    return proxy
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  cut(whose: string | null): void {
    for (const link of this.#links) if (isMeant(link, whose)) sever(link)
  }

  begin(trouble: Trouble): void {
    this.#trouble = trouble
  }

  /** What was slow is quick again; what has lost an answer is cut. */
  end(): void {
    this.#trouble = null
    for (const link of this.#links) if (link.isDeaf) sever(link)
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.cut(null)
    await closed
  }

  #link(client: Socket): void {
    const at = this.target.lastIndexOf(':')
    const server = connect({ host: this.target.slice(0, at), port: Number(this.target.slice(at + 1)) })
    const link: Link = { client, server, whose: null, isDeaf: false }
    this.#links.add(link)
    const over = (): void => {
      this.#links.delete(link)
      sever(link)
    }
    for (const socket of [client, server]) {
      socket.setNoDelay(true)
      socket.on('error', over)
      socket.on('close', over)
    }
    const first = new FirstRequest()
    this.#carry(link, client, server, (chunk) => {
      link.whose ??= first.clientId(chunk)
    })
    this.#carry(link, server, client)
  }

  #carry(link: Link, from: Socket, to: Socket, watch?: (chunk: Buffer) => void): void {
    const isAnswer = from === link.server
    /** What waits, each with its time; what comes later is never due before it. */
    const held: { readonly chunk: Buffer; readonly dueMs: number }[] = []
    const release = (): void => {
      const nowMs = performance.now()
      for (let next = held[0]; next !== undefined && next.dueMs <= nowMs; next = held[0]) {
        held.shift()
        if (!to.destroyed) to.write(next.chunk)
      }
      if (held[0] !== undefined) setTimeout(release, Math.max(1, held[0].dueMs - nowMs))
    }
    from.on('data', (chunk: Buffer) => {
      watch?.(chunk)
      const trouble = this.#trouble !== null && isMeant(link, this.#trouble.whose) ? this.#trouble : null
      if (isAnswer && (link.isDeaf || trouble?.dropAnswers === true)) {
        link.isDeaf = true
        this.dropped++
        return
      }
      const delayMs = trouble?.delayMs ?? 0
      if (delayMs === 0 && held.length === 0) {
        if (!to.write(chunk)) from.pause()
        return
      }
      this.delayed++
      held.push({ chunk, dueMs: Math.max(performance.now() + delayMs, held.at(-1)?.dueMs ?? 0) })
      if (held.length === 1) setTimeout(release, delayMs)
    })
    to.on('drain', () => from.resume())
  }
}

function isMeant({ whose }: Link, wanted: string | null): boolean {
  return wanted === null || whose === wanted
}

function sever({ client, server }: Link): void {
  client.destroy()
  server.destroy()
}

/** The client id of a connection: length 4, key 2, version 2, correlation 4, then a string. */
class FirstRequest {
  #bytes: Buffer = Buffer.alloc(0)

  clientId(chunk: Buffer): string | null {
    this.#bytes = Buffer.concat([this.#bytes, chunk])
    if (this.#bytes.length < 14) return null
    const length = this.#bytes.readInt16BE(12)
    if (length < 0) return ''
    return this.#bytes.length < 14 + length ? null : this.#bytes.toString('utf8', 14, 14 + length)
  }
}
