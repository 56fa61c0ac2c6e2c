/**
 * One simulated run: a cluster, a network, a few processes, a workload, and things that go wrong. First a safety phase
 * with faults, in which nothing untrue may happen; then the faults stop, and everything must come to its end.
 */

import { isEmpty } from '../../../kernel/budget.ts'
import type { TopicPartition } from '../../../kernel/ids.ts'
import { decodeMap } from '../../../kernel/offset-map/index.ts'
import { SimCluster } from '../cluster/sim-cluster.ts'
import { VirtualClock } from '../virtual-clock.ts'
import { Chaos } from './chaos.ts'
import { Controls } from './controls.ts'
import { OUTPUT_TOPIC } from './handlers.ts'
import { type Entry, Ledger, Violation } from './ledger.ts'
import { DEAD_LETTER_TOPIC, LogReader, OUTPUT_PARTITIONS } from './log-reader.ts'
import { Network } from './network.ts'
import { checkApplied, checkIssued, checkOutputs, hasRoomForMaps } from './oracles.ts'
import { GROUP, INPUT_TOPIC, SimProcess, type UserOptions } from './process.ts'
import { type Faults, NO_FAULTS, type Scenario } from './scenario.ts'
import { Trace } from './trace.ts'
import { verifyCounters, verifyRest } from './verify.ts'
import { offsetsOf } from './watched-client.ts'
import { strangeCommits, Workload } from './workload.ts'

/** Simulated time in which everything must end after the faults have stopped. */
const LIVENESS_MS = 60_000

/** A run has about a thousand. */
const EVENTS_MAX = 100_000

export interface SimResult {
  readonly scenario: Scenario
  readonly violation: Violation | null
  /** The same seed must give the same hash. */
  readonly hash: string
  readonly events: number
  readonly simulatedMs: number
  readonly trace: readonly string[]
}

export interface RunOptions {
  /** Keep the last so many lines of what happened. */
  readonly traceLines?: number
  /** Options and handler of a user, instead of those of the scenario. */
  readonly consume?: UserOptions
  /** Key and value of the n-th record. */
  readonly input?: (index: number) => { readonly key: string | null; readonly value: string }
}

export async function runScenario(scenario: Scenario, options: RunOptions = {}): Promise<SimResult> {
  const world = new World(scenario, options)
  await world.run()
  return world.result()
}

class World {
  readonly #scenario: Scenario
  readonly #clock: VirtualClock
  readonly #cluster: SimCluster
  readonly #network: Network
  readonly #ledger: Ledger
  readonly #reader: LogReader
  readonly #trace: Trace
  readonly #processes: Map<string, SimProcess> = new Map()
  readonly #options: RunOptions
  /** Partition → where its log was cut, and the leader epoch since. */
  readonly #truncations: Map<number, { readonly epoch: number; readonly offset: number }> = new Map()
  #workload: Workload | null = null
  #faults: Faults
  #violation: Violation | null = null
  #nextProcess = 1

  constructor(scenario: Scenario, options: RunOptions) {
    this.#scenario = scenario
    this.#faults = scenario.faults
    this.#options = options
    this.#clock = new VirtualClock(scenario.seed)
    this.#trace = new Trace(this.#clock, options.traceLines ?? 0)
    this.#cluster = new SimCluster({
      topics: {
        [INPUT_TOPIC]: { partitions: scenario.partitions, logStartsAt: scenario.logStartsAt },
        [DEAD_LETTER_TOPIC]: 1,
        [OUTPUT_TOPIC]: OUTPUT_PARTITIONS,
      },
      metadataMaxChars: scenario.metadataMaxChars,
      sessionTimeoutMinMs: 100,
      markerDelayMs: this.#markerDelay(),
    })
    this.#network = new Network(this.#clock, this.#cluster, scenario, this.#trace)
    this.#ledger = new Ledger(scenario, (violation) => this.#fail(violation))
    this.#network.onCommit = (sender, partition, offset) => this.#ledger.checkSent(sender, partition, offset)
    this.#reader = new LogReader(scenario, this.#cluster, this.#ledger, this.#clock)
    this.#ledger.refresh = () => this.#reader.refresh()
    this.#cluster.onCommitted((commit) => {
      if (commit.topic !== INPUT_TOPIC) return
      this.#trace.add(`committed ${commit.partition}:${commit.offset} ${commit.metadata.length} chars`)
      this.#reader.refresh()
      const isOutdated = this.#isOutdated(commit.partition, commit)
      const applied = { ...commit, isOutdated, logEnd: this.#logEnd(commit.partition) }
      this.#guard(() => checkApplied(scenario, this.#ledger, applied))
    })
  }

  /** Markers take their time: a committed transaction becomes visible piece by piece. */
  #markerDelay(): () => number {
    const random = this.#clock.stream('markers')
    return () => (random() < 0.7 ? 0 : random() * 40)
  }

  async run(): Promise<void> {
    const { safetyMs, instances } = this.#scenario
    const workload = new Workload(this.#scenario, this.#clock, this.#cluster, this.#ledger, this.#options.input)
    this.#workload = workload
    workload.fill(this.#network)
    if (this.#faults.strangeMetadata) strangeCommits(this.#scenario, this.#clock, this.#cluster)
    for (let count = 0; count < instances; count++) this.startProcess()
    new Chaos(this.#scenario, this.#clock, this.#cluster, this).schedule()
    const controls = new Controls(this.#scenario, this.#clock, this.#ledger, this)
    controls.schedule()
    await this.#until(() => this.#clock.now() >= safetyMs, safetyMs)
    controls.stop()
    if (this.#violation !== null) return
    this.#faults = NO_FAULTS
    this.#network.faults = NO_FAULTS
    this.#trace.add('faults stop')
    for (const process of this.#processes.values()) process.clock.thaw()
    if (!this.processes().some(({ leaving }) => !leaving)) this.startProcess()
    await this.#until(() => this.#allCommitted(), LIVENESS_MS)
    if (this.#violation !== null) return
    if (!this.#allCommitted()) return this.#fail(new Violation('I7', this.#whatIsStuck()))
    await this.#end()
    this.#guard(() => controls.checkAnswered())
  }

  async #end(): Promise<void> {
    // A transaction becomes visible piece by piece, and one that a crash left open hides others until it times out.
    await this.#until(() => false, 2_000)
    if (!this.#allCommitted())
      this.#fail(new Violation('I4', `a commit went back and was not healed: ${this.#whatIsStuck()}`))
    this.#reader.refresh()
    this.#guard(() => this.#checkFinished())
    this.#guard(() =>
      checkOutputs(this.#scenario, this.#ledger, this.#reader.committedOutputs(), this.#reader.deadLetters()),
    )
    // One that left while things went wrong may have run out of time; these here must end with nothing left.
    const processes = this.processes().filter(({ leaving }) => !leaving)
    const idle = (): boolean =>
      processes.every(({ composed: { runtime } }) => runtime.state.running === 0 && isEmpty(runtime.state))
    // Handlers that ignore their abort may still be on their way.
    await this.#until(idle, 5_000)
    for (const process of processes) process.close()
    await this.#until(() => processes.every(({ ended }) => ended), LIVENESS_MS)
    if (!processes.every(({ ended }) => ended)) this.#fail(new Violation('I7', 'close() does not end'))
    for (const { composed } of processes) this.#guard(() => verifyRest(composed.runtime.state))
  }

  startProcess(): void {
    const name = `p${this.#nextProcess++}`
    const process = new SimProcess({
      scenario: this.#scenario,
      clock: this.#clock.process(name),
      name,
      network: this.#network,
      ledger: this.#ledger,
      faults: () => this.#faults,
      fail: (violation) => this.#fail(violation),
      checkIssued: (issuer, entries) =>
        this.#guard(() => checkIssued(this.#scenario, this.#ledger, entries, issuer.name, this.#knownTo(issuer))),
      onLost: (process, partitions) => this.#guard(() => this.#checkLost(process, partitions)),
      onReleased: (process, partitions, sinceMs) =>
        this.#guard(() => this.#checkReleased(process, partitions, sinceMs)),
      userOptions: this.#options.consume ?? {},
    })
    this.#processes.set(name, process)
    this.#trace.add(`start ${name}`)
    process.start()
  }

  processes(): readonly SimProcess[] {
    return [...this.#processes.values()]
  }

  /** kill -9. */
  crash(process: SimProcess): void {
    this.#trace.add(`crash ${process.name}`)
    process.clock.kill()
    this.#processes.delete(process.name)
    this.#ledger.died(process.name)
  }

  /** Records vanish under the readers, finished or not; never the last one. */
  compact(random: () => number): void {
    const partition = Math.floor(random() * this.#scenario.partitions)
    const { end } = this.#cluster.bounds(INPUT_TOPIC, partition)
    // Sometimes just those that hold the position back: then nothing is left to run, and yet it must move.
    const onlyOpen = random() < 0.5
    const gone = [...this.#ledger.entries(partition)]
      .filter(({ offset, finished }) => offset !== end - 1 && (onlyOpen ? !finished : random() < 0.3))
      .map(({ offset }) => offset)
    this.#trace.add(`compact ${partition}: ${gone.length} records`)
    this.#cluster.removeRecords(INPUT_TOPIC, partition, gone)
    this.#ledger.vanished(partition, gone)
  }

  truncate(random: () => number): void {
    const partition = Math.floor(random() * this.#scenario.partitions)
    const { start, end } = this.#cluster.bounds(INPUT_TOPIC, partition)
    this.#cluster.truncate(INPUT_TOPIC, partition, start + Math.floor(random() * (end - start + 1)))
    // At the end of a batch.
    const { end: offset } = this.#cluster.bounds(INPUT_TOPIC, partition)
    this.#trace.add(`truncate ${partition} at ${offset} of ${end}`)
    this.#ledger.truncated(partition, offset)
    this.#truncations.set(partition, { epoch: this.#cluster.leaderEpoch(INPUT_TOPIC, partition) ?? 0, offset })
    for (let count = Math.floor(random() * 20); count > 0; count--) this.#workload?.appendTo(partition)
  }

  /** Most of them where things are read, the others where they are written. */
  elect(random: () => number): void {
    const places = [[INPUT_TOPIC, this.#scenario.partitions], [OUTPUT_TOPIC, OUTPUT_PARTITIONS], [DEAD_LETTER_TOPIC, 1]] as const // biome-ignore format: one table
    const [topic, partitions] = places[Math.floor(random() ** 2 * places.length)] ?? places[0]
    const partition = Math.floor(random() * partitions)
    this.#trace.add(`elect ${topic}-${partition}`)
    this.#cluster.elect(topic, partition)
  }

  /** A clean end, while the others go on. */
  leave(process: SimProcess): void {
    this.#trace.add(`leave ${process.name}`)
    process.leaving = true
    process.close()
    this.#clock.at(this.#clock.now() + 4_000, () => {
      this.#processes.delete(process.name)
    })
  }

  logEndOf(partition: number): number {
    return this.#logEnd(partition)
  }

  note(line: string): void {
    this.#trace.add(line)
  }

  result(): SimResult {
    return {
      scenario: this.#scenario,
      violation: this.#violation,
      hash: this.#trace.hash(),
      events: this.#clock.events,
      simulatedMs: this.#clock.now(),
      trace: this.#trace.lines(),
    }
  }

  async #until(done: () => boolean, limitMs: number): Promise<void> {
    let events = 0
    await this.#clock.runUntil(() => {
      if (this.#violation !== null) return true
      if (this.#clock.events > EVENTS_MAX) this.#fail(new Violation('I7', `${EVENTS_MAX} events and no end`))
      if (++events % 8 === 0) this.#verify()
      return done()
    }, limitMs)
  }

  #verify(): void {
    for (const { composed, clock } of this.#processes.values()) {
      if (clock.state === 'running' && !composed.runtime.isHalted)
        this.#guard(() => verifyCounters(composed.runtime.state))
    }
  }

  #guard(check: () => void): void {
    try {
      check()
    } catch (error) {
      this.#fail(error as Violation)
    }
  }

  #fail(violation: Violation): void {
    this.#violation ??= violation
  }

  #logEnd(partition: number): number {
    return this.#cluster.bounds(INPUT_TOPIC, partition).end
  }

  /** Sent before the log was cut below what it says. */
  #isOutdated(
    partition: number,
    commit: { readonly offset: number; readonly leaderEpoch: number; readonly metadata: string },
  ): boolean {
    const cut = this.#truncations.get(partition)
    if (cut === undefined || commit.leaderEpoch < 0 || commit.leaderEpoch >= cut.epoch) return false
    return commit.offset > cut.offset || commit.metadata !== ''
  }

  #allCommitted(): boolean {
    for (let partition = 0; partition < this.#scenario.partitions; partition++) {
      if (this.#committed(partition) !== this.#logEnd(partition)) return false
    }
    return true
  }

  #committed(partition: number): number {
    const committed = this.#cluster.committed(GROUP, INPUT_TOPIC, partition)
    // A commit from before a truncation speaks of records that are gone.
    return committed === null || this.#isOutdated(partition, committed) ? -1 : committed.offset
  }

  /** Nothing has disturbed it: however long it drains, the group has to hear of it. */
  #checkLost(process: SimProcess, partitions: readonly TopicPartition[]): void {
    if (partitions.length === 0 || !this.#scenario.isCalm) return
    throw new Violation('I7', `${process.name} lost ${partitions.length} partitions, although nothing went wrong`)
  }

  /** P5 · what was finished when a partition is given up is in its last commit, unless that was refused. */
  #checkReleased(process: SimProcess, partitions: readonly TopicPartition[], sinceMs: number): void {
    if (this.#scenario.delivery !== 'at-least-once' || !hasRoomForMaps(this.#scenario)) return
    const known = this.#knownTo(process)
    // A handler that ignores its abort may end while another partition's last commit is still under way: too late.
    const inTime = ({ handledAtMs }: Entry): boolean => handledAtMs <= sinceMs + this.#scenario.drainMs
    for (const { partition } of partitions) {
      const committed = this.#cluster.committed(GROUP, INPUT_TOPIC, partition)
      const map = decodeMap(committed?.offset ?? 0, committed?.metadata)
      const claimed = new Set(map.kind === 'map' ? offsetsOf(committed?.offset ?? 0, map.runs) : [])
      for (const entry of this.#ledger.entries(partition)) {
        const { offset } = entry
        if (offset < (committed?.offset ?? 0) || claimed.has(offset)) continue
        if (!inTime(entry) || !known(partition, offset)) continue
        throw new Violation('I15', `${process.name} gave up ${partition} without committing that ${offset} is finished`)
      }
    }
  }

  /** Finished in this process, and its kernel must have heard of it: the event is at least one moment old. */
  #knownTo(process: SimProcess): (partition: number, offset: number) => boolean {
    const now = this.#clock.now()
    // What a user's handler sends is not known, and so is not when its record is finished.
    if (this.#options.consume?.handle !== undefined) return () => false
    return (partition, offset) => {
      const entry = this.#ledger.entry(partition, offset)
      if (entry === undefined || entry.gone || !entry.handled || entry.handledAtMs >= now - 20) return false
      // With outputs it is finished when the kernel hears that they are written: that may take long.
      if (entry.outputs > 0 && this.#scenario.delivery !== 'exactly-once') return false
      // A handler of an earlier lease does not count, even if it ends in this one.
      return (
        entry.handledBy === process.name && entry.handledFromMs > this.#ledger.leaseSinceMs(process.name, partition)
      )
    }
  }

  #checkFinished(): void {
    if (this.#scenario.delivery === 'at-most-once') return
    for (let partition = 0; partition < this.#scenario.partitions; partition++) {
      for (const { offset, finished } of this.#ledger.entries(partition)) {
        if (!finished)
          throw new Violation('I1', `${partition}:${offset} was never finished, but everything is committed`)
      }
    }
  }

  #whatIsStuck(): string {
    const rows = Array.from({ length: this.#scenario.partitions }, (_, partition) => {
      return `${partition}: committed ${this.#committed(partition)} of ${this.#logEnd(partition)}`
    })
    const owners = this.processes().map(
      ({ name, composed }) => `${name} ${JSON.stringify(composed.consumer.snapshot().partitions)}`,
    )
    return `after ${LIVENESS_MS} ms without faults: ${rows.join(', ')}; ${owners.join('; ')}`
  }
}
