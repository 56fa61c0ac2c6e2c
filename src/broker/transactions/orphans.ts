/**
 * After a crash: transactions that are open in the log of a partition although the coordinator's log does not say that
 * this partition belongs to one.
 *
 * The sequence: a write adds its partition, and both records are on their way to the disk; the batch gets there, then the
 * power fails. The transaction was undecided then, because a decision stands behind the addition in the same log. So if
 * the producer still holds its epoch, the partition is added now, and the client can go on as if nothing had happened.
 * If it does not, nobody will ever end that transaction: it is aborted.
 */
import type { OpenTransaction } from './ports.ts'
import type { Slot } from './store.ts'
import { added, isHalfEnded, keyOf, type Transaction } from './transaction.ts'

export interface Orphans {
  /** What their transactions become. */
  readonly adopted: ReadonlyMap<Slot, Transaction>
  readonly abandoned: readonly OpenTransaction[]
}

export function adopt(open: Iterable<OpenTransaction>, slots: Iterable<Slot>, nowMs: number): Orphans {
  const owners = new Map<number, Slot>()
  for (const slot of slots) owners.set(slot.transaction.producerId, slot)
  const adopted = new Map<Slot, Transaction>()
  const abandoned: OpenTransaction[] = []
  for (const orphan of open) {
    const slot = owners.get(orphan.producerId)
    const transaction = slot === undefined ? undefined : (adopted.get(slot) ?? slot.transaction)
    if (slot !== undefined && transaction?.partitions.has(keyOf(orphan))) continue
    if (slot === undefined || transaction === undefined || !mayGoOn(transaction, orphan)) {
      abandoned.push(orphan)
      continue
    }
    const { topic, partition } = orphan
    adopted.set(slot, added(transaction, [{ topic, partition }], transaction.clientVersion, nowMs))
  }
  return { adopted, abandoned }
}

function mayGoOn(transaction: Transaction, { producerEpoch }: OpenTransaction): boolean {
  return transaction.producerEpoch === producerEpoch && !isHalfEnded(transaction)
}
