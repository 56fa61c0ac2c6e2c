/**
 * From the decision to the end: when the decision is durable, a marker goes to every partition of the transaction; when
 * all markers are durable, "complete" goes to the state log. A restart does it all again: a second marker finds nothing
 * open and changes nothing.
 */
import type { BrokerLog } from '../broker-log.ts'
import type { CoordinatorClock, TopicPartition, TransactionMarker, TransactionPartitions } from './ports.ts'
import type { Slot, TransactionStore } from './store.ts'
import { completed } from './transaction.ts'

export class Finisher {
  readonly #store: TransactionStore
  readonly #partitions: TransactionPartitions
  readonly #clock: CoordinatorClock
  readonly #coordinatorEpoch: number
  readonly #log: BrokerLog

  constructor(
    store: TransactionStore,
    partitions: TransactionPartitions,
    clock: CoordinatorClock,
    coordinatorEpoch: number,
    log: BrokerLog,
  ) {
    this.#store = store
    this.#partitions = partitions
    this.#clock = clock
    this.#coordinatorEpoch = coordinatorEpoch
    this.#log = log
  }

  /** Of a transaction that was decided. `slot.finishing` resolves when it is complete. */
  start(slot: Slot): void {
    slot.finishing = this.#finish(slot).catch((cause) => {
      this.#log.error(`transaction '${slot.transaction.transactionalId}' cannot be completed before a restart`, cause)
    })
  }

  async #finish(slot: Slot): Promise<void> {
    await slot.durable
    const { producerId, producerEpoch, partitions, state } = slot.transaction
    const kind = state === 'PrepareCommit' ? 'commit' : 'abort'
    await Promise.all([...partitions.values()].map((at) => this.mark(at, { kind, producerId, producerEpoch })))
    await this.#store.saveAfter(slot, completed(slot.transaction, this.#clock.now()))
    slot.finishing = null
  }

  /** Resolves when the marker is durable or not needed any more. */
  async mark(at: TopicPartition, marker: Omit<TransactionMarker, 'coordinatorEpoch'>): Promise<void> {
    const { topic, partition } = at
    while (this.#partitions.partitionExists(topic, partition)) {
      try {
        await this.#partitions.appendMarker(topic, partition, { ...marker, coordinatorEpoch: this.#coordinatorEpoch })
        return
      } catch (cause) {
        this.#log.warn(`the end of a transaction could not be written to ${topic}-${partition}, trying again`, cause)
      }
      await this.#store.pause()
    }
  }
}
