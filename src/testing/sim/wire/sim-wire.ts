/**
 * The wire of the simulator: Kafka's messages, as a client writes them for a real cluster, go to the simulated one. Every
 * question and every answer passes through the real codec, so that a field that its version does not have, or a missing
 * one, shows here as it would on a socket.
 *
 * What the cluster does not model rejects: that is a mistake in the simulation and has to be seen, unlike silence.
 */
import {
  type Answer,
  type AskOptions,
  anyNode,
  type NodeAddress,
  type Question,
  type Wire,
} from '../../../cluster/wire.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Api } from '../../../protocol/api.ts'
import { Reader } from '../../../protocol/reader.ts'
import type { Input } from '../../../protocol/types.ts'
import { Writer } from '../../../protocol/writer.ts'
import type { RequestKind, RequestOf, ResponseOf } from '../cluster/requests.ts'
import { ClusterMap, nodesDefault } from './cluster-map.ts'
import { groupTranslations } from './group-translations.ts'
import { logTranslations } from './log-translations.ts'
import { type AnyTranslation, type Asked, notModelled } from './translation.ts'
import { type Connection, newConnection, RequestTimeout, type SimTransport } from './transport.ts'
import { txnTranslations } from './txn-translations.ts'

export interface SimWireOptions {
  readonly clock: Clock
  readonly transport: SimTransport
  /** Only makes member ids readable. */
  readonly clientId: string
  readonly requestTimeoutMs: number
  /** As many as the cluster has. Partitions are led by all of them in turn. */
  readonly nodes?: number
}

interface Socket {
  readonly connection: Connection
  /** Ends each question that is under way with silence. */
  readonly waiting: Set<() => void>
}

/** Who answers questions that anybody can answer. */
const firstNode = 1

const translations: ReadonlyMap<number, AnyTranslation> = new Map(
  [...groupTranslations, ...logTranslations, ...txnTranslations].map((each) => [each.api.key, each]),
)

export class SimWire implements Wire {
  readonly clock: Clock
  readonly #transport: SimTransport
  readonly #clientId: string
  readonly #requestTimeoutMs: number
  readonly #map: ClusterMap
  /** By node and lane. */
  readonly #sockets: Map<string, Socket> = new Map()
  #isOpen = true

  constructor({ clock, transport, clientId, requestTimeoutMs, nodes = nodesDefault }: SimWireOptions) {
    this.clock = clock
    this.#transport = transport
    this.#clientId = clientId
    this.#requestTimeoutMs = requestTimeoutMs
    this.#map = new ClusterMap(nodes)
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** What is under way, and all that is asked from now on, is met with silence. */
  close(): void {
    this.#isOpen = false
    for (const key of [...this.#sockets.keys()]) this.#hangUp(key)
  }

  async ask<Q, R>(
    node: number,
    api: Api<Q, R>,
    question: Question<Q>,
    options: AskOptions = {},
  ): Promise<Answer<R> | null> {
    if (!this.#isOpen) return null
    const translation = translations.get(api.key)
    if (translation === undefined) throw notModelled(api.name, 'this request')
    const version = versionOf(translation, options.maxVersion)
    const asked: Asked = { api: api.name, node, version, clientId: this.#clientId, map: this.#map }
    const given = typeof question === 'function' ? (question as (version: number) => Input<Q>)(version) : question
    const written = sent(given, version, api.writeRequest, api.readRequest)
    const fields = translation.ask(written as object, asked)
    const request = { kind: translation.kind, ...fields } as RequestOf<RequestKind>
    const key = `${node}/${options.lane ?? 'main'}`
    const response = await this.#call(request, options.timeoutMs ?? this.#requestTimeoutMs, node, key)
    if (response === null) return null
    const answer = translation.answer(response, asked, written as object) as Input<R>
    const body = sent(answer, version, api.writeResponse, api.readResponse)
    return { body, version, node: node === anyNode ? firstNode : node }
  }

  /** The cluster models acks=all only, and everything else is answered. */
  post<Q, R>(_node: number, api: Api<Q, R>): Promise<boolean> {
    return Promise.reject(notModelled(api.name, 'requests without an answer'))
  }

  /** Every node of the cluster is within reach. */
  learnNodes(_nodes: readonly NodeAddress[], _all: boolean): void {
    // Nothing to connect to.
  }

  featureLevel(_name: string): number {
    return 0
  }

  #call(
    request: RequestOf<RequestKind>,
    timeoutMs: number,
    node: number,
    key: string,
  ): Promise<ResponseOf<RequestKind> | null> {
    const { promise, resolve, reject } = Promise.withResolvers<ResponseOf<RequestKind> | null>()
    const socket = this.#sockets.get(key) ?? { connection: newConnection(node), waiting: new Set() }
    this.#sockets.set(key, socket)
    const end = (): void => resolve(null)
    socket.waiting.add(end)
    this.#transport.call(request, timeoutMs, socket.connection).then(
      (response) => {
        socket.waiting.delete(end)
        resolve(response)
      },
      (error: unknown) => {
        // As the real one does: answers come in order, so nothing of this connection can be waited for any more.
        if (error instanceof RequestTimeout) {
          if (this.#sockets.get(key) === socket) this.#hangUp(key)
          resolve(null)
        } else reject(error)
      },
    )
    return promise
  }

  #hangUp(key: string): void {
    const socket = this.#sockets.get(key)
    this.#sockets.delete(key)
    for (const end of socket?.waiting ?? []) end()
  }
}

function versionOf({ api, lowest, highest }: AnyTranslation, maxVersion = highest): number {
  const version = Math.min(highest, maxVersion)
  if (version < lowest) throw notModelled(api.name, `version ${version}: ${lowest} to ${highest} are modelled`)
  return version
}

/** A message as the other side reads it: with all its fields, and with bytes of its own. */
function sent<T>(
  message: Input<T>,
  version: number,
  write: (writer: Writer, message: Input<T>, version: number) => void,
  read: (reader: Reader, version: number) => T,
): T {
  const writer = new Writer()
  write(writer, message, version)
  return read(new Reader(writer.toBuffer()), version)
}
