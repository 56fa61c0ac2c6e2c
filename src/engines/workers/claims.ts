/**
 * Who has begun what: a note that outlives its worker. A worker says so before it enters a handler, in a way that does not
 * depend on its event loop and that a sudden death does not undo. So when a worker is gone, it is known which records never
 * began (they run elsewhere as if nothing had happened) and which may be to blame.
 *
 * Calls begin in the order in which they were sent. `isStarted` never says no of one that has begun; a file is written for
 * several light calls at a time, so it may say yes of a few that have not.
 */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The side of the engine. */
export interface Claims {
  /** This call is on its way. */
  sent(call: number): void
  /** Take back a call that has not begun. False: it has, or nobody can tell. */
  takeBack(call: number): boolean
  isStarted(call: number): boolean
  /** It is done, with nothing to send, although its worker had no time to say so yet. False: not, or nobody can tell. */
  isDone(call: number): boolean
  /** How many calls were waiting for a promise or for their deferred end when the last one began. */
  pending(): number
  /** The last call that `isStarted` names is the last one that began. */
  isExact(): boolean
  close(): void
}

/** The side of the worker. */
export interface Claimant {
  /** Begin this call. False: it was taken back. */
  claim(call: number, pending: number, lightness: number): boolean
  /** This call of one record is done, and has nothing to send. */
  done(call: number): void
}

// Threads: shared memory. Either side wins a call by an atomic exchange. ---------------------------------------------

/** Above the calls that may wait in a worker unbegun; whatever was sent so many before has begun. */
const RING = 4_096
const PENDING = RING
const GONE = 0
const SENT = 1
const STARTED = 2
const DONE = 3
/** A call that ends after so many others have begun is old: its cell may soon be another's. */
const OLD = 1_024

export class SharedClaims implements Claims {
  readonly memory: SharedArrayBuffer = new SharedArrayBuffer((RING + 1) * 4)
  readonly #cells: Int32Array = new Int32Array(this.memory)
  #newest = -1

  sent(call: number): void {
    this.#newest = call
    Atomics.store(this.#cells, call % RING, SENT)
  }

  takeBack(call: number): boolean {
    if (this.#newest - call >= RING) return false
    return Atomics.compareExchange(this.#cells, call % RING, SENT, GONE) === SENT
  }

  isStarted(call: number): boolean {
    return this.#newest - call >= RING || Atomics.load(this.#cells, call % RING) >= STARTED
  }

  isDone(call: number): boolean {
    return this.#newest - call < RING && Atomics.load(this.#cells, call % RING) === DONE
  }

  pending(): number {
    return Atomics.load(this.#cells, PENDING)
  }

  isExact(): boolean {
    return true
  }

  close(): void {
    // Memory goes with its last user.
  }
}

export class SharedClaimant implements Claimant {
  readonly #cells: Int32Array
  #newest = -1

  constructor(memory: SharedArrayBuffer) {
    this.#cells = new Int32Array(memory)
  }

  claim(call: number, pending: number): boolean {
    this.#newest = call
    Atomics.store(this.#cells, PENDING, pending)
    return Atomics.compareExchange(this.#cells, call % RING, SENT, STARTED) === SENT
  }

  done(call: number): void {
    if (this.#newest - call < OLD) Atomics.compareExchange(this.#cells, call % RING, STARTED, DONE)
  }
}

// Processes: a file without a name, open on both sides. --------------------------------------------------------------

/** The last call that may have begun, the pending ones, and for how many calls this was written. */
const NOTE_BYTES = 24

export class FileClaims implements Claims {
  /** For the child to inherit. */
  readonly fd: number
  readonly #note: Buffer = Buffer.alloc(NOTE_BYTES)
  #isOpen = true

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'fanlane-worker-'))
    this.fd = openSync(join(folder, 'note'), 'w+', 0o600)
    // Nobody else needs its name, and nothing is left behind however we end.
    rmSync(folder, { recursive: true })
    this.#note.writeDoubleLE(-1, 0)
    writeSync(this.fd, this.#note, 0, NOTE_BYTES, 0)
  }

  sent(_call: number): void {
    // A worker goes by what it is sent.
  }

  takeBack(_call: number): boolean {
    return false
  }

  isStarted(call: number): boolean {
    return call <= this.#read(0)
  }

  isDone(_call: number): boolean {
    return false
  }

  pending(): number {
    return this.#read(8)
  }

  isExact(): boolean {
    return this.#read(16) === 1
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    closeSync(this.fd)
  }

  #read(at: number): number {
    if (this.#isOpen) readSync(this.fd, this.#note, 0, NOTE_BYTES, 0)
    return this.#note.readDoubleLE(at)
  }
}

/** A write costs about a microsecond: light calls share one, which then says "up to here, perhaps". */
const TOGETHER_MAX = 32

export class FileClaimant implements Claimant {
  readonly #fd: number
  readonly #note: Buffer = Buffer.alloc(NOTE_BYTES)
  #upTo = -1
  #pending = -1

  constructor(fd: number) {
    this.#fd = fd
  }

  /** Lightness: how many calls like the last ones fit into the time in which a write costs nothing. */
  claim(call: number, pending: number, lightness: number): boolean {
    if (call <= this.#upTo && pending === this.#pending) return true
    this.#upTo = Math.max(this.#upTo, call + Math.max(1, Math.min(TOGETHER_MAX, lightness)) - 1)
    this.#note.writeDoubleLE(this.#upTo - call + 1, 16)
    this.#pending = pending
    this.#note.writeDoubleLE(this.#upTo, 0)
    this.#note.writeDoubleLE(pending, 8)
    writeSync(this.#fd, this.#note, 0, NOTE_BYTES, 0)
    return true
  }

  done(_call: number): void {
    // One write more for each record would cost more than it is worth.
  }
}
