/**
 * Finds a broker, whichever, for questions that any of them can answer and for which none is at hand. Known nodes are tried
 * first, then the addresses that the user gave (KIP-899), one after the other; the next one after a moment even while the
 * last has not failed yet, for an address that swallows everything takes long to fail. Questions wait here until a broker is
 * found or their time is up: there is nowhere else to look.
 */
import type { Clock } from '../../ports/clock.ts'
import type { Holder, Job } from './job.ts'
import type { Link } from './link.ts'

/** How long an address may take before the next one is tried beside it. */
const headStartMs = 1_000

export class Seeker implements Holder {
  readonly #clock: Clock
  /** Where one could look, the best first. */
  readonly #candidates: () => readonly Link[]
  readonly #queue: Job[] = []
  #cancel: (() => void) | null = null

  constructor(clock: Clock, candidates: () => readonly Link[]) {
    this.#clock = clock
    this.#candidates = candidates
  }

  seek(job: Job): void {
    job.holder = this
    this.#queue.push(job)
    if (this.#cancel === null) this.#look()
  }

  /** A broker is there. */
  found(link: Link): void {
    this.#stop()
    for (const job of this.#queue.splice(0)) link.submit(job)
  }

  /** An address did not answer: on to the next. */
  missed(): void {
    if (this.#queue.length === 0) return
    const candidates = this.#candidates()
    const refusal = candidates.find(({ endpoint }) => endpoint.refusal !== null)?.endpoint.refusal ?? null
    if (refusal !== null && candidates.every(({ endpoint }) => endpoint.error !== null)) this.#refuseAll(refusal)
    else this.#look()
  }

  expired(job: Job): void {
    const at = this.#queue.indexOf(job)
    if (at >= 0) this.#queue.splice(at, 1)
    job.silence()
    if (this.#queue.length === 0) this.#stop()
  }

  close(): void {
    this.#stop()
    for (const job of this.#queue.splice(0)) job.silence()
  }

  #refuseAll(error: Error): void {
    this.#stop()
    for (const job of this.#queue.splice(0)) job.refuse(error)
  }

  #look(): void {
    this.#stop()
    const nowMs = this.#clock.now()
    let nextMs = nowMs + headStartMs
    for (const link of this.#candidates()) {
      if (link.isOpening) continue
      const { nextTryMs } = link.endpoint
      if (nextTryMs <= nowMs) {
        link.open()
        nextMs = nowMs + headStartMs
        break
      }
      nextMs = Math.min(nextMs, nextTryMs)
    }
    this.#cancel = this.#clock.at(nextMs, () => this.#look())
  }

  #stop(): void {
    this.#cancel?.()
    this.#cancel = null
  }
}
