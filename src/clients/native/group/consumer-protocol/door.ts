/** Coming and going: the first and the last heartbeat of a member. They go one way, so that who goes has come before. */
import { isCoordinatorElsewhere } from '../../../../cluster/answers.ts'
import { Backoff, type BackoffOptions } from '../../../../cluster/backoff.ts'
import type { Coordinator } from '../../../../cluster/coordinator.ts'
import type { Wire } from '../../../../cluster/wire.ts'
import {
  type ConsumerGroupHeartbeatRequest,
  type ConsumerGroupHeartbeatResponse,
  consumerGroupHeartbeatApi,
} from '../../../../protocol/generated/68-consumer-group-heartbeat.ts'
import { type ConsumerOptions, joinEpoch, leaveHeartbeat, wholeHeartbeat } from './requests.ts'
import { explain } from './verdict.ts'

const idBytes = 16
const leaveMaxMs = 5_000

export type DoorOptions = ConsumerOptions & { readonly backoff: BackoffOptions }

export class Door {
  readonly #wire: Wire
  readonly #coordinator: Coordinator
  readonly #options: DoorOptions
  /** Members that the broker may know of. */
  readonly #inside: Set<string> = new Set()

  constructor(wire: Wire, coordinator: Coordinator, options: DoorOptions) {
    this.#wire = wire
    this.#coordinator = coordinator
    this.#options = options
  }

  /** As Kafka prints ids; never with a dash in front, which command lines would take for an option. */
  newMemberId(): string {
    const bytes = Buffer.from(Array.from({ length: idBytes }, () => Math.floor(this.#wire.clock.random() * 256)))
    const id = bytes.toString('base64url')
    return id.startsWith('-') ? `_${id.slice(1)}` : id
  }

  /** null: silence. The broker may have let us in all the same. */
  async join(memberId: string, topics: readonly string[]): Promise<ConsumerGroupHeartbeatResponse | null> {
    const node = await this.#coordinator.find()
    if (node === null) return null
    this.#inside.add(memberId)
    return this.#ask(node, wholeHeartbeat(this.#options, { memberId, memberEpoch: joinEpoch }, topics, []))
  }

  /**
   * `forGood` false: a static member may come back. Tried for a while: a goodbye that gets lost leaves our partitions to nobody
   * until the session ends. Whatever comes of it, we are gone.
   */
  async leave(memberId: string, forGood: boolean): Promise<void> {
    if (!this.#inside.has(memberId)) return
    // A static member that is gone for a while still has its partitions: it can leave for good after that.
    if (forGood || this.#options.instanceId === null) this.#inside.delete(memberId)
    const { clock } = this.#wire
    const timeout = Promise.withResolvers<void>()
    let isLate = false
    const cancel = clock.at(clock.now() + leaveMaxMs, () => {
      isLate = true
      timeout.resolve()
    })
    const request = leaveHeartbeat(this.#options, memberId, forGood)
    await Promise.race([this.#sayUntil(request, () => isLate), timeout.promise]).finally(cancel)
  }

  async #sayUntil(request: ConsumerGroupHeartbeatRequest, isLate: () => boolean): Promise<void> {
    const backoff = new Backoff(this.#wire.clock, this.#options.backoff)
    while (this.#wire.isOpen && !isLate()) {
      const node = await this.#coordinator.find()
      const answer = node === null ? null : await this.#ask(node, request)
      if (answer !== null && !isCoordinatorElsewhere(answer.errorCode)) return
      await backoff.pause()
    }
  }

  async #ask(node: number, request: ConsumerGroupHeartbeatRequest): Promise<ConsumerGroupHeartbeatResponse | null> {
    try {
      const answer = await this.#wire.ask(node, consumerGroupHeartbeatApi, request, { lane: 'group' })
      this.#coordinator.learn(node, answer?.body.errorCode ?? null)
      return answer?.body ?? null
    } catch (error) {
      throw explain(error)
    }
  }
}
