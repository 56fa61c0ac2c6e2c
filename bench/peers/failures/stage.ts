/** What a trial stands on: Apache Kafka, a connection that speaks the bare protocol, and a proxy that can be made deaf. */
import { PausableProxy } from '../../../test/support/pausable-proxy.ts'
import { unique } from '../../../test/support/targets.ts'
import { until } from '../../../test/support/wait.ts'
import { abortedCases, evictAll } from '../../../test/wire/failures-stage.ts'
import { RawKafka } from '../../../test/wire/support/raw-kafka.ts'

export interface Ground {
  readonly brokers: readonly string[]
  /** Where Kafka sends the clients of its further listener, and what a proxy there has to forward to. */
  readonly proxyPort: number
  readonly proxied: string
}

const abortedNames = ['aborted-one', 'aborted-two', 'aborted-split', 'aborted-mixed', 'aborted-inside'] as const
export type AbortedName = (typeof abortedNames)[number]

export interface Written {
  readonly topic: string
  readonly group: string
  readonly committed: readonly string[]
  readonly partitionMaxBytes: number
}

export class Stage {
  readonly brokers: string[]
  readonly raw: RawKafka
  readonly #ground: Ground

  private constructor(ground: Ground, raw: RawKafka) {
    this.#ground = ground
    this.brokers = [...ground.brokers]
    this.raw = raw
  }

  static async open(ground: Ground): Promise<Stage> {
    return new Stage(ground, await RawKafka.connect(ground.brokers))
  }

  name(what: string): string {
    return unique(what)
  }

  /** `count` records with values 0, 1, 2 … in every partition. */
  async topic(partitions: number, count: number, config: Readonly<Record<string, string>> = {}): Promise<string> {
    const topic = unique('topic')
    await this.raw.createTopic(topic, partitions, config)
    for (let partition = 0; partition < partitions; partition++) {
      for (let from = 0; from < count; from += 1_000) {
        const size = Math.min(1_000, count - from)
        const records = Array.from({ length: size }, (_, at) => ({ key: 'k', value: String(from + at) }))
        await this.raw.produce(topic, partition, records)
      }
    }
    return topic
  }

  evict(group: string): Promise<void> {
    return evictAll(this.raw, group)
  }

  async aborted(name: AbortedName): Promise<Written> {
    const found = abortedCases[abortedNames.indexOf(name)]
    if (found === undefined) throw new Error(`no case ${name}`)
    const topic = unique('ledger')
    const group = unique('group')
    await this.raw.createTopic(topic)
    const committed = await found.write(this.raw, topic)
    await this.raw.store(group, [{ topic, partition: 0, position: found.from, metadata: '' }])
    return { topic, group, committed, partitionMaxBytes: found.partitionMaxBytes }
  }

  /** The bootstrap address that goes through the proxy, and the proxy. */
  async throughProxy(): Promise<{ brokers: string[]; proxy: PausableProxy }> {
    return { brokers: [`127.0.0.1:${this.#ground.proxyPort}`], proxy: await this.openProxy() }
  }

  async openProxy(): Promise<PausableProxy> {
    const proxy = await PausableProxy.start(this.#ground.proxyPort)
    proxy.target = this.#ground.proxied
    return proxy
  }

  /** Whether it becomes true in this time. */
  async becomes(ask: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
    try {
      return await until('it', ask, withinMs)
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('not within')) return false
      throw error
    }
  }
}
