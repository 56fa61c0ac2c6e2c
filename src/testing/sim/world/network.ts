/** The network of a simulated run: delays, lost requests, lost answers, and requests that arrive after their sender gave up. */
import type { Request, RequestKind, RequestOf } from '../cluster/requests.ts'
import type { SimCluster } from '../cluster/sim-cluster.ts'
import type { ProcessClock } from '../process-clock.ts'
import type { VirtualClock } from '../virtual-clock.ts'
import { Delivery, type Fate, type Weather } from '../wire/delivery.ts'
import type { SimTransport } from '../wire/transport.ts'
import type { Faults, Scenario } from './scenario.ts'
import type { Trace } from './trace.ts'

const DELAY_MIN_MS = 0.2
const DELAY_MAX_MS = 6

export class Network implements Weather {
  readonly #delivery: Delivery
  readonly #random: () => number
  readonly #trace: Trace
  readonly #stableReads: boolean
  #faults: Faults
  /** A commit leaves a process. */
  onCommit: (sender: string, partition: number, offset: number) => void = () => undefined

  constructor(clock: VirtualClock, cluster: SimCluster, scenario: Scenario, trace: Trace) {
    this.#delivery = new Delivery(clock, cluster, this)
    this.#trace = trace
    this.#stableReads = scenario.stableReads
    this.#random = clock.stream('network')
    this.#faults = scenario.faults
  }

  set faults(faults: Faults) {
    this.#faults = faults
  }

  transport(process: ProcessClock): SimTransport {
    return this.#delivery.transport(process)
  }

  /** The cluster may have something to do sooner than it had. */
  armTick(): void {
    this.#delivery.armTick()
  }

  fateOf<Kind extends RequestKind>(request: RequestOf<Kind>, timeoutMs: number, sender: string): Fate {
    const sent: Request = request
    if (sent.kind === 'OffsetCommit' || sent.kind === 'TxnOffsetCommit') {
      for (const { partition, committedOffset } of sent.partitions) this.onCommit(sender, partition, committedOffset)
    }
    const isLost = this.#random() < this.#faults.lostRequests
    const isLate = !isLost && this.#random() < this.#faults.lateRequests
    return {
      isLost,
      lateMs: isLate ? timeoutMs * (0.5 + this.#random()) : 0,
      isAnswerLost: () => this.#random() < this.#faults.lostResponses,
    }
  }

  delay(): number {
    return DELAY_MIN_MS + this.#random() ** 3 * DELAY_MAX_MS
  }

  /** A broker that does not know RequireStable reads over it. */
  arrives<Kind extends RequestKind>(request: RequestOf<Kind>, sender: string): RequestOf<Kind> {
    this.#trace.add(`${sender} ${request.kind}`)
    return request.kind === 'OffsetFetch' && !this.#stableReads ? { ...request, requireStable: false } : request
  }
}
