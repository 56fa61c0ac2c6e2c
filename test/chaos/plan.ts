/**
 * What a run does, drawn from its seed: the settings of its consumers and the list of faults. The same seed and the same
 * numbers give the same list, whatever the machine does; only the moments differ, since most faults wait for the
 * consumers to recover from the one before.
 */
import { randomStream } from '../../src/testing/sim/random.ts'

export const modes = ['at-least-once', 'at-most-once', 'exactly-once'] as const
export type Mode = (typeof modes)[number]

/** Where handlers run; in threads and processes some records kill their worker. */
export const engines = ['async', 'threads', 'processes'] as const
export type EngineName = (typeof engines)[number]

export const members = 3
export const partitions = 8
export const sessionMs = 4_000

export interface PlanOptions {
  readonly mode: Mode
  readonly seed: number
  readonly records: number
  /** How often a consumer is killed; the other faults come in proportion. */
  readonly kills: number
  /** Values of a megabyte, and a heap of 256 MB. */
  readonly large: boolean
  readonly engine: EngineName
}

/** Who is meant: one consumer, or everybody who goes through the proxy, the producer included. */
export type Victim = number | 'all'

export type Fault =
  | { readonly kind: 'kill'; readonly victim: number; readonly restartAfterMs: number }
  | { readonly kind: 'freeze'; readonly victim: number; readonly forMs: number }
  | { readonly kind: 'broker-clean' | 'broker-kill' }
  | { readonly kind: 'cut'; readonly victim: Victim }
  | { readonly kind: 'delay'; readonly victim: Victim; readonly forMs: number; readonly byMs: number }
  | { readonly kind: 'drop-answers'; readonly victim: Victim; readonly forMs: number }
  | { readonly kind: 'churn'; readonly times: number }
  | { readonly kind: 'letters-down'; readonly forMs: number }

export type FaultKind = Fault['kind']

export type PlannedFault = Fault & {
  /** After the one before, or after its recovery. */
  readonly gapMs: number
  /** The next fault does not wait until everything moves again. */
  readonly isImpatient: boolean
}

export interface MemberSettings {
  readonly protocol: 'classic' | 'consumer'
  readonly assignor: 'cooperative-sticky' | 'range'
  readonly commitEveryMs: number
  readonly mapMaxChars: number
  readonly concurrency: number
  readonly limitRecords: number
  readonly requestTimeoutMs: number
  readonly transactionTimeoutMs: number
}

export interface Plan extends PlanOptions {
  readonly keys: number
  readonly valueBytes: number
  readonly settings: MemberSettings
  readonly faults: readonly PlannedFault[]
}

/** How many of each kind for so many kills. */
const perKill: Readonly<Record<Exclude<FaultKind, 'kill'>, number>> = {
  freeze: 1 / 6,
  'broker-clean': 1 / 12,
  'broker-kill': 1 / 8,
  cut: 1 / 6,
  delay: 1 / 10,
  'drop-answers': 1 / 6,
  churn: 1 / 15,
  'letters-down': 1 / 15,
}

export function planOf(options: PlanOptions): Plan {
  const chance = randomStream(options.seed, 'settings')
  const pick = <Thing>(...things: readonly [Thing, ...Thing[]]): Thing =>
    things[Math.floor(chance() * things.length)] ?? things[0]
  const settings: MemberSettings = {
    protocol: pick('classic', 'classic', 'consumer'),
    assignor: pick('cooperative-sticky', 'cooperative-sticky', 'range'),
    commitEveryMs: pick(100, 500, 1_000),
    // Small ones are truncated, or pause the partition with exactly-once.
    mapMaxChars: pick(4_000, 4_000, 300, 120),
    concurrency: pick(8, 32, 100),
    limitRecords: pick(200, 500, 2_000),
    requestTimeoutMs: pick(5_000, 30_000),
    // Whoever is killed inside a transaction holds its partitions up for so long.
    transactionTimeoutMs: pick(5_000, 10_000),
  }
  return {
    ...options,
    keys: 1_000,
    valueBytes: options.large ? 1_000_000 : 0,
    settings,
    faults: faultsOf(options),
  }
}

function faultsOf({ seed, kills }: PlanOptions): readonly PlannedFault[] {
  const chance = randomStream(seed, 'faults')
  const between = (low: number, high: number): number => Math.round(low + chance() * (high - low))
  const kinds: FaultKind[] = Array.from({ length: kills }, () => 'kill')
  for (const [kind, share] of Object.entries(perKill) as [FaultKind, number][]) {
    // No kills, no faults at all: the run without any, to compare with.
    for (let left = Math.ceil(kills * share); left > 0; left--) kinds.push(kind)
  }
  for (let at = kinds.length - 1; at > 0; at--) {
    const other = Math.floor(chance() * (at + 1))
    const [one, two] = [kinds[at], kinds[other]]
    if (one !== undefined && two !== undefined) {
      kinds[at] = two
      kinds[other] = one
    }
  }
  const victim = (): number => Math.floor(chance() * members)
  const victims = (): Victim => (chance() < 0.5 ? 'all' : victim())
  const draw = (kind: FaultKind): Fault => {
    switch (kind) {
      case 'kill':
        return { kind, victim: victim(), restartAfterMs: chance() < 0.5 ? 0 : between(100, 2_000) }
      case 'freeze':
        return { kind, victim: victim(), forMs: between(sessionMs * 1.3, sessionMs * 2) }
      case 'broker-clean':
      case 'broker-kill':
        return { kind }
      case 'cut':
        return { kind, victim: victims() }
      case 'delay':
        return { kind, victim: victims(), forMs: between(1_000, 3_000), byMs: between(100, 1_500) }
      case 'drop-answers':
        return { kind, victim: victims(), forMs: between(300, 3_000) }
      case 'churn':
        return { kind, times: kills < 3 ? 1 : 3 }
      case 'letters-down':
        return { kind, forMs: between(2_000, 5_000) }
    }
  }
  return kinds.map((kind) => ({ ...draw(kind), gapMs: between(100, 1_200), isImpatient: chance() < 0.25 }))
}
