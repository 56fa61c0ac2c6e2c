/**
 * Keeps saying what the membership has to say, to the coordinator, wherever that is. All heartbeats of a member but the first
 * and the last go this one way, so that they arrive in the order in which they were said.
 *
 * After silence, or at a wrong door, everything is said anew: the answer that was lost may have had an assignment, and only
 * who says everything is told it again.
 */
import { isCoordinatorElsewhere } from '../../../../cluster/answers.ts'
import { Backoff, type BackoffOptions } from '../../../../cluster/backoff.ts'
import type { Coordinator } from '../../../../cluster/coordinator.ts'
import type { NodeAddress, Wire } from '../../../../cluster/wire.ts'
import { errorCodes } from '../../../../protocol/errors.ts'
import type { ConsumerGroupHeartbeatResponse } from '../../../../protocol/generated/68-consumer-group-heartbeat.ts'
import type {
  ConsumerPulse,
  Heartbeater,
  HeartbeatListener,
  MakeHeartbeater,
  Pulse,
  PulseAnswer,
} from '../heartbeater.ts'
import { type ConsumerOptions, shortHeartbeat, wholeHeartbeat } from './requests.ts'
import type { Listing } from './target.ts'

export interface Saying {
  readonly memberId: string
  readonly memberEpoch: number
  readonly topics: readonly string[]
  readonly listing: Listing
  readonly everyMs: number
  readonly round: number
}

export interface BeatsListener<S extends Saying> {
  /** Not silence, and not from the wrong door. */
  heard(saying: S, answer: ConsumerGroupHeartbeatResponse): void
  overdue(saying: S): void
  failed(error: unknown): void
}

interface Spoken<S> {
  readonly saying: S
  /** Which wish to say everything this fulfils; 0: it does not say everything. */
  readonly whole: number
}

export class Beats<S extends Saying> implements HeartbeatListener {
  readonly #wire: Wire
  readonly #coordinator: Coordinator
  readonly #options: ConsumerOptions
  readonly #listener: BeatsListener<S>
  readonly #heartbeater: Heartbeater
  readonly #backoff: Backoff
  readonly #spoken: WeakMap<Pulse, Spoken<S>> = new WeakMap()
  #saying: S | null = null
  /** Not when the interval is over, but as soon as we know where. */
  #isUrgent = false
  /** Counts the times that everything had to be said, and how many of them were answered. */
  #wholeWanted = 0
  #wholeAnswered = 0
  #isPointing = false
  #isSeeking = false

  constructor(
    wire: Wire,
    coordinator: Coordinator,
    options: ConsumerOptions & { readonly backoff: BackoffOptions },
    listener: BeatsListener<S>,
    make: MakeHeartbeater,
  ) {
    this.#wire = wire
    this.#coordinator = coordinator
    this.#options = options
    this.#listener = listener
    this.#backoff = new Backoff(wire.clock, options.backoff)
    this.#heartbeater = make(this)
  }

  /** From now on; `now`: at once, or when the interval is over. */
  say(saying: S, how: { readonly now: boolean; readonly isWhole: boolean }): void {
    this.#saying = saying
    this.#isUrgent ||= how.now
    if (how.isWhole) this.#wholeWanted++
    this.#pointOrFail()
  }

  silence(): void {
    this.#saying = null
    this.#isUrgent = false
    this.#wholeAnswered = this.#wholeWanted
    this.#heartbeater.set(null)
  }

  /** Something may have changed that the next answer tells. */
  ask(): void {
    this.#heartbeater.beatNow()
  }

  answered(pulse: Pulse, answer: PulseAnswer): void {
    const spoken = this.#spoken.get(pulse)
    if (spoken === undefined) return
    const body = answer as ConsumerGroupHeartbeatResponse | null
    const code = body?.errorCode ?? null
    this.#coordinator.learn(pulse.node.nodeId, code)
    if (body === null || code === null || isCoordinatorElsewhere(code)) {
      this.#seek().catch((error) => this.#listener.failed(error))
      return
    }
    if (code === errorCodes.NONE) {
      this.#backoff.reset()
      this.#wholeAnswered = Math.max(this.#wholeAnswered, spoken.whole)
    }
    this.#listener.heard(spoken.saying, body)
    // Nobody had anything else to say: from now on only that we are there.
    const isSaid = spoken.saying === this.#saying && spoken.whole > 0 && !this.#isWhole
    if (isSaid) this.say(spoken.saying, { now: false, isWhole: false })
  }

  overdue(pulse: Pulse): void {
    const spoken = this.#spoken.get(pulse)
    if (spoken !== undefined) this.#listener.overdue(spoken.saying)
  }

  failed(error: unknown): void {
    this.#listener.failed(error)
  }

  close(): Promise<void> {
    this.silence()
    return this.#heartbeater.close()
  }

  get #isWhole(): boolean {
    return this.#wholeWanted > this.#wholeAnswered
  }

  async #seek(): Promise<void> {
    if (this.#saying === null) return
    this.#wholeWanted++
    if (this.#isSeeking) return
    this.#isSeeking = true
    await this.#backoff.pause()
    this.#isSeeking = false
    if (this.#saying === null) return
    this.#isUrgent = true
    this.#pointOrFail()
  }

  #pointOrFail(): void {
    this.#point().catch((error) => this.#listener.failed(error))
  }

  /** Finds the coordinator, and has it told what is to be said by then. */
  async #point(): Promise<void> {
    if (this.#isPointing) return
    this.#isPointing = true
    try {
      while (this.#saying !== null && this.#wire.isOpen) {
        const node = await this.#coordinator.address()
        if (node === null) await this.#backoff.pause()
        else if (this.#saying !== null) return this.#speak(this.#saying, node)
      }
    } finally {
      this.#isPointing = false
    }
  }

  #speak(saying: S, node: NodeAddress): void {
    const { topics, listing, everyMs, round } = saying
    const body = this.#isWhole
      ? wholeHeartbeat(this.#options, saying, topics, listing.topicPartitions)
      : shortHeartbeat(this.#options, saying, listing.topicPartitions)
    const pulse: ConsumerPulse = { kind: 'consumer', node, everyMs, round, body }
    this.#spoken.set(pulse, { saying, whole: this.#isWhole ? this.#wholeWanted : 0 })
    this.#heartbeater.set(pulse)
    if (this.#isUrgent) this.#heartbeater.beatNow()
    this.#isUrgent = false
  }
}
