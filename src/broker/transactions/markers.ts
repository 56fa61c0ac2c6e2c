/**
 * Writes the record that ends a transaction into a partition. In the partition of the groups' offsets a marker also decides
 * about the offsets that waited for it.
 */
import { errorCodes } from '../../protocol/errors.ts'
import { controlBatch } from '../../protocol/record-batch/control.ts'
import type { BrokerClock } from '../clock.ts'
import type { PartitionLog } from '../log/partition-log.ts'
import type { TransactionMarker } from './ports.ts'

export interface MarkerPorts {
  readonly clock: BrokerClock
  log(topic: string, partition: number): PartitionLog | undefined
  /** Called in the same step in which the marker is appended. */
  appended(topic: string, marker: TransactionMarker): void
}

export class MarkerWriter {
  readonly #ports: MarkerPorts
  /** For tests: topics whose markers wait, and what lets them go. */
  readonly #held = new Map<string, Promise<void>>()

  constructor(ports: MarkerPorts) {
    this.#ports = ports
  }

  /** Resolves to Kafka's error code when the marker is durable, or when there is nothing to be ended. */
  async append(topic: string, partition: number, marker: TransactionMarker): Promise<number> {
    await this.#held.get(topic)
    const log = this.#ports.log(topic, partition)
    if (log === undefined) return errorCodes.UNKNOWN_TOPIC_OR_PARTITION
    const batch = controlBatch({ ...marker, timestampMs: this.#ports.clock.now() })
    const result = log.append(batch, 'coordinator')
    if (result.kind === 'refused') return result.error
    this.#ports.appended(topic, marker)
    await log.whenDurable(result.lastOffset + 1)
    return errorCodes.NONE
  }

  /** For tests: a transaction that is decided but not yet ended in this topic. Returns what lets its markers go. */
  hold(topic: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#held.set(topic, promise)
    return () => {
      this.#held.delete(topic)
      resolve()
    }
  }
}
