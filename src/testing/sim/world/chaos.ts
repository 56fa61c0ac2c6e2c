/** What goes wrong from outside: processes die, sleep and come back, join and leave; coordinators and leaders move. */
import type { SimCluster } from '../cluster/sim-cluster.ts'
import type { VirtualClock } from '../virtual-clock.ts'
import { GROUP, type SimProcess } from './process.ts'
import type { Scenario } from './scenario.ts'

export interface ChaosTarget {
  processes(): readonly SimProcess[]
  startProcess(): void
  crash(process: SimProcess): void
  leave(process: SimProcess): void
  compact(random: () => number): void
  /** The log of a partition loses its end, and other records take the offsets. */
  truncate(random: () => number): void
  elect(random: () => number): void
  note(line: string): void
}

/** More would only make a run slow. */
const PROCESSES_MAX = 5

export class Chaos {
  readonly #scenario: Scenario
  readonly #clock: VirtualClock
  readonly #cluster: SimCluster
  readonly #target: ChaosTarget
  readonly #random: () => number
  /** A stream of its own: the rest of a seed is what it was before there were elections. */
  readonly #votes: () => number

  constructor(scenario: Scenario, clock: VirtualClock, cluster: SimCluster, target: ChaosTarget) {
    this.#scenario = scenario
    this.#clock = clock
    this.#cluster = cluster
    this.#target = target
    this.#random = clock.stream('chaos')
    this.#votes = clock.stream('elections')
  }

  schedule(): void {
    const { faults } = this.#scenario
    this.#times(faults.crashes, () => this.#crash())
    this.#times(faults.zombies, () => this.#freeze())
    this.#times(faults.churn, () => this.#churn())
    this.#times(faults.compactions, () => {
      this.#target.compact(this.#random)
      // Whoever comes next starts from a map whose open records are gone.
      if (this.#scenario.faults.crashes > 0 && this.#random() < 0.5)
        for (const process of this.#target.processes()) this.#kill(process)
    })
    this.#times(faults.truncations, () => this.#truncate())
    this.#times(faults.liveTruncations ?? 0, () => this.#target.truncate(this.#votes), this.#votes)
    this.#times(faults.coordinatorMoves, () => {
      this.#target.note('coordinator moves')
      this.#cluster.moveCoordinator(
        this.#clock.now(),
        this.#random() < 0.5 ? 'group' : 'transaction',
        this.#random() * 100,
      )
    })
    this.#times(faults.elections ?? 0, () => this.#target.elect(this.#votes), this.#votes)
    this.#times(faults.expiredSessions, () => {
      this.#target.note('session expires')
      const members = this.#cluster.groupState(GROUP)?.members ?? []
      const member = members[Math.floor(this.#random() * members.length)]
      if (member !== undefined) this.#cluster.expireSession(this.#clock.now(), GROUP, member)
    })
  }

  /** At random moments of the safety phase. */
  #times(count: number, event: () => void, random: () => number = this.#random): void {
    for (let left = count; left > 0; left--) this.#clock.at(random() * this.#scenario.safetyMs, event)
  }

  #any(): SimProcess | undefined {
    const running = this.#target.processes().filter(({ clock, ended }) => clock.state === 'running' && !ended)
    return running[Math.floor(this.#random() * running.length)]
  }

  #crash(): void {
    const process = this.#any()
    if (process !== undefined) this.#kill(process)
  }

  #kill(process: SimProcess): void {
    this.#target.crash(process)
    this.#clock.at(this.#clock.now() + this.#random() * 600, () => this.#target.startProcess())
  }

  /** While nobody is there; they come back a little later. */
  #truncate(): void {
    const before = this.#target.processes().length
    for (const process of this.#target.processes()) this.#target.crash(process)
    this.#target.truncate(this.#random)
    for (let count = 0; count < Math.max(1, before); count++) {
      this.#clock.at(this.#clock.now() + 50 + this.#random() * 300, () => this.#target.startProcess())
    }
  }

  #freeze(): void {
    const process = this.#any()
    if (process === undefined) return
    const ms = 200 + this.#random() * 2_200
    this.#target.note(`freeze ${process.name} for ${ms.toFixed(0)}`)
    process.clock.freeze()
    this.#clock.at(this.#clock.now() + ms, () => {
      this.#target.note(`thaw ${process.name}`)
      process.clock.thaw()
    })
  }

  #churn(): void {
    const process = this.#any()
    const leave = this.#random() < 0.5 || this.#target.processes().length >= PROCESSES_MAX
    if (leave && process !== undefined && this.#target.processes().length > 1) this.#target.leave(process)
    else if (!leave) this.#target.startProcess()
  }
}
