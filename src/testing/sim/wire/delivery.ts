/**
 * How requests and answers travel between simulated processes and the cluster. Requests of one connection keep their order,
 * and so do its answers; one that is lost takes all with it that are sent after it on that connection. What befalls each is
 * the owner's choice: chance in a simulation, a test's hand in a test.
 */
import type { RequestKind, RequestOf, ResponseOf } from '../cluster/requests.ts'
import type { SimCluster } from '../cluster/sim-cluster.ts'
import type { ProcessClock } from '../process-clock.ts'
import type { VirtualClock } from '../virtual-clock.ts'
import { askNode } from './leaders.ts'
import { type Connection, RequestTimeout, type SimTransport } from './transport.ts'

export interface Fate {
  readonly isLost: boolean
  /** It arrives so much later than others. */
  readonly lateMs: number
  /** Asked when the answer is given. */
  readonly isAnswerLost: () => boolean
}

export interface Weather {
  fateOf<K extends RequestKind>(request: RequestOf<K>, timeoutMs: number, sender: string): Fate
  /** One way, in milliseconds. */
  delay(): number
  /** What the cluster hears. */
  arrives<K extends RequestKind>(request: RequestOf<K>, sender: string): RequestOf<K>
  /** What the cluster says. */
  answers?<K extends RequestKind>(request: RequestOf<K>, response: ResponseOf<K>, sender: string): void
}

/** Between two messages of one connection: events of the same moment come in any order. */
const GAP_MS = 0.001

/** The answer is given: the next request of the connection is looked at. */
function next(connection: Connection): void {
  connection.isBusy = false
  connection.queue.shift()?.()
}

export class Delivery {
  readonly #clock: VirtualClock
  readonly #cluster: SimCluster
  readonly #weather: Weather
  #cancelTick: () => void = () => undefined
  #tickAt: number = Number.POSITIVE_INFINITY

  constructor(clock: VirtualClock, cluster: SimCluster, weather: Weather) {
    this.#clock = clock
    this.#cluster = cluster
    this.#weather = weather
  }

  /** The wire of one process. What it sends while it is frozen or dead is not sent. */
  transport(process: ProcessClock): SimTransport {
    return {
      call: (request, timeoutMs, connection) => this.#call(process, request, timeoutMs, connection),
    }
  }

  #call<K extends RequestKind>(
    process: ProcessClock,
    request: RequestOf<K>,
    timeoutMs: number,
    connection: Connection,
  ): Promise<ResponseOf<K>> {
    const { promise, resolve, reject } = Promise.withResolvers<ResponseOf<K>>()
    const weather = this.#weather
    const cancelTimeout = process.at(process.now() + timeoutMs, () => reject(new RequestTimeout(request.kind)))
    const fate = weather.fateOf(request, timeoutMs, process.name)
    const answer = (response: ResponseOf<K>): void => {
      weather.answers?.(request, response, process.name)
      next(connection)
      if (fate.isAnswerLost()) connection.isCut = true
      if (connection.isCut) return
      connection.answeredMs = Math.max(connection.answeredMs + GAP_MS, this.#clock.now() + weather.delay())
      process.at(connection.answeredMs, () => {
        cancelTimeout()
        resolve(response)
      })
    }
    if (fate.isLost) connection.isCut = true
    if (connection.isCut) return promise
    connection.arrivesMs = Math.max(connection.arrivesMs + GAP_MS, this.#clock.now() + weather.delay() + fate.lateMs)
    this.#clock.at(connection.arrivesMs, () => {
      const look = (): void => {
        connection.isBusy = true
        const heard = weather.arrives(request, process.name)
        askNode(this.#cluster, connection.node, this.#clock.now(), heard, answer)
        this.armTick()
      }
      if (connection.isBusy) connection.queue.push(look)
      else look()
    })
    return promise
  }

  /** The cluster's own timers: sessions, rebalances, transactions. */
  armTick(): void {
    const next = this.#cluster.nextDeadline()
    if (next === this.#tickAt) return
    this.#cancelTick()
    this.#tickAt = next
    if (next === Number.POSITIVE_INFINITY) return
    this.#cancelTick = this.#clock.at(next, () => {
      this.#tickAt = Number.POSITIVE_INFINITY
      this.#cluster.tick(this.#clock.now())
      this.armTick()
    })
  }
}
