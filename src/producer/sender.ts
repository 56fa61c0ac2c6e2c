/**
 * Brings batches to the leaders of their partitions: one request per node that carries the next batch of many partitions,
 * several of them in flight. Driven by events only: something was appended, an answer came, a pause is over.
 */
import { isLeaderElsewhere } from '../cluster/answers.ts'
import type { BackoffOptions } from '../cluster/backoff.ts'
import type { Metadata } from '../cluster/metadata.ts'
import { Signal } from '../cluster/signal.ts'
import type { Wire } from '../cluster/wire.ts'
import { zeroUuid } from '../protocol/types.ts'
import type { Batch } from './batch.ts'
import type { Identities } from './identities.ts'
import type { Lane } from './lane.ts'
import { askProduce, type LoadedBatch, type ProduceAnswers, type ProduceFrame, postProduce } from './request.ts'
import type { Fate, Settler } from './settler.ts'

export interface SenderOptions {
  readonly acks: -1 | 0 | 1
  readonly replicasTimeoutMs: number
  /** Requests in flight per node, and batches in flight per partition where the broker keeps their order. */
  readonly windowMax: number
  readonly requestBytesMax: number
  readonly backoff: BackoffOptions
}

export interface SenderParts {
  readonly wire: Wire
  readonly metadata: Metadata
  readonly identities: Identities
  readonly settler: Settler
  readonly options: SenderOptions
  /** True: what lingers is sent at once. */
  readonly isUrgent: () => boolean
  /** Nothing of this lane is sent before then: wake it. */
  readonly linger: (lane: Lane, untilMs: number) => void
  /** Something went wrong that cannot. */
  readonly onError: (error: unknown) => void
  /** The cluster will not have us: nothing that waits will ever be sent. */
  readonly onRefused: (error: unknown) => void
  /** The wire was closed under us. */
  readonly onClosed: () => void
}

interface Node {
  readonly id: number
  inFlight: number
  /** The broker asked for a rest until then. */
  readyAtMs: number
}

interface Loaded extends LoadedBatch {
  readonly lane: Lane
  readonly batch: Batch
}

interface Load {
  readonly node: Node
  readonly batches: Loaded[]
  bytes: number
}

export class Sender {
  readonly #parts: SenderParts
  readonly #ready: Set<Lane> = new Set()
  readonly #nodes: Map<number, Node> = new Map()
  /** By topic: who waits to be told the leaders of its partitions. */
  readonly #looking: Map<string, Set<Lane>> = new Map()
  readonly #answered: Signal = new Signal()
  #unanswered = 0
  #isPumpDue = false

  constructor(parts: SenderParts) {
    this.#parts = parts
  }

  /** In a turn of its own, so that what is sent together travels together. */
  wake(lane: Lane): void {
    this.#ready.add(lane)
    if (this.#isPumpDue) return
    this.#isPumpDue = true
    this.#parts.wire.clock.soon(() => {
      this.#isPumpDue = false
      this.pump()
    })
  }

  wakeAll(lanes: Iterable<Lane>): void {
    for (const lane of lanes) this.wake(lane)
  }

  /** Resolves when no request is unanswered. Whoever waits must have seen to it that no more are sent. */
  async quiet(): Promise<void> {
    while (this.#unanswered > 0) await this.#answered.wait()
  }

  /** Sends whatever can be sent now. */
  pump(): void {
    if (!this.#parts.wire.isOpen) {
      this.#parts.onClosed()
      return
    }
    for (;;) {
      const loads = this.#load()
      if (loads.length === 0) return
      for (const load of loads) {
        load.node.inFlight++
        this.#unanswered++
        this.#send(load).catch(this.#parts.onError)
      }
    }
  }

  /** One batch of every lane that has one, by the node that leads it. */
  #load(): Load[] {
    const { wire, metadata, identities, options } = this.#parts
    const nowMs = wire.clock.now()
    const isUrgent = this.#parts.isUrgent()
    const loads = new Map<number, Load>()
    const again: Lane[] = []
    for (const lane of this.#ready) {
      const batch = this.#looking.get(lane.topic)?.has(lane) ? null : this.#candidate(lane, nowMs, isUrgent)
      if (batch === null) {
        this.#ready.delete(lane)
        const untilMs = isUrgent ? null : lane.lingersUntil(nowMs)
        if (untilMs !== null) this.#parts.linger(lane, untilMs)
        continue
      }
      const { leader } = metadata.partition(lane.topic, lane.partition)
      if (leader < 0) {
        this.#ready.delete(lane)
        this.#look(lane)
        continue
      }
      const load = loads.get(leader) ?? { node: this.#node(leader), batches: [], bytes: 0 }
      const isFull = load.bytes > 0 && load.bytes + batch.size > options.requestBytesMax
      // It stays ready: the next answer of this node, or the next round, takes it along.
      if (isFull || load.node.inFlight >= options.windowMax || nowMs < load.node.readyAtMs) continue
      lane.sending(batch)
      this.#ready.delete(lane)
      again.push(lane)
      const loaded = this.#loaded(lane, batch)
      if (loaded === null) continue
      load.batches.push(loaded)
      load.bytes += loaded.bytes.length
      loads.set(leader, load)
    }
    // At the end of the line, so that a busy partition does not keep others out of a full request.
    for (const lane of again) this.#ready.add(lane)
    identities.flush()
    return [...loads.values()]
  }

  /** null: it could not be packed, and its callers know. */
  #loaded(lane: Lane, batch: Batch): Loaded | null {
    const { metadata, settler } = this.#parts
    const { key, topic, partition } = lane
    try {
      const bytes = batch.bytesFor(lane.identity)
      return { key, topic, topicId: metadata.topic(topic)?.id ?? zeroUuid, partition, bytes, lane, batch }
    } catch (error) {
      settler.settle(lane, batch, { error })
      this.wake(lane)
      return null
    }
  }

  #candidate(lane: Lane, nowMs: number, isUrgent: boolean): Batch | null {
    const { identities, options } = this.#parts
    const windowMax = identities.keepsOrder ? options.windowMax : 1
    if (lane.renewal === 'none') {
      const batch = lane.candidate(nowMs, windowMax, isUrgent)
      if (batch === null && lane.renewal === 'none') return null
      if (batch !== null && identities.prepare(lane)) return batch
      if (batch !== null) return null
    }
    // It has to be somebody else first.
    return identities.prepare(lane) ? lane.candidate(nowMs, windowMax, isUrgent) : null
  }

  #node(id: number): Node {
    const known = this.#nodes.get(id)
    if (known !== undefined) return known
    const node = { id, inFlight: 0, readyAtMs: 0 }
    this.#nodes.set(id, node)
    return node
  }

  async #send({ node, batches }: Load): Promise<void> {
    const { wire, settler } = this.#parts
    let outcome: { readonly answers: ProduceAnswers } | { readonly error: unknown } | null
    try {
      outcome = await this.#ask(node, batches)
    } catch (error) {
      outcome = { error }
    }
    node.inFlight--
    const again: Loaded[] = []
    for (const loaded of batches) {
      const { lane, batch, key } = loaded
      const fate: Fate =
        outcome !== null && 'error' in outcome ? outcome : { response: outcome?.answers.get(key) ?? null }
      const next = settler.settle(lane, batch, fate)
      if (next.kind === 'pause') again.push(loaded)
      else this.#ready.add(lane)
      const isLeaderUnsure =
        'response' in fate && (fate.response === null || isLeaderElsewhere(fate.response.errorCode))
      if (isLeaderUnsure && wire.isOpen) this.#look(lane)
    }
    if (again.length > 0) this.#pause(again)
    this.#unanswered--
    this.#answered.fire()
    this.pump()
  }

  async #ask(node: Node, batches: readonly Loaded[]): Promise<{ readonly answers: ProduceAnswers } | null> {
    const { wire, identities, options } = this.#parts
    const { acks, replicasTimeoutMs } = options
    const frame: ProduceFrame = { acks, replicasTimeoutMs, ...identities.frame() }
    if (acks === 0) {
      const isSent = await postProduce(wire, node.id, frame, batches)
      return isSent ? { answers: unacknowledged(batches) } : null
    }
    const answer = await askProduce(wire, node.id, frame, batches)
    if (answer !== null && answer.throttleMs > 0) this.#rest(node, answer.throttleMs)
    return answer
  }

  #rest(node: Node, ms: number): void {
    const { clock } = this.#parts.wire
    const atMs = clock.now() + ms
    node.readyAtMs = atMs
    clock.at(atMs, () => {
      if (node.readyAtMs === atMs) node.readyAtMs = 0
      this.pump()
    })
  }

  /** One pause for all that one request carried: they have failed together and are sent together again. */
  #pause(again: readonly Loaded[]): void {
    const { clock } = this.#parts.wire
    const { backoffMs, backoffMaxMs } = this.#parts.options.backoff
    const tries = Math.max(...again.map(({ batch }) => batch.tries))
    const ms = Math.min(backoffMaxMs, backoffMs * 2 ** Math.min(30, tries - 1)) * (0.5 + clock.random() / 2)
    const atMs = clock.now() + ms
    this.#rests(
      again.map(({ lane }) => lane),
      atMs,
    )
  }

  #rests(lanes: readonly Lane[], atMs: number): void {
    for (const lane of lanes) lane.retryAtMs = Math.max(lane.retryAtMs, atMs)
    this.#parts.wire.clock.at(atMs, () => {
      // A timer may be a little early by the clock: then nobody would come back.
      for (const lane of lanes) {
        if (lane.retryAtMs === atMs) lane.retryAtMs = 0
        this.#ready.add(lane)
      }
      this.pump()
    })
  }

  /** Nothing is sent to this partition before somebody was asked who leads it. */
  #look(lane: Lane): void {
    const { topic } = lane
    const waiting = this.#looking.get(topic)
    if (waiting !== undefined) {
      waiting.add(lane)
      return
    }
    const lanes = new Set([lane])
    this.#looking.set(topic, lanes)
    this.#lookUp(topic, lanes).catch(this.#parts.onError)
  }

  async #lookUp(topic: string, lanes: ReadonlySet<Lane>): Promise<void> {
    const { wire, metadata, options } = this.#parts
    try {
      await metadata.refresh([topic])
    } catch (error) {
      this.#parts.onRefused(error)
    }
    this.#looking.delete(topic)
    const nowMs = wire.clock.now()
    const leaderless = [...lanes].filter((lane) => metadata.partition(topic, lane.partition).leader < 0)
    const atMs = nowMs + options.backoff.backoffMaxMs * (0.1 + wire.clock.random() / 10)
    if (leaderless.length > 0) this.#rests(leaderless, atMs)
    for (const lane of lanes) this.#ready.add(lane)
    this.pump()
  }
}

/** Sent is all that will ever be known. */
function unacknowledged(batches: readonly Loaded[]): ProduceAnswers {
  return new Map(batches.map(({ key, partition }) => [key, { ...silentSuccess, index: partition }]))
}

const silentSuccess = {
  errorCode: 0,
  baseOffset: -1n,
  logAppendTimeMs: -1n,
  logStartOffset: -1n,
  recordErrors: [],
  errorMessage: null,
  currentLeader: { leaderId: -1, leaderEpoch: -1 },
}
