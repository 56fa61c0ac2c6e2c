/**
 * An engine from outside the package: it posts every record to an HTTP service, over a limited number of connections, and
 * takes the answer for the result. All it knows of fanlane is the port, and that is types only.
 *
 * 2xx: done; a body `{ sends: [...] }` is sent on. 4xx: the service will never take it, but who knows: `failed`, and the
 * consumer's retries decide. Anything else, and no answer at all: `failed`.
 */
import { Agent, request } from 'node:http'
import type { AbortReason, Completion, Engine, OutgoingRecord, Work, WorkId } from 'fanlane/ports'

export interface HttpEngineOptions {
  readonly url: string
  /** How many requests at a time; the consumer never hands over more. */
  readonly connections: number
}

/** A record as JSON: bytes in base64, because JSON has none. */
export interface PostedRecord {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly attempt: number
  readonly key: string | null
  readonly value: string | null
  readonly headers: readonly (readonly [name: string, value: string | null])[]
}

/** What the service may answer. */
export interface Answer {
  readonly sends?: readonly Omit<PostedRecord, 'partition' | 'offset' | 'attempt'>[]
}

export class HttpEngine implements Engine {
  readonly #options: HttpEngineOptions
  readonly #agent: Agent
  /** Requests under way, by run: what an abort names. */
  readonly #running: Map<number, AbortController> = new Map()
  #say: (completions: readonly Completion[]) => void = () => undefined

  constructor(options: HttpEngineOptions) {
    this.#options = options
    this.#agent = new Agent({ keepAlive: true, maxSockets: options.connections })
  }

  completions(listener: (completions: readonly Completion[]) => void): void {
    this.#say = listener
  }

  submit(batch: readonly Work[]): void {
    for (const work of batch) {
      const abort = new AbortController()
      this.#running.set(work.run as number, abort)
      this.#post(work, abort.signal).then(
        (sends) => this.#end(work, { status: 'done', sends }),
        (error: unknown) => this.#end(work, { status: 'failed', error }),
      )
    }
  }

  abort(works: readonly WorkId[], reason: AbortReason): void {
    for (const { run } of works) this.#running.get(run as number)?.abort(new Error(`aborted: ${reason}`))
  }

  inFlight(): number {
    return this.#running.size
  }

  capacity(): number {
    return this.#options.connections
  }

  /** The consumer has waited for what it wanted to wait for. What still runs is cut off. */
  async shutdown(): Promise<void> {
    for (const abort of this.#running.values()) abort.abort(new Error('the engine is shut down'))
    this.#agent.destroy()
  }

  #end(work: Work, how: { status: 'done'; sends: OutgoingRecord[] } | { status: 'failed'; error: unknown }): void {
    this.#running.delete(work.run as number)
    const { topic, partition, offset, epoch, attempt, run } = work
    this.#say([{ topic, partition, offset, epoch, attempt, run: run as number, ...how }])
  }

  #post(work: Work, signal: AbortSignal): Promise<OutgoingRecord[]> {
    const body = JSON.stringify(toPosted(work))
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', agent: this.#agent, headers, signal }
      const call = request(this.#options.url, options, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const { statusCode = 0 } = response
          if (statusCode < 200 || statusCode > 299) reject(new Error(`the service answered ${statusCode}: ${text}`))
          else resolve(toSends(text))
        })
      })
      call.on('error', (error) => reject(signal.aborted ? signal.reason : error))
      call.end(body)
    })
  }
}

function toPosted({ attempt, record }: Work): PostedRecord {
  const { topic, partition, offset, key, value, headers } = record
  return {
    topic,
    partition,
    offset,
    attempt,
    key: key?.toString('base64') ?? null,
    value: value?.toString('base64') ?? null,
    headers: headers.map((header) => [header.key, header.value?.toString('base64') ?? null]),
  }
}

function toSends(text: string): OutgoingRecord[] {
  const { sends = [] } = (text === '' ? {} : JSON.parse(text)) as Answer
  const bytes = (base64: string | null): Buffer | null => (base64 === null ? null : Buffer.from(base64, 'base64'))
  return sends.map(({ topic, key, value, headers }) => ({
    topic,
    key: bytes(key),
    value: bytes(value),
    headers: headers.map(([name, each]) => ({ key: name, value: bytes(each) })),
    // Counts in the limits of the consumer while it waits to be written.
    size: (key?.length ?? 0) + (value?.length ?? 0) + 70,
  }))
}
