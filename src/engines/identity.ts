/** What a completion echoes of its work. */
import type { WorkId } from '../kernel/events.ts'

export function identityOf({ topic, partition, offset, epoch, attempt, run }: WorkId): WorkId {
  // A literal with every field in one place: results of all kinds share one hidden class.
  return { topic, partition, offset, epoch, attempt, run: run as number }
}
