/** What must hold of every commit that is applied or issued, and of the end of a run. Guarantees as reusable checks. */
import type { CommitEntry } from '../../../kernel/events.ts'
import { decodeMap } from '../../../kernel/offset-map/index.ts'
import { type Ledger, Violation } from './ledger.ts'
import type { Scenario } from './scenario.ts'
import { offsetsOf } from './watched-client.ts'

export interface AppliedCommit {
  /** It was sent before the log was truncated, and came late. */
  readonly isOutdated: boolean
  readonly partition: number
  readonly offset: number
  readonly metadata: string
  readonly logEnd: number
}

/** I2, I2b, I10 · every commit that the cluster has taken, decoded and compared with what really happened. */
export function checkApplied(scenario: Scenario, ledger: Ledger, commit: AppliedCommit): void {
  const { partition, offset, metadata, logEnd, isOutdated } = commit
  if (metadata.length > scenario.metadataMaxChars) {
    throw new Violation('I10', `metadata of ${metadata.length} characters was stored`)
  }
  if (isOutdated) return
  if (offset > logEnd)
    throw new Violation('I2b', `partition ${partition}: committed ${offset}, the log ends at ${logEnd}`)
  if (scenario.delivery === 'at-most-once') return
  for (const entry of ledger.entries(partition)) {
    if (entry.offset < offset && !entry.finished) {
      throw new Violation('I2', `partition ${partition}: committed ${offset}, but ${entry.offset} is not finished`)
    }
  }
  const map = decodeMap(offset, metadata)
  if (map.kind !== 'map') return
  let last = offset
  for (const claimed of offsetsOf(offset, map.runs)) {
    last = claimed
    if (ledger.entry(partition, claimed)?.finished === false) {
      throw new Violation(
        'I2b',
        `partition ${partition}: the map at ${offset} says that ${claimed} is finished; it is not`,
      )
    }
  }
  if (last >= logEnd)
    throw new Violation('I2b', `partition ${partition}: the map reaches ${last}, the log ends at ${logEnd}`)
}

/** Maps of a small window are short: where the limits are not tiny, nothing may be left out. */
export function hasRoomForMaps({ mapMaxChars, metadataMaxChars, records }: Scenario): boolean {
  return mapMaxChars >= 80 && metadataMaxChars >= 64 && records <= 200
}

/** I15 · a commit that leaves out finished records without need: a crash would run them again. */
export function checkIssued(
  scenario: Scenario,
  ledger: Ledger,
  entries: readonly CommitEntry[],
  process: string,
  known: (partition: number, offset: number) => boolean,
): void {
  // In input order, finished records wait for earlier ones before they may join a transaction.
  if (scenario.delivery === 'at-most-once' || (scenario.delivery === 'exactly-once' && scenario.output === 'input'))
    return
  for (const { partition, position, metadata } of entries) {
    const map = decodeMap(position, metadata)
    const claimed = new Set(map.kind === 'map' ? offsetsOf(position, map.runs) : [])
    const before = ledger.claimsOf(process, partition)?.finished
    let missing = 0
    for (const { offset } of ledger.entries(partition)) {
      if (offset < position || claimed.has(offset)) continue
      // Finished in this lease, or in the one before it, whose map we started from.
      if (known(partition, offset) || before?.has(offset)) missing++
    }
    // The size guard may leave out entries, but only where the map is long.
    if (missing > 0 && hasRoomForMaps(scenario)) {
      throw new Violation(
        'I15',
        `partition ${partition}: the commit at ${position} leaves out ${missing} finished records`,
      )
    }
  }
}

/** I9 · what a read_committed reader sees is f(input): each output once. In key order, and in input order if asked. */
export function checkOutputs(
  scenario: Scenario,
  ledger: Ledger,
  outputs: readonly (readonly string[])[],
  deadLetters: readonly string[],
): void {
  const sent = countOf(outputs.flat())
  const letters = countOf(deadLetters)
  for (let partition = 0; partition < scenario.partitions; partition++) {
    for (const entry of ledger.entries(partition)) {
      if (entry.gone) continue
      const { name } = entry
      const written = (sent.get(name) ?? 0) + (letters.get(name) ?? 0)
      const least = entry.outputs > 0 && !entry.givenUp ? 1 : 0
      if (scenario.delivery !== 'at-most-once' && written < least) {
        throw new Violation(
          scenario.delivery === 'exactly-once' ? 'I9' : 'I1',
          `${name} has neither output nor dead letter`,
        )
      }
      if (scenario.delivery === 'exactly-once' && written > 1) {
        throw new Violation('I9', `${name} has ${written} outputs and dead letters`)
      }
    }
  }
  if (scenario.delivery !== 'exactly-once') return
  for (const partition of outputs) checkOutputOrder(scenario, ledger, partition)
}

function countOf(values: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

function checkOutputOrder(scenario: Scenario, ledger: Ledger, values: readonly string[]): void {
  const last = new Map<string, number>()
  for (const value of values) {
    const [partition = 0, offset = 0] = value.split(':').map(Number)
    const entry = ledger.entry(partition, offset)
    // Of a record that was truncated away; another one has its offset now.
    if (entry?.name !== value) continue
    const { key } = entry
    const lane = scenario.output === 'input' ? `${partition}` : ledger.laneOf(partition, key)
    if (lane === null) continue
    const before = last.get(lane) ?? -1
    if (offset < before) throw new Violation('I3', `the output of ${value} comes after that of ${partition}:${before}`)
    last.set(lane, offset)
  }
}
