/**
 * What becomes of a batch after its request: delivered, sent again, split, given up. The sequence numbers of its lane are
 * kept right in every case.
 */
import { answeredWith } from '../cluster/answers.ts'
import { FanlaneError } from '../errors.ts'
import type { Clock } from '../ports/clock.ts'
import { errorCodes } from '../protocol/errors.ts'
import type { PartitionProduceResponse } from '../protocol/generated/00-produce.ts'
import type { Batch } from './batch.ts'
import type { Deadlines } from './deadlines.ts'
import type { Identities } from './identities.ts'
import type { Lane } from './lane.ts'
import type { Ticket } from './ticket.ts'
import { verdictOn } from './verdict.ts'

/** `response` null: silence. `error`: it could not be asked, and never will be. */
export type Fate = { readonly response: PartitionProduceResponse | null } | { readonly error: unknown }

/** `pause`: the lane rests before its next try. */
export type Next = { readonly kind: 'go on' | 'pause' }
const goOn: Next = { kind: 'go on' }
const pause: Next = { kind: 'pause' }

export interface SettlerParts {
  readonly clock: Clock
  readonly identities: Identities
  readonly deadlines: Deadlines
  /** So much room is free again. */
  readonly release: (bytes: number) => void
  readonly complete: (ticket: Ticket) => void
  readonly deliveryTimeoutMs: number
}

export class Settler {
  readonly #parts: SettlerParts

  constructor(parts: SettlerParts) {
    this.#parts = parts
  }

  settle(lane: Lane, batch: Batch, fate: Fate): Next {
    if ('error' in fate) return this.#fail(lane, batch, asError(fate.error), true)
    const { response } = fate
    if (response === null) return this.#again(lane, batch, true)
    const { errorCode } = response
    switch (verdictOn(errorCode)) {
      case 'stored':
        return this.#stored(lane, batch, errorCode === errorCodes.NONE ? Number(response.baseOffset) : -1)
      case 'again':
        return this.#again(lane, batch, false)
      case 'perhaps':
        return this.#again(lane, batch, true)
      case 'unwritable':
        return this.#unwritable(lane, batch, response)
      case 'order':
        return batch.wasFirst ? this.#lost(lane, batch, errorCode) : this.#outOfTurn(lane, batch)
      case 'lost':
        return this.#lost(lane, batch, errorCode)
      case 'refused':
        return this.#fail(lane, batch, errorOf(response), !batch.isUncertain)
      case 'unclear':
        return this.#fail(lane, batch, errorOf(response), false)
    }
  }

  /** Too old, wherever it is. One whose request is under way stays until that is answered, for the numbers' sake. */
  expire(lane: Lane, batch: Batch): void {
    this.give(lane, batch, timedOut(this.#parts.deliveryTimeoutMs, batch))
  }

  /** Its callers are told this error now. */
  give(lane: Lane, batch: Batch, error: FanlaneError): void {
    const queuedAt = lane.queue.indexOf(batch)
    if (queuedAt >= 0) {
      lane.queue.splice(queuedAt, 1)
      batch.isClosed = true
    } else if (batch.isSent) {
      this.#parts.deadlines.delete(batch)
      batch.isAbandoned = true
    } else {
      this.#leave(lane, batch, !batch.isUncertain)
    }
    batch.failed(error, this.#parts.complete)
    if (!batch.isAbandoned) this.#gone(batch)
  }

  #stored(lane: Lane, batch: Batch, baseOffset: number): Next {
    lane.stored(batch, this.#parts.clock.now())
    batch.delivered(lane.partition, baseOffset, this.#parts.complete)
    this.#gone(batch)
    return goOn
  }

  #again(lane: Lane, batch: Batch, isUncertain: boolean): Next {
    if (isUncertain) batch.isUncertain = true
    if (this.#isOver(lane, batch)) return goOn
    lane.waits(batch)
    return pause
  }

  /** Refused only because one before it was: it goes again when its turn comes. */
  #outOfTurn(lane: Lane, batch: Batch): Next {
    if (!this.#isOver(lane, batch)) lane.waits(batch)
    return goOn
  }

  #lost(lane: Lane, batch: Batch, code: number): Next {
    const error = this.#parts.identities.lost(lane, code)
    if (error !== null) return this.#fail(lane, batch, error, false)
    if (this.#isOver(lane, batch)) return goOn
    lane.waits(batch)
    return pause
  }

  #unwritable(lane: Lane, batch: Batch, response: PartitionProduceResponse): Next {
    if (this.#isOver(lane, batch)) return goOn
    const blamed = new Map<number, FanlaneError>()
    for (const { batchIndex, batchIndexErrorMessage } of response.recordErrors) {
      if (batchIndex >= 0 && batchIndex < batch.count) {
        blamed.set(
          batchIndex,
          answeredWith(response.errorCode, 'Produce', batchIndexErrorMessage ?? response.errorMessage),
        )
      }
    }
    // Too large together, or nobody says which: alone, the guilty one shows.
    if (blamed.size === 0 && batch.count === 1) return this.#fail(lane, batch, errorOf(response), true)
    const half = batch.count >> 1
    const parts = batch.divided(
      blamed.size > 0 ? (index) => (blamed.has(index) ? -1 : 0) : (index) => (index < half ? 0 : 1),
    )
    for (const [index, error] of blamed) batch.failedAt(index, error, this.#parts.complete)
    lane.replaced(batch, parts)
    const { deadlines, release } = this.#parts
    deadlines.delete(batch)
    for (const part of parts) deadlines.addPiece(part, lane)
    release(batch.cost - parts.reduce((sum, { cost }) => sum + cost, 0))
    return goOn
  }

  #fail(lane: Lane, batch: Batch, error: FanlaneError, isCertain: boolean): Next {
    this.#leave(lane, batch, isCertain)
    batch.failed(error, this.#parts.complete)
    this.#gone(batch)
    return goOn
  }

  /** Nobody waits for it any more. */
  #isOver(lane: Lane, batch: Batch): boolean {
    if (!batch.isAbandoned) return false
    this.#leave(lane, batch, !batch.isUncertain)
    this.#gone(batch)
    return true
  }

  #leave(lane: Lane, batch: Batch, isCertain: boolean): void {
    if (isCertain) lane.dropped(batch)
    else lane.unresolved(batch)
  }

  #gone(batch: Batch): void {
    this.#parts.deadlines.delete(batch)
    this.#parts.release(batch.cost)
  }
}

function errorOf({ errorCode, errorMessage }: PartitionProduceResponse): FanlaneError {
  return answeredWith(errorCode, 'Produce', errorMessage)
}

function asError(error: unknown): FanlaneError {
  if (error instanceof FanlaneError) return error
  return new FanlaneError(
    'PRODUCE_FAILED',
    `The records could not be sent: ${String(error)}. Look at the client's options, then send them again.`,
    { cause: error },
  )
}

export function timedOut(
  timeoutMs: number,
  { isUncertain, isSent }: { isUncertain: boolean; isSent: boolean },
): FanlaneError {
  const where =
    isUncertain || isSent ? 'It was sent, but not answered: it may be in the log.' : 'It is certainly not in the log.'
  return new FanlaneError(
    'DELIVERY_TIMEOUT',
    `The record was not acknowledged within deliveryTimeoutMs (${timeoutMs}). ${where} Look whether the brokers can be reached.`,
    { retriable: true },
  )
}
