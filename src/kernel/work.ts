/** One execution of one record, as engines get it. A class, so that the getter costs nothing for each: the record is made when it is asked for. */
import type { FetchedBatch, Work } from './events.ts'
import type { Epoch, Offset } from './ids.ts'

export class PickedWork implements Work {
  readonly topic: string
  readonly partition: number
  readonly offset: Offset
  readonly epoch: Epoch
  readonly attempt: number
  readonly run: number
  readonly batch: FetchedBatch
  readonly index: number

  constructor(
    topic: string,
    partition: number,
    offset: Offset,
    epoch: Epoch,
    attempt: number,
    run: number,
    batch: FetchedBatch,
    index: number,
  ) {
    this.topic = topic
    this.partition = partition
    this.offset = offset
    this.epoch = epoch
    this.attempt = attempt
    this.run = run
    this.batch = batch
    this.index = index
  }

  /** The control plane never looks at it. */
  get record(): unknown {
    return this.batch.record?.(this.index)
  }
}
