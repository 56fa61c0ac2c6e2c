/** An independent reader of the output and dead-letter topics: what is written there finishes records in the ledger. */

import type { Clock } from '../../../ports/clock.ts'
import type { SimCluster } from '../cluster/sim-cluster.ts'
import { OUTPUT_TOPIC } from './handlers.ts'
import type { Ledger } from './ledger.ts'
import { unpadded } from './padding.ts'
import { INPUT_TOPIC } from './process.ts'
import type { Scenario } from './scenario.ts'

export const OUTPUT_PARTITIONS = 2
export const DEAD_LETTER_TOPIC: string = `${INPUT_TOPIC}.dlq`

export class LogReader {
  readonly #cluster: SimCluster
  readonly #ledger: Ledger
  readonly #clock: Clock
  readonly #transactional: boolean

  constructor(scenario: Scenario, cluster: SimCluster, ledger: Ledger, clock: Clock) {
    this.#cluster = cluster
    this.#ledger = ledger
    this.#clock = clock
    this.#transactional = scenario.delivery === 'exactly-once'
  }

  /** Mark records as finished whose outputs or dead letters are written. */
  refresh(): void {
    // Exactly-once: handled is finished, and what became of the outputs is compared as a whole at the end.
    if (this.#transactional) return
    for (const values of this.committedOutputs()) for (const value of values) this.#finish(value, true)
    for (const source of this.deadLetters()) this.#finish(source, false)
  }

  /** The name of the source of every dead letter. */
  deadLetters(): readonly string[] {
    return this.#cluster.readCommitted(DEAD_LETTER_TOPIC, 0).map(({ headers, value }) => {
      const header = (name: string): string => headers?.find(({ key }) => key === name)?.value ?? ''
      return `${header('fanlane-source-partition')}:${header('fanlane-source-offset')}:${unpadded(String(value))}`
    })
  }

  /** The name of the source of every output, as a read_committed reader sees them. */
  committedOutputs(): readonly (readonly string[])[] {
    return Array.from({ length: OUTPUT_PARTITIONS }, (_, partition) =>
      this.#cluster.readCommitted(OUTPUT_TOPIC, partition).map(({ value }) => String(value)),
    )
  }

  #finish(source: string, needsHandled: boolean): void {
    const [partition = -1, offset = -1] = source.split(':').map(Number)
    const entry = this.#ledger.entry(partition, offset)
    if (entry?.name === source && (entry.handled || !needsHandled)) this.#ledger.finished(entry, this.#clock.now())
  }
}
