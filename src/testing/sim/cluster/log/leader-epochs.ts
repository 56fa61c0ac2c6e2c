/** Where each leader epoch of a partition began. It tells a reader where its own history ends. */
import type { ErrorCode } from '../errors.ts'

export interface EpochEnd {
  readonly leaderEpoch: number
  readonly endOffset: number
}

export class LeaderEpochs {
  readonly #begins: { epoch: number; offset: number }[]
  #current = 0

  constructor(startsAt: number) {
    this.#begins = [{ epoch: 0, offset: startsAt }]
  }

  get current(): number {
    return this.#current
  }

  /** A new leader, from this log end on. An epoch that wrote nothing leaves no trace. */
  raise(logEnd: number): void {
    this.#current++
    this.truncate(logEnd)
    this.#begins.push({ epoch: this.#current, offset: logEnd })
  }

  truncate(logEnd: number): void {
    while (this.#begins.length > 0 && (this.#begins.at(-1)?.offset ?? 0) >= logEnd) this.#begins.pop()
  }

  /** What is wrong with the epoch that a client believes in; −1: it did not say. */
  check(believed: number): ErrorCode {
    if (believed < 0 || believed === this.#current) return 'NONE'
    return believed < this.#current ? 'FENCED_LEADER_EPOCH' : 'UNKNOWN_LEADER_EPOCH'
  }

  /** The largest epoch up to this one, and where it ended; −1/−1 for an epoch that is yet to come. */
  endOf(leaderEpoch: number, logEnd: number): EpochEnd {
    if (leaderEpoch > this.#current) return { leaderEpoch: -1, endOffset: -1 }
    if (leaderEpoch === this.#current) return { leaderEpoch, endOffset: logEnd }
    const next = this.#begins.findIndex(({ epoch }) => epoch > leaderEpoch)
    const endOffset = this.#begins[next]?.offset ?? logEnd
    return { leaderEpoch: this.#begins[next - 1]?.epoch ?? leaderEpoch, endOffset }
  }

  epochOf(offset: number): number {
    return this.#begins.findLast((begin) => begin.offset <= offset)?.epoch ?? this.#current
  }
}
