/**
 * A user with restless hands: pause and resume of topics, partitions and keys, skip, seek, setConcurrency and commit() at
 * random moments of the safety phase. What was asked for is told to the ledger once it is taken, so that a handler that
 * starts all the same is noticed.
 *
 * Seeks stay within what a user may do without breaking the promise himself: back to finished records where they may run
 * twice, ahead where they may be left out, and not at all with exactly-once.
 */
import { laneKeyOf } from '../../../consumer/lane-key.ts'
import type { Control, Selection } from '../../../kernel/events.ts'
import { asPosition } from '../../../kernel/ids.ts'
import { FREE } from '../../../kernel/slots.ts'
import type { VirtualClock } from '../virtual-clock.ts'
import { type Ledger, Violation } from './ledger.ts'
import { INPUT_TOPIC, type SimProcess } from './process.ts'
import type { Scenario } from './scenario.ts'

export interface ControlTarget {
  processes(): readonly SimProcess[]
  logEndOf(partition: number): number
  note(line: string): void
}

/** A wish is taken in the next turn, and a batch that was started just before may still be decoding. */
const SETTLE_MS = 1

export class Controls {
  readonly #scenario: Scenario
  readonly #clock: VirtualClock
  readonly #ledger: Ledger
  readonly #target: ControlTarget
  readonly #random: () => number
  /** commit() calls without an answer. */
  readonly #asked: Map<number, SimProcess> = new Map()
  #next = 1

  constructor(scenario: Scenario, clock: VirtualClock, ledger: Ledger, target: ControlTarget) {
    this.#scenario = scenario
    this.#clock = clock
    this.#ledger = ledger
    this.#target = target
    this.#random = clock.stream('controls')
  }

  schedule(): void {
    for (let left = this.#scenario.faults.controls ?? 0; left > 0; left--) {
      this.#clock.at(this.#random() * this.#scenario.safetyMs, () => this.#any())
    }
  }

  /** The hands rest: whatever was paused goes on. */
  stop(): void {
    for (const process of this.#target.processes()) {
      const { runtime } = process.composed
      this.#ledger.resumed(process.name)
      runtime.control({ kind: 'resume', selection: { topic: INPUT_TOPIC } })
      for (const key of this.#keys()) {
        runtime.control({ kind: 'resume', selection: { topic: INPUT_TOPIC, key: laneKeyOf(key) } })
      }
      runtime.control({ kind: 'concurrency', limit: this.#concurrency() })
    }
  }

  /** I7 · every commit() of a process that lives is answered. */
  checkAnswered(): void {
    for (const process of this.#asked.values()) {
      if (process.clock.state === 'killed' || !this.#target.processes().includes(process)) continue
      throw new Violation('I7', `a commit() of ${process.name} was never answered`)
    }
  }

  #any(): void {
    const running = this.#target.processes().filter(({ clock, ended }) => clock.state !== 'killed' && !ended)
    const process = running[Math.floor(this.#random() * running.length)]
    if (process === undefined) return
    const dice = this.#random()
    if (dice < 0.25) this.#pause(process)
    else if (dice < 0.45) this.#resume(process)
    else if (dice < 0.7) this.#skip(process)
    else if (dice < 0.8) this.#seek(process)
    else if (dice < 0.9) this.#setConcurrency(process)
    else this.#commit(process)
  }

  #pause(process: SimProcess): void {
    const selection = this.#selection()
    this.#target.note(`${process.name} pauses ${JSON.stringify(selection)}`)
    const since = this.#ledger.wishes
    this.#steer(process, { kind: 'pause', selection }, () => {
      // Unless somebody resumed meanwhile.
      if (this.#ledger.wishes === since) this.#ledger.paused(process.name, selection.partition, selection.key)
    })
  }

  #resume(process: SimProcess): void {
    const selection = this.#selection()
    this.#target.note(`${process.name} resumes ${JSON.stringify(selection)}`)
    this.#ledger.resumed(process.name)
    this.#steer(process, { kind: 'resume', selection }, () => undefined)
  }

  #skip(process: SimProcess): void {
    const { slots, leases } = process.composed.runtime.state
    const used: number[] = []
    for (let slot = 0; slot < slots.capacity; slot++) if (slots.state[slot] !== FREE) used.push(slot)
    const slot = used[Math.floor(this.#random() * used.length)]
    if (slot === undefined) return
    const epoch = slots.epochOf(slot)
    const lease = leases.get(epoch)
    if (lease === undefined) return
    const { partition } = lease.home
    const offset = slots.offsetOf(slot)
    this.#target.note(`${process.name} skips ${partition}:${offset} (${slots.state[slot]})`)
    this.#steer(process, { kind: 'skip', topic: INPUT_TOPIC, partition, offset }, () => {
      if (leases.has(epoch)) this.#ledger.skipTaken(process.name, partition, offset)
    })
  }

  #seek(process: SimProcess): void {
    const { delivery, partitions } = this.#scenario
    const partition = Math.floor(this.#random() * partitions)
    const random = this.#random()
    const position = asPosition(this.#whereTo(partition, random))
    if (delivery === 'exactly-once') return
    this.#target.note(`${process.name} seeks ${partition} to ${position}`)
    // The first commit of the new lease goes out in the very step of the seek: what the old one knew ends here.
    const before = this.#ledger.claimsOf(process.name, partition)
    this.#ledger.leaseEnds(process.name, partition)
    process.composed.runtime.steer({ kind: 'seek', topic: INPUT_TOPIC, partition, position }).then(
      () => {
        // A new lease that believes in nothing but this position.
        if (process.clock.state !== 'killed')
          this.#ledger.leaseStarts(process.name, partition, {
            sinceMs: this.#clock.now(),
            position: 0,
            finished: new Set(),
          })
      },
      () => {
        if (before !== undefined && this.#ledger.claimsOf(process.name, partition) === undefined)
          this.#ledger.leaseStarts(process.name, partition, before)
      },
    )
  }

  #whereTo(partition: number, random: number): number {
    const entries = [...this.#ledger.entries(partition)].sort((a, b) => a.offset - b.offset)
    const end = this.#target.logEndOf(partition)
    if (this.#scenario.delivery === 'at-most-once') {
      const started = entries.findLast(({ starts }) => starts > 0)?.offset ?? (entries[0]?.offset ?? end) - 1
      const first = started + 1
      return first + Math.floor(random * (end - first + 1))
    }
    const first = entries[0]?.offset ?? end
    const open = entries.find(({ finished }) => !finished)?.offset ?? end
    return first + Math.floor(random * (open - first + 1))
  }

  #setConcurrency(process: SimProcess): void {
    const limit = 1 + Math.floor(this.#random() * this.#concurrency())
    this.#target.note(`${process.name} setConcurrency ${limit}`)
    process.composed.runtime.control({ kind: 'concurrency', limit })
  }

  #commit(process: SimProcess): void {
    const id = this.#next++
    this.#target.note(`${process.name} commit()`)
    this.#asked.set(id, process)
    const over = (): void => {
      this.#asked.delete(id)
    }
    process.composed.runtime.commit().then(over, over)
  }

  #steer(process: SimProcess, wish: Control, taken: () => void): void {
    process.composed.runtime.steer(wish).then(
      () => this.#clock.at(this.#clock.now() + SETTLE_MS, taken),
      () => undefined,
    )
  }

  #concurrency(): number {
    const { concurrency } = this.#scenario
    return typeof concurrency === 'number' ? concurrency : concurrency.max
  }

  #selection(): Selection {
    const dice = this.#random()
    const partition = Math.floor(this.#random() * this.#scenario.partitions)
    const keys = this.#keys()
    const key = keys[Math.floor(this.#random() * keys.length)]
    if (dice < 0.1) return { topic: INPUT_TOPIC }
    if (dice < 0.4 || key === undefined || this.#scenario.order !== 'key') return { topic: INPUT_TOPIC, partition }
    return dice < 0.6
      ? { topic: INPUT_TOPIC, key: laneKeyOf(key) }
      : { topic: INPUT_TOPIC, partition, key: laneKeyOf(key) }
  }

  #keys(): readonly string[] {
    const keys = new Set<string>()
    for (let partition = 0; partition < this.#scenario.partitions; partition++)
      for (const { key } of this.#ledger.entries(partition)) if (key !== null) keys.add(key)
    return [...keys]
  }
}
