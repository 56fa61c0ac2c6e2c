/**
 * The transactions in memory, and how they get into the state log. Every record is a whole transaction, so the last one
 * that became durable is all that a restart needs.
 *
 * Memory goes first: a decision counts for the next request at once, its own answer waits for the log. The end of the
 * marker phase is the exception (`saveAfter`): a new transaction must not begin before "complete" is durable, or a restart
 * would write the old markers again, behind records of the new transaction, and end that one too.
 * A record that could not be written is written again, as the transaction is by then, until it works or the broker stops.
 */
import { errorCodes } from '../../protocol/errors.ts'
import type { BrokerLog } from '../broker-log.ts'
import type { CoordinatorClock, StateLog, StateRecord } from './ports.ts'
import { decodeKey, decodeTransaction, encodeTransaction, tombstone } from './state-record.ts'
import type { Transaction } from './transaction.ts'

/** Where one transactional id lives, over all its transactions. */
export interface Slot {
  transaction: Transaction
  /** All that was decided so far is in the log. */
  durable: Promise<void>
  cancelTimeout: (() => void) | null
  /** The markers of the decision are being written; resolves when it is complete. */
  finishing: Promise<void> | null
}

const retryDelayMs = 500

export class TransactionStore {
  readonly #slots = new Map<string, Slot>()
  readonly #stateLog: StateLog
  readonly #clock: CoordinatorClock
  readonly #log: BrokerLog
  readonly #retries = new Set<() => void>()
  #isClosed = false

  constructor(stateLog: StateLog, clock: CoordinatorClock, log: BrokerLog) {
    this.#stateLog = stateLog
    this.#clock = clock
    this.#log = log
  }

  get(transactionalId: string): Slot | undefined {
    return this.#slots.get(transactionalId)
  }

  all(): Iterable<Slot> {
    return this.#slots.values()
  }

  /** Not durable until it is saved. */
  create(transaction: Transaction): Slot {
    const slot: Slot = { transaction, durable: Promise.resolve(), cancelTimeout: null, finishing: null }
    this.#slots.set(transaction.transactionalId, slot)
    return slot
  }

  replay(key: Buffer, value: Buffer | null): void {
    const transactionalId = decodeKey(key)
    if (transactionalId === null) return
    if (value === null) this.#slots.delete(transactionalId)
    else this.create(decodeTransaction(transactionalId, value))
  }

  /** Resolves with an error code when it is known whether the log has it. */
  async save(slot: Slot, next: Transaction): Promise<number> {
    slot.transaction = next
    const written = this.#append([encodeTransaction(next)])
    slot.durable = written.then((isWritten) => (isWritten ? undefined : this.#saveAgain(slot)))
    return (await written) ? errorCodes.NONE : errorCodes.COORDINATOR_NOT_AVAILABLE
  }

  /** The log first, then memory. Nothing else may change the slot meanwhile. */
  async saveAfter(slot: Slot, next: Transaction): Promise<void> {
    const record = encodeTransaction(next)
    while (!(await this.#append([record]))) await this.pause()
    slot.transaction = next
  }

  remove(transactionalIds: readonly string[]): Promise<unknown> {
    for (const transactionalId of transactionalIds) this.#slots.delete(transactionalId)
    // If this fails they come back with the next restart, and expire again.
    return this.#append(transactionalIds.map(tombstone))
  }

  /** Before another try. Never ends once the broker stops: whoever waits here has nothing more to do. */
  pause(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isClosed) return
      const cancel = this.#clock.timer(retryDelayMs, () => {
        this.#retries.delete(cancel)
        resolve()
      })
      this.#retries.add(cancel)
    })
  }

  close(): void {
    this.#isClosed = true
    for (const cancel of this.#retries) cancel()
    for (const slot of this.#slots.values()) slot.cancelTimeout?.()
  }

  async #saveAgain(slot: Slot): Promise<void> {
    do await this.pause()
    while (!(await this.#append([encodeTransaction(slot.transaction)])))
  }

  async #append(records: readonly StateRecord[]): Promise<boolean> {
    try {
      await this.#stateLog.append(records)
      return true
    } catch (cause) {
      this.#log.error('the transaction state log could not be written', cause)
      return false
    }
  }
}
