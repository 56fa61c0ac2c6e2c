/**
 * The network between simulated processes and the cluster: delays, lost requests, lost answers, and requests that
 * arrive after their sender gave up. Requests of one connection keep their order, and so do its answers; one that is lost
 * takes all with it that are sent after it on that connection.
 */
import type { RequestKind, RequestOf, ResponseOf } from '../cluster/requests.ts'
import type { SimCluster } from '../cluster/sim-cluster.ts'
import type { ProcessClock } from '../process-clock.ts'
import type { VirtualClock } from '../virtual-clock.ts'
import { type Connection, RequestTimeout, type SimTransport } from '../wire/transport.ts'
import type { Faults, Scenario } from './scenario.ts'
import type { Trace } from './trace.ts'

const DELAY_MIN_MS = 0.2
const DELAY_MAX_MS = 6

/** The answer is given: the next request of the connection is looked at. */
function next(connection: Connection): void {
  connection.isBusy = false
  connection.queue.shift()?.()
}

export class Network {
  readonly #clock: VirtualClock
  readonly #cluster: SimCluster
  readonly #random: () => number
  readonly #trace: Trace
  readonly #stableReads: boolean
  #faults: Faults
  #cancelTick: () => void = () => undefined
  #tickAt: number = Number.POSITIVE_INFINITY

  constructor(clock: VirtualClock, cluster: SimCluster, scenario: Scenario, trace: Trace) {
    this.#trace = trace
    this.#stableReads = scenario.stableReads
    this.#clock = clock
    this.#cluster = cluster
    this.#random = clock.stream('network')
    this.#faults = scenario.faults
  }

  set faults(faults: Faults) {
    this.#faults = faults
  }

  /** The wire of one process. What it sends while it is frozen or dead is not sent. */
  transport(process: ProcessClock): SimTransport {
    return {
      call: (request, timeoutMs, connection) => this.#call(process, request, timeoutMs, connection),
    }
  }

  #call<Kind extends RequestKind>(
    process: ProcessClock,
    request: RequestOf<Kind>,
    timeoutMs: number,
    connection: Connection,
  ): Promise<ResponseOf<Kind>> {
    const { promise, resolve, reject } = Promise.withResolvers<ResponseOf<Kind>>()
    const cancelTimeout = process.at(process.now() + timeoutMs, () => reject(new RequestTimeout(request.kind)))
    const answer = (response: ResponseOf<Kind>): void => {
      next(connection)
      if (this.#random() < this.#faults.lostResponses) connection.isCut = true
      if (connection.isCut) return
      connection.answeredMs = Math.max(connection.answeredMs, this.#clock.now() + this.#delay())
      process.at(connection.answeredMs, () => {
        cancelTimeout()
        resolve(response)
      })
    }
    if (this.#random() < this.#faults.lostRequests) connection.isCut = true
    if (connection.isCut) return promise
    const late = this.#random() < this.#faults.lateRequests ? timeoutMs * (0.5 + this.#random()) : 0
    connection.arrivesMs = Math.max(connection.arrivesMs, this.#clock.now() + this.#delay() + late)
    this.#clock.at(connection.arrivesMs, () => {
      const look = (): void => {
        this.#trace.add(`${process.name} ${request.kind}`)
        connection.isBusy = true
        this.#cluster.request(this.#clock.now(), this.#asUnderstood(request), answer)
        this.armTick()
      }
      if (connection.isBusy) connection.queue.push(look)
      else look()
    })
    return promise
  }

  /** A broker that does not know RequireStable reads over it. */
  #asUnderstood<Kind extends RequestKind>(request: RequestOf<Kind>): RequestOf<Kind> {
    return request.kind === 'OffsetFetch' && !this.#stableReads ? { ...request, requireStable: false } : request
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

  #delay(): number {
    return DELAY_MIN_MS + this.#random() ** 3 * DELAY_MAX_MS
  }
}
