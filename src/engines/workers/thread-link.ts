/** A worker that is a thread of this process. Messages are handed over without a copy. */
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { SharedClaims } from './claims.ts'
import type { LinkListener, LinkOptions, WorkerEnd, WorkerLink } from './link.ts'

export interface ThreadData {
  readonly kind: 'fanlane-worker'
  readonly port: MessagePort
  readonly claims: SharedArrayBuffer
}

let threads = 0

export class ThreadLink implements WorkerLink {
  readonly name: string
  readonly claims: SharedClaims = new SharedClaims()
  readonly #worker: Worker
  readonly #port: MessagePort
  readonly #listener: LinkListener
  #error: unknown = null

  constructor({ entry, memoryMb, execArgv }: LinkOptions, listener: LinkListener) {
    this.name = `thread ${++threads}`
    this.#listener = listener
    // A port of our own: the handler's module may use parentPort as it likes.
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    const workerData: ThreadData = { kind: 'fanlane-worker', port: port2, claims: this.claims.memory }
    this.#worker = new Worker(entry, {
      workerData,
      transferList: [port2],
      name: `fanlane ${this.name}`,
      ...(memoryMb === null ? {} : { resourceLimits: { maxOldGenerationSizeMb: memoryMb } }),
      ...(execArgv === null ? {} : { execArgv: [...execArgv] }),
    })
    port1.on('message', (memory: ArrayBuffer) => listener.message(Buffer.from(memory)))
    this.#worker.on('error', (error) => {
      this.#error = error
    })
    this.#worker.on('exit', (exitCode) => this.#ended(exitCode))
  }

  post(message: Buffer): void {
    const memory = message.buffer as ArrayBuffer
    this.#port.postMessage(memory, [memory])
  }

  kill(): void {
    // `exit` tells. A thread inside a call of the system ends when that returns: until then its records are held (I8).
    this.#worker.terminate().catch((error: unknown) => {
      this.#error ??= error
    })
  }

  #ended(exitCode: number): void {
    // Last words may still lie in the port: the news of the end takes a shorter way.
    for (let last = receiveMessageOnPort(this.#port); last !== undefined; last = receiveMessageOnPort(this.#port)) {
      this.#listener.message(Buffer.from(last.message as ArrayBuffer))
    }
    this.#port.close()
    const end: WorkerEnd = { exitCode, signal: null, error: this.#error }
    this.#listener.ended(end)
  }
}
