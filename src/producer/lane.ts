/**
 * One partition's line of batches, and the count of its sequence numbers. What always holds:
 * - batches in flight are in sequence order, without a gap between them; behind them wait those without a number;
 * - a batch that has to be sent again goes before everything else, alone and first, so that order is kept;
 * - until the broker has acknowledged something of an identity there is one batch in flight: a broker takes any number
 *   as the beginning of a producer that it does not know, so a second one could take the place of a lost first;
 * - who counts on: a batch that is certainly not in gives its numbers to those behind it. If nobody knows whether it is
 *   in, nobody knows the next number either: then the count begins anew, under a new epoch.
 */
import type { Batch } from './batch.ts'
import type { ProducerIdentity } from './identity.ts'
import type { Outgoing } from './record.ts'

/** What has to happen before anything more is sent. */
export type Renewal = 'none' | 'epoch' | 'identity'

/** After so long a broker may have forgotten us. */
const forgottenMs = 60_000
const sequenceSpan = 2 ** 31

export class Lane {
  readonly topic: string
  readonly partition: number
  readonly key: string
  /** Not sent yet; the last one may be open. */
  readonly queue: Batch[] = []
  /** Sent at least once and not settled. */
  readonly inFlight: Batch[] = []
  renewal: Renewal = 'none'
  retryAtMs = 0
  /** What a batch needs, as far as the last one tells. */
  expectedBytes = 0
  #identity: ProducerIdentity | null = null
  #nextSequence = 0
  #nextOrdinal = 0
  /** In flight and not answered. */
  #sent = 0
  #isKnown = false
  #lastAckMs = Number.NEGATIVE_INFINITY
  /** The first number that nobody knows about; null: there is none. */
  #gapAt: number | null = null

  constructor(topic: string, partition: number) {
    this.topic = topic
    this.partition = partition
    this.key = `${topic}-${partition}`
  }

  get identity(): ProducerIdentity | null {
    return this.#identity
  }

  get isUnanswered(): boolean {
    return this.#sent > 0
  }

  get isIdle(): boolean {
    return this.inFlight.length === 0
  }

  /** The batch that a record can be added to. */
  open(record: Outgoing): Batch | null {
    const last = this.queue.at(-1)
    if (last === undefined) return null
    if (last.hasRoomFor(record)) return last
    last.isClosed = true
    return null
  }

  /** What may be sent now; null: nothing, or not before something changes. */
  candidate(nowMs: number, windowMax: number, isUrgent: boolean): Batch | null {
    if (this.renewal !== 'none' || nowMs < this.retryAtMs) return null
    const [first] = this.inFlight
    if (first !== undefined && !first.isSent) return first
    // Somebody behind the first one waits for it: nobody overtakes.
    if (this.inFlight.length > this.#sent) return null
    const [next] = this.queue
    if (next === undefined) return null
    if (!isUrgent && this.lingersUntil(nowMs) !== null) return null
    if (this.#gapAt !== null) {
      if (first === undefined) this.renewal = 'epoch'
      return null
    }
    const isKnown = this.#isKnown && nowMs - this.#lastAckMs < forgottenMs
    // Counted from the first that is not settled: a broker that has seen more since would not recognise it again.
    const span = first === undefined ? 0 : this.#nextOrdinal - first.ordinal
    return span < (isKnown ? windowMax : 1) ? next : null
  }

  /** The only batch that waits may still grow; null: it may not, or there is none. */
  lingersUntil(nowMs: number): number | null {
    const [next] = this.queue
    if (next === undefined || next.isClosed || this.queue.length > 1 || nowMs >= next.lingerUntilMs) return null
    return next.lingerUntilMs
  }

  sending(batch: Batch): void {
    if (this.queue[0] === batch) {
      this.queue.shift()
      batch.isClosed = true
      if (this.#identity !== null) {
        batch.sequence = this.#nextSequence
        this.#nextSequence = moved(this.#nextSequence, batch.count)
      }
      batch.ordinal = this.#nextOrdinal++
      this.inFlight.push(batch)
    }
    batch.isSent = true
    batch.wasFirst = this.inFlight[0] === batch
    batch.tries++
    this.#sent++
  }

  stored(batch: Batch, nowMs: number): void {
    this.#remove(batch)
    this.#isKnown = true
    this.#lastAckMs = nowMs
    this.expectedBytes = batch.rawBytes
    // It is in, so everything before it is.
    if (this.#gapAt !== null && distance(this.#gapAt, batch.sequence) < sequenceSpan / 2) this.#gapAt = null
  }

  /** It has to be sent again. */
  waits(batch: Batch): void {
    this.#answered(batch)
  }

  /** It leaves, and is certainly not in the log: then nothing behind it is either. */
  dropped(batch: Batch): void {
    const at = this.#remove(batch)
    this.#shift(at, -batch.count)
  }

  /** It leaves, and may be in the log. */
  unresolved(batch: Batch): void {
    this.#remove(batch)
    if (batch.sequence >= 0) this.#gapAt ??= batch.sequence
  }

  /** Others take its place and its numbers; it is certainly not in the log. */
  replaced(batch: Batch, parts: readonly Batch[]): void {
    const at = this.#remove(batch)
    let { sequence } = batch
    let count = 0
    for (const part of parts) {
      part.tries = batch.tries
      part.ordinal = batch.ordinal
      part.sequence = sequence
      if (sequence >= 0) sequence = moved(sequence, part.count)
      count += part.count
    }
    this.inFlight.splice(at, 0, ...parts)
    this.#shift(at + parts.length, count - batch.count)
  }

  /** Counts from 0 as somebody else. Not while anything is unanswered: it would be written twice. */
  renew(identity: ProducerIdentity | null): void {
    this.#identity = identity
    this.renewal = 'none'
    this.#isKnown = false
    this.#gapAt = null
    this.#nextSequence = 0
    for (const batch of this.inFlight) {
      batch.sequence = identity === null ? -1 : this.#nextSequence
      this.#nextSequence = moved(this.#nextSequence, batch.count)
    }
  }

  #answered(batch: Batch): void {
    if (!batch.isSent) return
    batch.isSent = false
    this.#sent--
  }

  #remove(batch: Batch): number {
    this.#answered(batch)
    const at = this.inFlight.indexOf(batch)
    this.inFlight.splice(at, 1)
    return at
  }

  #shift(from: number, by: number): void {
    if (by === 0 || this.#identity === null) return
    for (let at = from; at < this.inFlight.length; at++) {
      const batch = this.inFlight[at] as Batch
      batch.sequence = moved(batch.sequence, by)
    }
    this.#nextSequence = moved(this.#nextSequence, by)
  }
}

/** Sequence numbers wrap to 0 after 2³¹ − 1. */
function moved(sequence: number, by: number): number {
  return (((sequence + by) % sequenceSpan) + sequenceSpan) % sequenceSpan
}

function distance(from: number, to: number): number {
  return moved(to, -from)
}
