/** Work as engines see it: what the control plane picked, and the record at hand. */
import type { Work as PickedWork, WorkId } from '../kernel/events.ts'
import type { Epoch, Offset } from '../kernel/ids.ts'
import type { Work } from '../ports/engine.ts'
import type { RawRecord, RecordBatch } from '../ports/log-client.ts'

/** A class, so that the getter costs nothing per piece: the record is made when it is asked for. */
class Submission implements Work {
  readonly topic: string
  readonly partition: number
  readonly offset: Offset
  readonly epoch: Epoch
  readonly attempt: number
  readonly run: number
  readonly batch: RecordBatch
  readonly index: number

  constructor(work: PickedWork) {
    this.topic = work.topic
    this.partition = work.partition
    this.offset = work.offset
    this.epoch = work.epoch
    this.attempt = work.attempt
    this.run = work.run as number
    this.batch = work.batch as RecordBatch
    this.index = work.index
  }

  get record(): RawRecord {
    return this.batch.record(this.index)
  }
}

export function toSubmission(work: PickedWork): Work {
  return new Submission(work)
}

/** Its name alone, without the batch it came in: what outlives the record. */
export function idOf({ topic, partition, offset, epoch, attempt, run }: PickedWork): WorkId {
  return { topic, partition, offset, epoch, attempt, run: run as number }
}
