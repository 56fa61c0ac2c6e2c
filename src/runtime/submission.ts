/** What the control plane picked, for engines and for those who only want its name. */
import type { Work as PickedWork, WorkId } from '../kernel/events.ts'
import { PickedWork as Picked } from '../kernel/work.ts'
import type { Work } from '../ports/engine.ts'

/** The control plane makes them as engines need them: the batches come from a log client, so they can give their records. */
export function toSubmissions(works: readonly PickedWork[]): readonly Work[] {
  return works as readonly Work[]
}

/** For those who bring work of their own to an engine: tests of engines. */
export function toSubmission({ topic, partition, offset, epoch, attempt, run, batch, index }: PickedWork): Work {
  return new Picked(topic, partition, offset, epoch, attempt, run as number, batch, index) as Work
}

/** Its name alone, without the batch it came in: what outlives the record. */
export function idOf({ topic, partition, offset, epoch, attempt, run }: PickedWork): WorkId {
  return { topic, partition, offset, epoch, attempt, run: run as number }
}
