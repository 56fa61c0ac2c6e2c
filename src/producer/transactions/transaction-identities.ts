/**
 * Who the lanes of a transactional producer write as. One identity for all of them, given by the transaction coordinator;
 * where the flow asks for it, a partition is added to the transaction before the first batch goes there.
 */
import type { FanlaneError } from '../../errors.ts'
import type { Identities, ProduceFlow } from '../identities.ts'
import type { ProducerIdentity } from '../identity.ts'
import type { Lane } from '../lane.ts'
import { type PartitionName, produceVersion, type TransactionFlow } from './requests.ts'

export interface TransactionIdentitiesParts {
  readonly transactionalId: string
  readonly wake: (lanes: Iterable<Lane>) => void
  /** Adds partitions to the transaction that is open. False: it cannot go on. */
  readonly add: (partitions: readonly PartitionName[]) => Promise<boolean>
  /** Why the transaction cannot go on after this answer. */
  readonly lost: (code: number) => FanlaneError
  /** A lane has batches that cannot be sent in this transaction any more. */
  readonly stuck: () => void
  /** Something of this transaction goes out. */
  readonly onWrite: () => void
}

interface Open {
  readonly identity: ProducerIdentity
  readonly flow: TransactionFlow
}

export class TransactionIdentities implements Identities {
  readonly keepsOrder = true
  readonly #parts: TransactionIdentitiesParts
  readonly #added: Set<Lane> = new Set()
  readonly #toAdd: Set<Lane> = new Set()
  #open: Open | null = null
  #isAdding = false

  constructor(parts: TransactionIdentitiesParts) {
    this.#parts = parts
  }

  begin(identity: ProducerIdentity, flow: TransactionFlow): void {
    this.#open = { identity, flow }
    this.#added.clear()
    this.#toAdd.clear()
  }

  end(): void {
    this.#open = null
  }

  prepare(lane: Lane): boolean {
    if (this.#open === null) return false
    const { identity, flow } = this.#open
    if (lane.identity !== identity) {
      // What is in flight belongs to the transaction before.
      if (!lane.isIdle) return false
      lane.renew(identity)
    }
    if (lane.renewal !== 'none') {
      this.#parts.stuck()
      return false
    }
    if (flow === 'explicit' && !this.#added.has(lane)) {
      this.#toAdd.add(lane)
      return false
    }
    this.#parts.onWrite()
    return true
  }

  flush(): void {
    if (this.#toAdd.size === 0 || this.#isAdding) return
    this.#isAdding = true
    const lanes = [...this.#toAdd]
    this.#toAdd.clear()
    const open = this.#open
    void this.#parts.add(lanes.map(({ topic, partition }) => ({ topic, partition }))).then((isAdded) => {
      this.#isAdding = false
      if (!isAdded || this.#open !== open) return
      for (const lane of lanes) this.#added.add(lane)
      this.#parts.wake([...lanes, ...this.#toAdd])
    })
  }

  lost(_lane: Lane, code: number): FanlaneError {
    return this.#parts.lost(code)
  }

  frame(): ProduceFlow {
    const flow = this.#open?.flow ?? 'explicit'
    return { transactionalId: this.#parts.transactionalId, maxVersion: produceVersion(flow) }
  }
}
