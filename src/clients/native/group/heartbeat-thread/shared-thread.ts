/**
 * The one heartbeat thread of this process, from outside. It is started for the first client and ended with the last, and it
 * never keeps the process alive.
 */
import { Worker } from 'node:worker_threads'
import { FanlaneError } from '../../../../errors.ts'
import type { FromThread, PortableOptions, ThreadData, ToThread } from './messages.ts'

export interface ThreadClient {
  heard(message: Exclude<FromThread, { kind: 'turn?' }>): void
  /** The thread is gone, through no doing of ours. */
  lost(error: FanlaneError): void
}

let shared: SharedThread | null = null

export class SharedThread {
  readonly #worker: Worker
  readonly #turns: Int32Array
  readonly #clients: Map<number, ThreadClient> = new Map()
  #numbers = 0

  private constructor() {
    const turns = new SharedArrayBuffer(4)
    const workerData: ThreadData = { turns }
    // Source files run as they are in development; the published package has only their JavaScript.
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    this.#worker = new Worker(new URL(`./thread.${extension}`, import.meta.url), {
      workerData,
      // What the user loads into their process (tracing, transpilers) has no business in here.
      execArgv: [],
      name: 'fanlane heartbeats',
    })
    this.#turns = new Int32Array(turns)
    this.#worker.on('message', (message: FromThread) => this.#take(message))
    this.#worker.on('error', (cause) => this.#lost(cause))
    this.#worker.on('exit', (code) => this.#lost(new Error(`it ended with code ${code}`)))
    // Last: whoever begins to listen for messages afterwards takes it back.
    this.#worker.unref()
  }

  /** Throws where threads are not allowed, or where the options cannot be copied. */
  static open(client: ThreadClient, options: PortableOptions, maxPollIntervalMs: number): OpenClient {
    shared ??= new SharedThread()
    return shared.#open(client, options, maxPollIntervalMs)
  }

  post(message: ToThread): void {
    this.#worker.postMessage(message)
  }

  async close(number: number): Promise<void> {
    if (!this.#clients.delete(number)) return
    if (this.#clients.size > 0) {
      this.post({ kind: 'close', client: number })
      return
    }
    if (shared === this) shared = null
    // Somebody waits for the end: until then it does keep the process alive.
    this.#worker.ref()
    await this.#worker.terminate()
  }

  #open(client: ThreadClient, options: PortableOptions, maxPollIntervalMs: number): OpenClient {
    const number = ++this.#numbers
    this.#clients.set(number, client)
    try {
      this.post({ kind: 'open', client: number, options, maxPollIntervalMs })
    } catch (error) {
      void this.close(number)
      throw error
    }
    return { number, thread: this }
  }

  #take(message: FromThread): void {
    if (message.kind === 'turn?') Atomics.store(this.#turns, 0, message.number)
    else this.#clients.get(message.client)?.heard(message)
  }

  #lost(cause: unknown): void {
    if (shared === this) shared = null
    const clients = [...this.#clients.values()]
    this.#clients.clear()
    const said = cause instanceof Error ? cause.message : String(cause)
    const error = new FanlaneError(
      'HEARTBEAT_THREAD_LOST',
      `The heartbeat thread failed: ${said.replace(/\.$/, '')}. Heartbeats go on from the event loop.`,
      { cause },
    )
    for (const client of clients) client.lost(error)
  }
}

export interface OpenClient {
  readonly number: number
  readonly thread: SharedThread
}
