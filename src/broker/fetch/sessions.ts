/**
 * Fetch sessions (KIP-227): the broker remembers which partitions a consumer reads, so that a request names only what
 * changed and an answer only what is new.
 *
 * Epoch 0 opens a session, −1 closes it; every further request carries the next epoch, and a different one is refused:
 * a request or an answer was lost, and the two sides no longer agree on what the session holds.
 */
import { randomInt } from 'node:crypto'
import { errorCodes } from '../../protocol/errors.ts'
import type { FetchRequest } from '../../protocol/generated/01-fetch.ts'
import type { Uuid } from '../../protocol/types.ts'

/** One partition as a consumer reads it. */
export interface FetchTarget {
  /** As the request names it; empty where it uses ids. */
  readonly topic: string
  readonly topicId: Uuid
  readonly partition: number
  fetchOffset: number
  maxBytes: number
  currentLeaderEpoch: number
  lastFetchedEpoch: number
  /** What the last answer said, so that an incremental answer can leave it out. */
  sent: { highWatermark: number; lastStableOffset: number; logStartOffset: number } | undefined
}

interface Session {
  readonly id: number
  epoch: number
  /** Whose session it is: ids and names cannot be mixed. */
  readonly usesIds: boolean
  readonly targets: Map<string, FetchTarget>
  lastUsedMs: number
}

export type Opened =
  | { readonly kind: 'error'; readonly error: number }
  /** Everything is asked and everything is answered. */
  | { readonly kind: 'full'; readonly sessionId: number; readonly targets: FetchTarget[] }
  | {
      readonly kind: 'incremental'
      readonly sessionId: number
      readonly targets: FetchTarget[]
      readonly touch: (t: FetchTarget) => void
    }

const finalEpoch = -1
const epochMax = 2 ** 31 - 1
/** Kafka's min.incremental.fetch.session.eviction.ms. */
const evictionAgeMs = 120_000

export class FetchSessions {
  readonly #sessions = new Map<number, Session>()
  readonly #sessionsMax: number

  constructor(sessionsMax: number) {
    this.#sessionsMax = sessionsMax
  }

  open(request: FetchRequest, version: number, nowMs: number): Opened {
    const usesIds = version >= 13
    const { sessionId, sessionEpoch } = request
    if (version < 7 || (sessionId === 0 && sessionEpoch === finalEpoch))
      return { kind: 'full', sessionId: 0, targets: targetsOf(request) }
    if (sessionEpoch === 0 || sessionEpoch === finalEpoch) {
      this.#sessions.delete(sessionId)
      if (sessionEpoch === finalEpoch) return { kind: 'full', sessionId: 0, targets: targetsOf(request) }
      return this.#create(request, usesIds, nowMs)
    }
    const session = this.#sessions.get(sessionId)
    if (session === undefined) return { kind: 'error', error: errorCodes.FETCH_SESSION_ID_NOT_FOUND }
    if (session.usesIds !== usesIds) return { kind: 'error', error: errorCodes.FETCH_SESSION_TOPIC_ID_ERROR }
    if (session.epoch !== sessionEpoch) return { kind: 'error', error: errorCodes.INVALID_FETCH_SESSION_EPOCH }
    session.epoch = session.epoch === epochMax ? 1 : session.epoch + 1
    session.lastUsedMs = nowMs
    // In the order of their last use: whoever is to give way is found at the front.
    this.#sessions.delete(sessionId)
    this.#sessions.set(sessionId, session)
    update(session, request)
    // A partition that just gave data goes to the end, so that a busy one does not starve the others.
    const touch = (target: FetchTarget): void => {
      const key = keyOf(target)
      if (session.targets.delete(key)) session.targets.set(key, target)
    }
    return { kind: 'incremental', sessionId, targets: [...session.targets.values()], touch }
  }

  get size(): number {
    return this.#sessions.size
  }

  #create(request: FetchRequest, usesIds: boolean, nowMs: number): Opened {
    const targets = targetsOf(request)
    if (targets.length === 0 || !this.#makeRoom(nowMs)) return { kind: 'full', sessionId: 0, targets }
    const id = this.#unusedId()
    const byKey = new Map(targets.map((t) => [keyOf(t), t]))
    this.#sessions.set(id, { id, epoch: 1, usesIds, targets: byKey, lastUsedMs: nowMs })
    return { kind: 'full', sessionId: id, targets }
  }

  /**
   * By chance, as in Kafka. Counted from 1 they would come again after a restart, and a client that closes the session it
   * had before would close another client's.
   */
  #unusedId(): number {
    for (;;) {
      const id = randomInt(1, epochMax)
      if (!this.#sessions.has(id)) return id
    }
  }

  /** A session in use does not give way: with one consumer too many, each would throw the next one out, over and over. */
  #makeRoom(nowMs: number): boolean {
    if (this.#sessions.size < this.#sessionsMax) return true
    for (const { id, lastUsedMs } of this.#sessions.values()) {
      if (nowMs - lastUsedMs < evictionAgeMs) return false
      this.#sessions.delete(id)
      return true
    }
    return false
  }
}

function keyOf(target: { readonly topic: string; readonly topicId: Uuid; readonly partition: number }): string {
  return `${target.topic}/${target.topicId}/${target.partition}`
}

function targetsOf(request: FetchRequest): FetchTarget[] {
  return request.topics.flatMap(({ topic, topicId, partitions }) =>
    partitions.map((p) => ({
      topic,
      topicId,
      partition: p.partition,
      fetchOffset: Number(p.fetchOffset),
      maxBytes: p.partitionMaxBytes,
      currentLeaderEpoch: p.currentLeaderEpoch,
      lastFetchedEpoch: p.lastFetchedEpoch,
      sent: undefined,
    })),
  )
}

function update(session: Session, request: FetchRequest): void {
  for (const { topic, topicId, partitions } of request.forgottenTopicsData) {
    for (const partition of partitions) session.targets.delete(keyOf({ topic, topicId, partition }))
  }
  for (const target of targetsOf(request)) {
    const known = session.targets.get(keyOf(target))
    if (known === undefined) session.targets.set(keyOf(target), target)
    else {
      known.fetchOffset = target.fetchOffset
      known.maxBytes = target.maxBytes
      known.currentLeaderEpoch = target.currentLeaderEpoch
      known.lastFetchedEpoch = target.lastFetchedEpoch
    }
  }
}
