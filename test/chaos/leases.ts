/**
 * Who held which partition, as the ledger tells it, and what was committed when they got it.
 *
 * A lease begins when its process is told of the partition. From then on no older commit can be acknowledged: the group has
 * let the older owner go. So the last commit that was acknowledged before is the least that the new owner must have read.
 */
import { decodeMap } from '../../src/kernel/offset-map/index.ts'
import type { CommitEntry, Entry, RunEntry } from './ledger.ts'

/** What a commit says is finished. */
export class Coverage {
  static readonly nothing: Coverage = new Coverage(0, '')

  readonly position: number
  readonly #ahead: ReadonlySet<number>

  constructor(position: number, metadata: string) {
    this.position = position
    this.#ahead = new Set(finishedAhead(position, metadata))
  }

  has(offset: number): boolean {
    return offset < this.position || this.#ahead.has(offset)
  }

  get ahead(): Iterable<number> {
    return this.#ahead
  }
}

export interface Lease {
  readonly member: string
  readonly partition: number
  readonly fromNs: number
  /** What was acknowledged when it began. */
  readonly read: Coverage
  /** When the next owner's lease began. */
  untilNs: number
  /** Records that had been started before, and that nothing acknowledged said was finished: those may run again. */
  readonly mayRepeat: ReadonlySet<number>
  readonly started: Set<number>
  readonly ended: Set<number>
  /** Starts when somebody else already had the partition. */
  late: number
  /** When its process said that the partition is no longer its own. */
  givenUpNs: number | null
}

/** What is wrong with a start, as far as leases can tell. */
export interface LeaseJudge {
  /** Its lease gives no reason to run it: it was committed before, or has run in the same lease. */
  onRepeat(lease: Lease, start: RunEntry): void
  /** Its process had given the partition up. */
  onLate(lease: Lease, start: RunEntry): void
}

/** All leases, each start counted in its own. */
export function leasesOf(entries: readonly Entry[], { onRepeat, onLate }: LeaseJudge): Lease[] {
  const leases: Lease[] = []
  const homes = new Map<number, Home>()
  const homeOf = (partition: number): Home => {
    const home = homes.get(partition) ?? new Home(partition)
    homes.set(partition, home)
    return home
  }
  const open = (home: Home, member: string, atNs: number): Lease => {
    const lease = home.open(member, atNs)
    leases.push(lease)
    return lease
  }
  for (const entry of entries) {
    const { member, atNs } = entry
    switch (entry.kind) {
      case 'assigned':
        for (const partition of entry.partitions) open(homeOf(partition), member, atNs)
        break
      case 'revoked':
        for (const partition of entry.partitions) homeOf(partition).giveUp(member, atNs)
        break
      case 'renewed':
        for (const home of homes.values()) {
          // Whoever has been replaced meanwhile, and does not know it yet, gets nothing new.
          if (home.latest !== null && home.latest === home.held.get(member)) open(home, member, atNs)
        }
        break
      case 'committed': {
        const home = homeOf(entry.partition)
        // A process that was frozen with the answer in its hands reads it late: by then others have gone on from it.
        if (home.latest?.member === member) home.commit = entry
        break
      }
      case 'end':
        homeOf(entry.partition).held.get(member)?.ended.add(entry.offset)
        break
      case 'start': {
        const home = homeOf(entry.partition)
        const lease = home.held.get(member) ?? home.givenUp.get(member) ?? open(home, member, atNs)
        if (lease.givenUpNs !== null) onLate(lease, entry)
        if (home.latest !== lease) lease.late++
        if (entry.attempt === 1) {
          if (lease.read.has(entry.offset) || lease.started.has(entry.offset)) onRepeat(lease, entry)
          lease.started.add(entry.offset)
        }
        home.started.add(entry.offset)
        break
      }
    }
  }
  return leases
}

/** A partition, over all of its leases. */
class Home {
  readonly partition: number
  readonly held: Map<string, Lease> = new Map()
  readonly givenUp: Map<string, Lease> = new Map()
  readonly started: Set<number> = new Set()
  latest: Lease | null = null
  commit: CommitEntry | null = null

  constructor(partition: number) {
    this.partition = partition
  }

  giveUp(member: string, atNs: number): void {
    const lease = this.held.get(member)
    if (lease === undefined) return
    lease.givenUpNs = atNs
    this.held.delete(member)
    this.givenUp.set(member, lease)
  }

  open(member: string, fromNs: number): Lease {
    const read = this.commit === null ? Coverage.nothing : new Coverage(this.commit.position, this.commit.metadata)
    const mayRepeat = new Set<number>()
    for (const offset of this.started) if (!read.has(offset)) mayRepeat.add(offset)
    const lease: Lease = {
      member,
      partition: this.partition,
      fromNs,
      read,
      untilNs: Number.POSITIVE_INFINITY,
      mayRepeat,
      started: new Set(),
      ended: new Set(),
      late: 0,
      givenUpNs: null,
    }
    if (this.latest !== null) this.latest.untilNs = fromNs
    this.latest = lease
    this.held.set(member, lease)
    return lease
  }
}

/** Offsets behind the position that the map claims. */
function finishedAhead(position: number, metadata: string): number[] {
  const map = decodeMap(position, metadata)
  if (map.kind !== 'map') return []
  const finished: number[] = []
  let offset = position
  for (const [index, length] of map.runs.entries()) {
    if (index % 2 === 1) for (let each = 0; each < length; each++) finished.push(offset + each)
    offset += length
  }
  return finished
}
