/**
 * The real Wire: a cluster behind sockets. Addresses are what is connected to; node ids only name them, so a broker that was
 * first known as `host:port` from the options keeps its connections when Metadata tells its id.
 */
import type { Clock } from '../../ports/clock.ts'
import type { Api } from '../../protocol/api.ts'
import type { ApiVersionsResponse } from '../../protocol/generated/18-api-versions.ts'
import {
  type Answer,
  type AskOptions,
  anyNode,
  type Lane,
  type NodeAddress,
  type Question,
  type Wire,
} from '../wire.ts'
import { type Address, address, isPort, parseBrokers } from './brokers.ts'
import { Endpoint } from './endpoint.ts'
import { createJob, type Job } from './job.ts'
import { Link } from './link.ts'
import { type ClusterOptions, type ClusterState, type Settings, settingsOf } from './options.ts'
import { Seeker } from './seeker.ts'

export function createCluster(options: ClusterOptions): Cluster {
  return new Cluster(options)
}

interface Place {
  readonly endpoint: Endpoint
  readonly links: Map<Lane, Link>
}

export class Cluster implements Wire {
  readonly clock: Clock
  readonly #settings: Settings
  readonly #bootstrap: readonly Address[]
  /** By `host:port`. */
  readonly #places: Map<string, Place> = new Map()
  /** By node id: the address it has now. */
  readonly #nodes: Map<number, Address> = new Map()
  readonly #seekers: Map<Lane, Seeker> = new Map()
  #features: { readonly epoch: bigint; readonly levels: ReadonlyMap<string, number> } = {
    epoch: -1n,
    levels: new Map(),
  }
  #isOpen = true

  constructor(options: ClusterOptions) {
    this.#settings = settingsOf(options)
    this.#bootstrap = parseBrokers(options.brokers)
    this.clock = options.clock
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  ask<Q, R>(node: number, api: Api<Q, R>, question: Question<Q>, options: AskOptions = {}): Promise<Answer<R> | null> {
    if (!this.#isOpen) return Promise.resolve(null)
    const { lane = 'main', timeoutMs = this.#settings.requestTimeoutMs, maxVersion = api.maxVersion } = options
    const { job, answered } = createJob(this.clock, api, question, { timeoutMs, maxVersion, expectsAnswer: true })
    this.#submit(node, lane, job)
    return answered
  }

  async post<Q, R>(node: number, api: Api<Q, R>, question: Question<Q>): Promise<boolean> {
    if (!this.#isOpen) return false
    const { job, answered } = createJob(this.clock, api, question, {
      timeoutMs: this.#settings.requestTimeoutMs,
      maxVersion: api.maxVersion,
      expectsAnswer: false,
    })
    this.#submit(node, 'main', job)
    return (await answered) !== null
  }

  learnNodes(nodes: readonly NodeAddress[], all: boolean): void {
    const known = nodes.filter(({ host, port }) => host !== '' && isPort(port))
    if (all && known.length > 0) {
      const ids = new Set(known.map(({ nodeId }) => nodeId))
      for (const nodeId of this.#nodes.keys()) if (!ids.has(nodeId)) this.#nodes.delete(nodeId)
    }
    for (const { nodeId, host, port } of known) {
      const at = address(host, port)
      this.#nodes.set(nodeId, at)
      this.#place(at).endpoint.nodeId = nodeId
    }
    if (all) this.#forgetStrangers()
  }

  /** How every address fares that was tried, as it is now. */
  get states(): readonly ClusterState[] {
    return [...this.#places.values()].flatMap(({ endpoint: { state } }) => (state === null ? [] : [state]))
  }

  featureLevel(name: string): number {
    return this.#features.levels.get(name) ?? 0
  }

  /** At once: every question that waits is met with silence. */
  async close(): Promise<void> {
    this.#isOpen = false
    for (const seeker of this.#seekers.values()) seeker.close()
    const links = [...this.#places.values()].flatMap((place) => [...place.links.values()])
    await Promise.all(links.map((link) => link.close()))
  }

  #submit(node: number, lane: Lane, job: Job): void {
    if (node === anyNode) {
      this.#submitToAny(lane, job)
      return
    }
    const at = this.#nodes.get(node)
    // Whoever asks a node that is not there any more finds out by asking for metadata.
    if (at === undefined) job.silence()
    else this.#link(at, lane).submit(job)
  }

  /** An open connection, of several the one with the least to do; nodes of the cluster before other addresses. */
  #submitToAny(lane: Lane, job: Job): void {
    let best: Link | null = null
    for (const link of this.#candidates(lane)) {
      if (!link.isOpen) continue
      if (best !== null && best.endpoint.nodeId !== anyNode && link.endpoint.nodeId === anyNode) break
      if (best === null || link.load < best.load) best = link
    }
    if (best === null) this.#seeker(lane).seek(job)
    else best.submit(job)
  }

  /** Nodes first, in an order of chance so that clients spread; then the addresses of the options. */
  #candidates(lane: Lane): Link[] {
    const nodes = [...this.#nodes.values()]
    const start = Math.floor(this.clock.random() * nodes.length)
    const turned = [...nodes.slice(start), ...nodes.slice(0, start)]
    const found = new Map<string, Link>()
    for (const at of [...turned, ...this.#bootstrap]) found.set(at.text, this.#link(at, lane))
    return [...found.values()]
  }

  #seeker(lane: Lane): Seeker {
    const known = this.#seekers.get(lane)
    if (known !== undefined) return known
    const seeker = new Seeker(this.clock, () => this.#candidates(lane))
    this.#seekers.set(lane, seeker)
    return seeker
  }

  #place(at: Address): Place {
    const known = this.#places.get(at.text)
    if (known !== undefined) return known
    const place = { endpoint: new Endpoint(this.#settings, at), links: new Map<Lane, Link>() }
    this.#places.set(at.text, place)
    return place
  }

  #link(at: Address, lane: Lane): Link {
    const { endpoint, links } = this.#place(at)
    const known = links.get(lane)
    if (known !== undefined) return known
    const link = new Link(this.#settings, endpoint, {
      opened: (opened, versions) => {
        this.#learnFeatures(versions)
        this.#seekers.get(lane)?.found(opened)
      },
      failed: () => this.#seekers.get(lane)?.missed(),
    })
    links.set(lane, link)
    return link
  }

  #learnFeatures({ finalizedFeaturesEpoch: epoch, finalizedFeatures }: ApiVersionsResponse): void {
    if (epoch < this.#features.epoch || finalizedFeatures.length === 0) return
    const levels = new Map(finalizedFeatures.map(({ name, maxVersionLevel }) => [name, maxVersionLevel]))
    this.#features = { epoch, levels }
  }

  /** Addresses that are neither a node's nor the user's: nobody will ask there again. */
  #forgetStrangers(): void {
    const kept = new Set([...this.#nodes.values(), ...this.#bootstrap].map(({ text }) => text))
    for (const [text, { endpoint, links }] of this.#places) {
      if (kept.has(text)) {
        if (this.#nodes.get(endpoint.nodeId)?.text !== text) endpoint.nodeId = anyNode
        continue
      }
      // What was asked there is still answered; the broker may be on its way out.
      if ([...links.values()].some((link) => link.load > 0)) continue
      this.#places.delete(text)
      for (const link of links.values()) void link.close()
    }
  }
}
