/**
 * Reading from one broker. Two requests at a time: one waits for whatever it was asked for, and a partition that is wanted
 * meanwhile (resumed, just assigned) does not wait for that, it goes with the other. A partition is in one of them at most,
 * and asked for again only when its last answer was taken: so what is fetched but not admitted is never more than one answer
 * for each partition (I5).
 */
import { answeredWith } from '../../../cluster/answers.ts'
import { Backoff } from '../../../cluster/backoff.ts'
import type { Metadata } from '../../../cluster/metadata.ts'
import { Signal } from '../../../cluster/signal.ts'
import type { Lane, Wire } from '../../../cluster/wire.ts'
import { errorCodes } from '../../../protocol/errors.ts'
import { type FetchResponse, fetchApi, type PartitionData } from '../../../protocol/generated/01-fetch.ts'
import { partitionKey } from '../group/ownership.ts'
import type { NativeOptions } from '../options.ts'
import { FetchSession, topicIdsFrom } from './fetch-session.ts'
import type { FetchTarget } from './fetch-target.ts'

export interface NodeFetcherHost {
  readonly wire: Wire
  readonly metadata: Metadata
  readonly options: NativeOptions
  /** What may be fetched from this node now. */
  wanted(node: number): FetchTarget[]
  isCurrent(target: FetchTarget): boolean
  /** Take an answer. True: there was something in it. */
  read(target: FetchTarget, data: PartitionData): boolean
  /** All of an answer has been read. */
  handOut(): void
  trouble(target: FetchTarget, code: number): void
  /** The metadata was read anew. */
  leadersMoved(): void
  failed(error: unknown): void
}

const lanes: readonly Lane[] = ['fetch', 'fetch-aside']

export class NodeFetcher {
  readonly #host: NodeFetcherHost
  readonly #node: number
  readonly #changed: Signal = new Signal()
  readonly #inFlight: Set<FetchTarget> = new Set()
  #isOpen = true

  constructor(host: NodeFetcherHost, node: number) {
    this.#host = host
    this.#node = node
    for (const lane of lanes) this.#run(lane).catch((error) => host.failed(error))
  }

  /** Something may be wanted now that was not, or an answer was taken. */
  wake(): void {
    this.#changed.fire()
  }

  close(): void {
    this.#isOpen = false
    this.#changed.fire()
  }

  async #run(lane: Lane): Promise<void> {
    const { wire, options, metadata } = this.#host
    const backoff = new Backoff(wire.clock, options.backoff)
    const session = new FetchSession(metadata, options.partitionMaxBytes)
    while (this.#isOpen && wire.isOpen) {
      const targets = this.#free()
      if (targets.length === 0) {
        await this.#changed.wait()
        continue
      }
      for (const target of targets) this.#inFlight.add(target)
      const startMs = wire.clock.now()
      const answer = await this.#ask(lane, session, targets)
      for (const target of targets) this.#inFlight.delete(target)
      const news = answer === null ? this.#silence(session, targets) : this.#take(session, targets, answer)
      // An answer that brings nothing although it was not waited for must not make us spin.
      const isQuiet = news === 'none' && wire.clock.now() >= startMs + options.fetchMaxWaitMs
      if (news === 'some' || isQuiet) backoff.reset()
      else await backoff.pause()
      // The other request may be waiting for partitions that were in this one.
      this.#changed.fire()
    }
  }

  #free(): FetchTarget[] {
    return this.#host.wanted(this.#node).filter((target) => !this.#inFlight.has(target))
  }

  async #ask(
    lane: Lane,
    session: FetchSession,
    targets: readonly FetchTarget[],
  ): Promise<{ readonly body: FetchResponse; readonly version: number } | null> {
    const { wire, options } = this.#host
    const limit = session.hasIds(targets) ? {} : { maxVersion: topicIdsFrom - 1 }
    return wire.ask(
      this.#node,
      fetchApi,
      (version) => ({
        maxWaitMs: options.fetchMaxWaitMs,
        minBytes: options.fetchMinBytes,
        maxBytes: options.fetchMaxBytes,
        isolationLevel: options.isolation === 'read_committed' ? 1 : 0,
        ...session.ask(targets, version),
        ...(options.rackId === null ? {} : { rackId: options.rackId }),
      }),
      { lane, timeoutMs: options.fetchMaxWaitMs + options.requestTimeoutMs, ...limit },
    )
  }

  /** Nobody knows what the broker remembers of the session. The leader may be gone: ask who it is now. */
  #silence(session: FetchSession, targets: readonly FetchTarget[]): 'trouble' {
    session.reset()
    const host = this.#host
    const topics = [...new Set(targets.map(({ topic }) => topic))]
    for (const target of targets) target.replica = -1
    if (host.wire.isOpen) {
      host.metadata.refresh(topics).then(
        () => host.leadersMoved(),
        (error) => host.failed(error),
      )
    }
    return 'trouble'
  }

  #take(
    session: FetchSession,
    targets: readonly FetchTarget[],
    { body, version }: { readonly body: FetchResponse; readonly version: number },
  ): 'some' | 'none' | 'trouble' {
    if (body.errorCode !== errorCodes.NONE) {
      session.reset()
      return 'trouble'
    }
    const host = this.#host
    const byKey = new Map(targets.map((target) => [target.key, target]))
    let news: 'some' | 'none' | 'trouble' = 'none'
    for (const { topic, data } of session.take(body, version)) {
      const target = byKey.get(partitionKey({ topic, partition: data.partitionIndex }))
      if (target === undefined || !host.isCurrent(target)) continue
      if (data.errorCode === errorCodes.NONE) {
        if (host.read(target, data)) news = 'some'
        continue
      }
      if (news === 'none') news = 'trouble'
      if (data.errorCode === errorCodes.TOPIC_AUTHORIZATION_FAILED) {
        host.failed(answeredWith(data.errorCode, `Fetch of ${topic}`))
      } else host.trouble(target, data.errorCode)
    }
    host.handOut()
    return news
  }
}
