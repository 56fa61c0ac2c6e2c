/**
 * A script of requests and what was answered, in a form that can be compared: what differs from run to run (ids, addresses,
 * times, sizes of disks, the order in which Kafka's hash tables give things back) is made the same.
 */
import type { Api } from '../../../../src/protocol/api.ts'
import { type Input, zeroUuid } from '../../../../src/protocol/types.ts'
import type { RawClient } from '../../../support/raw-client.ts'

export type Line = { readonly say: string; readonly answer: unknown }
export type Script = (to: Conversation) => Promise<void>

/** These come in an order that means something. */
const ordered: ReadonlySet<string> = new Set(['synonyms', 'in order'])

const varying: Readonly<Record<string, string>> = {
  host: '<host>',
  port: '<port>',
  clusterId: '<cluster>',
  logDir: '<directory>',
  totalBytes: '<bytes>',
  usableBytes: '<bytes>',
  lastFetchTimestamp: '<time>',
  lastCaughtUpTimestamp: '<time>',
  documentation: '<words>',
}

export class Conversation {
  readonly lines: Line[] = []
  readonly #client: RawClient
  readonly #names = new Map<string, string>()
  /** Kafka's brokers learn of a change a moment after the controller has answered. */
  readonly settle: () => Promise<void>

  constructor(client: RawClient, settle: () => Promise<void> = () => Promise.resolve()) {
    this.#client = client
    this.settle = settle
  }

  /** Asks, writes down what was answered, and gives it back as it was. `pick`: only this part is compared. */
  async ask<Q, R>(
    say: string,
    api: Api<Q, R>,
    version: number,
    request: Input<Q>,
    pick: (answer: R) => unknown = (answer) => answer,
  ): Promise<R> {
    const answer = await this.#client.send(api, version, request)
    this.lines.push({ say: `${api.name} v${version}: ${say}`, answer: this.#plain(pick(answer), '') })
    return answer
  }

  /** Asks without a line: to get ready, or to wait until something has happened. */
  quietly<Q, R>(api: Api<Q, R>, version: number, request: Input<Q>): Promise<R> {
    return this.#client.send(api, version, request)
  }

  /** From now on this id is called by that name. */
  name(topicId: string, name: string): void {
    this.#names.set(topicId, `<id of ${name}>`)
  }

  #plain(value: unknown, key: string): unknown {
    if (typeof value === 'bigint') return key in varying ? varying[key] : `${value}n`
    if (Buffer.isBuffer(value)) return value.toString('hex')
    if (Array.isArray(value)) return this.#array(value, key)
    if (typeof value === 'object' && value !== null) return this.#object(value as Record<string, unknown>)
    if (key === 'topicId') return value === zeroUuid ? value : (this.#names.get(String(value)) ?? '<id>')
    return key in varying && value !== null && value !== '' ? varying[key] : value
  }

  #array(values: readonly unknown[], key: string): unknown[] {
    const plain = values.map((value) => this.#plain(value, ''))
    if (ordered.has(key)) return plain
    const text = (value: unknown): string => JSON.stringify(value) ?? ''
    return plain.sort((a, b) => (text(a) < text(b) ? -1 : Number(text(a) > text(b))))
  }

  #object(value: Record<string, unknown>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#plain(inner, key)]))
  }
}
