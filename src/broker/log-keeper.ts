/**
 * Keeps logs short: retention, compaction and the expiry of producers, one partition after the other, now and then.
 */
import type { BrokerLog } from './broker-log.ts'
import type { BrokerClock } from './clock.ts'
import type { BrokerConfig } from './configs/broker-configs.ts'
import { compactPartition } from './log/compaction.ts'
import type { TopicRegistry } from './topics/registry.ts'
import type { Partition } from './topics/topic.ts'

export class LogKeeper {
  readonly #topics: TopicRegistry
  readonly #config: BrokerConfig
  readonly #clock: BrokerClock
  readonly #log: BrokerLog
  #cancels: (() => void)[] = []
  readonly #rounds = new Set<Promise<void>>()
  #isStopped = false

  constructor(topics: TopicRegistry, config: BrokerConfig, clock: BrokerClock, log: BrokerLog) {
    this.#topics = topics
    this.#config = config
    this.#clock = clock
    this.#log = log
  }

  start(): void {
    this.#every('log.retention.check.interval.ms', (partition) => this.#retain(partition))
    this.#every('log.cleaner.backoff.ms', (partition) => this.#compact(partition))
  }

  /**
   * Resolves when nothing is under way any more. Logs are closed after that: a compaction that went on would change files
   * which may belong to the next broker by then.
   */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const cancel of this.#cancels) cancel()
    await Promise.all(this.#rounds)
  }

  #every(key: string, work: (partition: Partition) => Promise<void>): void {
    const round = async (): Promise<void> => {
      for (const partition of [...this.#topics.partitions()]) {
        if (this.#isStopped) return
        try {
          await work(partition)
        } catch (error) {
          this.#log.error(`keeping ${partition.topic.name}-${partition.index} short failed`, error)
        }
      }
      plan()
    }
    const begin = (): void => {
      const running = round().finally(() => this.#rounds.delete(running))
      this.#rounds.add(running)
    }
    let cancel = (): void => undefined
    const plan = (): void => {
      if (!this.#isStopped) cancel = this.#clock.timer(Math.max(1, this.#config.number(key)), begin)
    }
    this.#cancels = [...this.#cancels, () => cancel()]
    plan()
  }

  async #retain({ log }: Partition): Promise<void> {
    const now = this.#clock.now()
    await log.applyRetention(now)
    log.producers.expire(now, this.#config.number('producer.id.expiration.ms'))
  }

  async #compact({ log, topic }: Partition): Promise<void> {
    if (!topic.settings.cleanupPolicies.has('compact') || !this.#config.boolean('log.cleaner.enable')) return
    await compactPartition(log, topic.settings, this.#clock.now())
  }
}
