/** The partitions that are ours, and telling the control plane about every change: nothing is taken or dropped silently. */
import type { LeaseName } from '../../../kernel/events.ts'
import type { TopicPartition } from '../../../kernel/ids.ts'
import type { LogClientListener } from '../../../ports/log-client.ts'
import { Ownership, partitionKey } from './ownership.ts'

export class Holdings {
  readonly ownership: Ownership = new Ownership()
  readonly #listener: LogClientListener
  /** Partitions that `revoked` is being awaited for. */
  #givingUp: ReadonlySet<string> = new Set()

  constructor(listener: LogClientListener) {
    this.#listener = listener
  }

  take(partitions: readonly TopicPartition[], isAnew: boolean = false): void {
    this.ownership.take(partitions, isAnew)
    // With nothing at all, too: then there is nothing to wait for.
    if (partitions.length > 0 || this.ownership.size === 0) this.#listener.assigned(partitions)
  }

  /**
   * They are ours, and may be committed, until the control plane has let go. False: `ended` came first, which is a loss.
   * What the control plane says after that is about the past, and the partitions may be ours anew by then.
   */
  async giveUp(partitions: readonly TopicPartition[], ended: Promise<void>): Promise<boolean> {
    if (partitions.length === 0) return true
    this.#givingUp = new Set(partitions.map(partitionKey))
    const revoked = this.#listener.revoked(partitions)
    const isReleased = await Promise.race([revoked.then(() => true), ended.then(() => false)])
    this.#givingUp = new Set()
    if (isReleased) this.ownership.drop(partitions)
    return isReleased
  }

  loseAll(): void {
    const lost = this.ownership.partitions
    this.ownership.drop(lost)
    if (lost.length > 0) this.#listener.lost(lost)
  }

  /**
   * The log under this lease is not what it was: whatever is known of it is void, so the partition starts again. With
   * `isAnew` it is the log of another topic of that name, and what is committed is void too: the old lease may have
   * committed after the new topic came, and Kafka takes that by name.
   */
  renew(lease: LeaseName, isAnew: boolean = false): void {
    if (!this.ownership.holds(lease)) return
    const partitions = [{ topic: lease.topic, partition: lease.partition }]
    this.ownership.drop(partitions)
    this.#listener.lost(partitions)
    if (!this.#givingUp.has(partitionKey(lease))) this.take(partitions, isAnew)
  }

  /** The end: nobody is told, the control plane has drained already. */
  clear(): void {
    this.ownership.drop(this.ownership.partitions)
  }
}
