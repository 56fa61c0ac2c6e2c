/**
 * The embedded broker as a target of the conformance scripts: over real sockets, on a clock that moves only when the script
 * says so.
 */
import { mkdtemp, open, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ManualClock } from '../../../src/broker/clock.ts'
import { compactPartition } from '../../../src/broker/log/compaction.ts'
import { type RunningBroker, type StartedParts, startWithParts } from '../../../src/broker/start.ts'
import type { Partition } from '../../../src/broker/topics/topic.ts'
import { apiVersionsApi } from '../../../src/protocol/generated/18-api-versions.ts'
import { encodeBatch } from '../../../src/protocol/record-batch/writer.ts'
import type { Request, Response } from '../../../src/testing/sim/cluster/requests.ts'
import { RawClient } from '../../support/raw-client.ts'
import type { Control, Script } from '../script.ts'
import type { Exchange, ScriptTarget } from '../script-runner.ts'
import { type Names, translate } from './translate.ts'

const plainNames: Names = { topic: (name) => name, scriptTopic: (name) => name, id: (name) => name }
const config = { 'group.min.session.timeout.ms': '100', 'auto.create.topics.enable': 'false' }
const compacted = { 'cleanup.policy': 'compact', 'min.cleanable.dirty.ratio': '0', 'delete.retention.ms': '0' }

const endWaitMaxMs = 110

type Parts = StartedParts['parts']

/** What one node cannot be made to do: somebody else has to be asked. */
export function needsSecondNode(script: Script): boolean {
  const text = JSON.stringify(script.steps)
  return text.includes('"otherNode"') || text.includes('"otherTxnNode"')
}

export class BrokerTarget implements ScriptTarget {
  #clock = new ManualClock(Date.now())
  #broker: RunningBroker | undefined
  #parts: Parts | undefined
  #requests: () => number = () => 0
  #ping: RawClient | undefined
  #dataDir: string | undefined
  #release: (() => void) | undefined
  readonly #clients = new Map<string, { client: RawClient; busy: boolean }[]>()
  /** What the follower had when it was lost. */
  #cutAt: { readonly folder: string; readonly bytes: number } | undefined

  async open(script: Script): Promise<void> {
    const topics = Object.fromEntries(
      Object.entries(script.topics ?? {}).map(([name, spec]) => {
        const { kind, partitions } = typeof spec === 'string' ? { kind: spec, partitions: 1 } : spec
        return [name, { partitions, config: kind === 'compacted' ? compacted : {} }]
      }),
    )
    const cutsTheLog = script.steps.some((step) => step.kind === 'control' && step.control.kind === 'loseFollower')
    this.#dataDir = cutsTheLog ? await mkdtemp(join(tmpdir(), 'fanlane-conformance-')) : undefined
    this.#clock = new ManualClock(Date.now())
    await this.#start(topics)
  }

  async #start(topics: NonNullable<Parameters<typeof startWithParts>[0]['topics']>): Promise<void> {
    const dataDir = this.#dataDir === undefined ? {} : { dataDir: this.#dataDir }
    const { running, parts, requests } = await startWithParts({ clock: this.#clock, config, topics, ...dataDir })
    this.#broker = running
    this.#parts = parts
    this.#requests = requests
    this.#ping = await RawClient.connect(running.brokers[0] as string, 'ping')
  }

  async send(actor: string, request: Request): Promise<Exchange> {
    const free = await this.#clientOf(actor, request)
    const { api, version, request: body, understand } = translate(request, plainNames)
    let answered = false
    const before = this.#requests()
    const answer = free.client.send(api, version, body).then((bytes): Response => {
      answered = true
      free.busy = false
      return understand(bytes)
    })
    answer.catch(() => undefined)
    while (this.#requests() === before) await new Promise((resolve) => setImmediate(resolve))
    await this.#quiet()
    // The answer waits a moment for the markers; where they are held, that moment has to pass.
    if (!answered && request.kind === 'EndTxn') await this.advance(endWaitMaxMs)
    return {
      get answered() {
        return answered
      },
      answer: () => {
        if (!answered) throw new Error('no answer')
        return answer
      },
    }
  }

  /** A connection that waits for nothing: an answer that is held back must not hold the next one back. */
  async #clientOf(actor: string, request: Request): Promise<{ client: RawClient; busy: boolean }> {
    const clientId = 'clientId' in request ? request.clientId : actor
    const key = `${actor}/${clientId}`
    const list = this.#clients.get(key) ?? []
    this.#clients.set(key, list)
    const free = list.find(({ busy }) => !busy)
    if (free !== undefined) {
      free.busy = true
      return free
    }
    const made = { client: await RawClient.connect(this.#address, clientId), busy: true }
    list.push(made)
    return made
  }

  get #address(): string {
    return this.#broker?.brokers[0] as string
  }

  /** Everything sent has been read and worked off: another connection's answers prove it, twice around the loop. */
  async #quiet(): Promise<void> {
    for (let i = 0; i < 3; i++) {
      await this.#ping?.send(apiVersionsApi, 0, {})
      await new Promise((resolve) => setImmediate(resolve))
    }
    if (this.#dataDir === undefined) return
    // A disk takes its time: until its writes are through, answers may be on their way.
    for (const { log } of this.#parts?.topics.partitions() ?? []) await log.whenDurable(log.logEndOffset)
    await new Promise((resolve) => setImmediate(resolve))
    await this.#ping?.send(apiVersionsApi, 0, {})
  }

  async advance(ms: number): Promise<void> {
    // In small steps: what a timer sets off may set the next one.
    for (let left = ms; left > 0; left -= 10) {
      this.#clock.advance(Math.min(10, left))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await this.#quiet()
  }

  async control(control: Control): Promise<void> {
    switch (control.kind) {
      case 'append': {
        const records = control.records.map(({ key, value }) => ({
          key: key === null ? null : Buffer.from(key),
          value: Buffer.from(value),
          timestampMs: this.#clock.now(),
        }))
        const { log } = this.#partition(control)
        const result = log.append(encodeBatch({ records }), 'client')
        if (result.kind !== 'appended') throw new Error(`not appended: ${result.kind}`)
        await log.whenDurable(result.lastOffset + 1)
        return this.#quiet()
      }
      case 'compact':
        return this.#compact(control)
      case 'deleteRecordsBefore':
        return this.#partition(control).log.deleteRecordsBefore(control.offset)
      case 'loseFollower': {
        const { log } = this.#partition(control)
        this.#cutAt = { folder: log.directory, bytes: log.sizeBytes }
        return
      }
      case 'electFollower':
        return this.#cut()
      case 'holdMarkers':
        this.#release = this.#parts?.markers.hold(control.of === 'group' ? '__consumer_offsets' : control.of.topic)
        return
      case 'releaseMarkers':
        this.#release?.()
        return this.#quiet()
      case 'awaitMarkers':
        return this.#quiet()
      case 'moveCoordinator':
      case 'awaitLoaded':
        throw new Error('one node has nowhere to move to')
    }
  }

  #partition({ topic, partition }: { readonly topic: string; readonly partition: number }): Partition {
    const found = this.#parts?.topics.get(topic)?.partitions[partition]
    if (found === undefined) throw new Error(`no ${topic}-${partition}`)
    return found
  }

  /** Kafka never compacts its active segment: a new one is begun first. */
  async #compact(control: Control & { kind: 'compact' }): Promise<void> {
    const { log, topic } = this.#partition(control)
    log.roll()
    await compactPartition(log, topic.settings, this.#clock.now())
  }

  /** The log loses its end while the broker is down, as it would with a disk that lied. */
  async #cut(): Promise<void> {
    const cut = this.#cutAt
    if (cut === undefined) throw new Error('nothing was lost')
    await this.#closeAll()
    const name = (await readdir(cut.folder)).find((file) => file.endsWith('.log'))
    for (const file of await readdir(cut.folder)) if (!file.endsWith('.log')) await rm(join(cut.folder, file))
    const file = await open(join(cut.folder, name as string), 'r+')
    await file.truncate(cut.bytes)
    await file.close()
    await this.#start({})
  }

  otherNode(node: number): number {
    return node + 1
  }

  async #closeAll(): Promise<void> {
    for (const list of this.#clients.values()) for (const { client } of list) await client.close()
    this.#clients.clear()
    await this.#ping?.close()
    await this.#broker?.close()
  }

  async close(): Promise<void> {
    this.#release?.()
    await this.#closeAll()
    if (this.#dataDir !== undefined) await rm(this.#dataDir, { recursive: true, force: true })
  }
}
