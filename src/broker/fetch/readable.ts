/**
 * What was acknowledged can be found. With acks=1 and the sync policy `always` a record is acknowledged before it is on the
 * disk, and readable only after. A Kafka of one node knows no such moment: whoever writes and then asks for the end counts on
 * the own record being before it. So that question waits for the sync that is under way.
 */
import type { PartitionLog } from '../log/partition-log.ts'

/** Everything appended until now is readable when this ends; undefined: it is already. */
export function whenReadable(log: PartitionLog): Promise<unknown> | undefined {
  // A log that was closed meanwhile, or whose disk failed, gets no further: then its end is where it is.
  return log.whenDurable(log.logEndOffset)?.catch((error: unknown) => error)
}
