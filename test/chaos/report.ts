/** What a run says at its end: a table for people, an object for programs. */
import { sessionMs } from './plan.ts'
import type { ChaosResult, Struck } from './run.ts'
import type { StragglerResult } from './straggler.ts'

/** Wanted: everything moves again within the session time-out and five seconds. Reported, never a failure. */
export const recoveryWantedMs: number = sessionMs + 5_000
const brokenShown = 10

export interface Summary {
  readonly ok: boolean
  readonly mode: string
  readonly broker: string
  readonly engine: string
  readonly seed: number
  readonly records: number
  readonly faults: number
  readonly lost: number
  readonly reordered: number
  readonly duplicated: number
  readonly bound: number
  /** The longest; null if none was measured. */
  readonly recoveryMs: number | null
  readonly slowRecoveries: number
  readonly faultsByKind: Readonly<Record<string, number>>
  readonly reruns: number
  readonly late: number
  readonly poisoned: number
  readonly commits: number
  readonly leases: number
  readonly seconds: number
  readonly broken: readonly string[]
  readonly directory: string | null
}

export function summaryOf(result: ChaosResult): Summary {
  const { plan, verdict, faults } = result
  const { records, lost, reordered, duplicated, bound, reruns, late, poisoned, commits, leases } = verdict
  const measured = faults.filter(({ isMeasured }) => isMeasured)
  const times = measured.flatMap(({ recoveryMs }) => recoveryMs ?? [])
  const byKind: Record<string, number> = {}
  for (const { kind } of faults) byKind[kind] = (byKind[kind] ?? 0) + 1
  return {
    ok: verdict.broken.length === 0,
    mode: plan.mode,
    broker: result.broker,
    engine: plan.engine,
    seed: plan.seed,
    records,
    faults: faults.length,
    lost,
    reordered,
    duplicated,
    bound,
    recoveryMs: times.length === 0 ? null : Math.max(...times),
    slowRecoveries: measured.filter(isSlow).length,
    faultsByKind: byKind,
    reruns,
    late,
    poisoned,
    commits,
    leases,
    seconds: result.seconds,
    broken: verdict.broken.slice(0, brokenShown).map(({ promise, text }) => `${promise} · ${text}`),
    directory: result.directory,
  }
}

const isSlow = ({ recoveryMs }: Struck): boolean => recoveryMs === null || recoveryMs > recoveryWantedMs

export function tableOf(result: ChaosResult): string {
  const summary = summaryOf(result)
  const { settings } = result.plan
  const kinds = Object.entries(summary.faultsByKind).map(([kind, count]) => {
    const measured = result.faults.filter((fault) => fault.kind === kind && fault.isMeasured)
    const times = measured.flatMap(({ recoveryMs }) => recoveryMs ?? []).sort((a, b) => a - b)
    const slow = measured.filter(isSlow).length
    return row(
      `  ${kind}`,
      `${count}`,
      times.length === 0 ? '' : `median ${times[times.length >> 1]} ms, longest ${times.at(-1)} ms`,
      slow === 0 ? '' : `${slow} above ${recoveryWantedMs} ms`,
    )
  })
  const { mode, broker, seed, records, lost, reordered, duplicated, bound } = summary
  const lines = [
    '',
    `${mode} on ${broker === 'kafka' ? 'Apache Kafka' : 'the embedded broker'}, engine ${summary.engine}, seed ${seed}, ${summary.seconds} s`,
    `  ${Object.entries(settings)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}`,
    row('records', `${records}`, `${summary.poisoned} of them poison`),
    row('faults', `${summary.faults}`, 'recovery'),
    ...kinds,
    row('lost', `${lost}`, mode === 'at-most-once' ? 'allowed: it is what this delivery costs' : ''),
    row('reordered', `${reordered}`),
    row('duplicated', `${duplicated}`, duplicatedWords(summary)),
    row('bound', `${bound}`),
    row('recovery', summary.recoveryMs === null ? '–' : `${summary.recoveryMs} ms`, `wanted: ${recoveryWantedMs} ms`),
    row('leases', `${summary.leases}`, `${summary.commits} commits, ${summary.late} starts after a loss`),
  ]
  if (summary.ok) return [...lines, 'every promise was kept'].join('\n')
  const { broken } = result.verdict
  const counts = new Map<string, number>()
  for (const { promise } of broken) counts.set(promise, (counts.get(promise) ?? 0) + 1)
  const words = [...counts].map(([promise, count]) => `${promise} ${count} times`).join(', ')
  lines.push(`BROKEN: ${words}; seed ${seed}; the ledger is in ${result.directory}`)
  for (const { promise, text } of broken.slice(0, brokenShown)) lines.push(`  ${promise} · ${text}`)
  if (broken.length > brokenShown) lines.push(`  … and ${broken.length - brokenShown} more`)
  if (result.history.length > 0) lines.push('what the ledger says of the first of them:')
  const startNs = result.history[0]?.atNs ?? 0
  for (const { atNs, member, kind, ...rest } of result.history) {
    const time = ((atNs - startNs) / 1e6).toFixed(3)
    lines.push(`  ${time.padStart(12)} ms  ${member.padEnd(9)} ${kind} ${JSON.stringify(rest).slice(0, 160)}`)
  }
  return lines.join('\n')
}

function duplicatedWords({ mode, reruns }: Summary): string {
  if (mode === 'exactly-once') return `outputs and letters; ${reruns} handlers ran again`
  return mode === 'at-most-once' ? 'starts beyond the first' : 'starts beyond the first, retries aside'
}

const row = (name: string, value: string, ...more: readonly string[]): string =>
  `${name.padEnd(18)}${value.padStart(9)}  ${more.filter((text) => text !== '').join(', ')}`.trimEnd()

export interface StragglerSummary {
  readonly ok: boolean
  readonly rounds: number
  readonly unprocessed: number
  /** By round. */
  readonly reruns: readonly number[]
  readonly bounds: readonly number[]
  readonly broken: readonly string[]
  readonly directory: string | null
}

export function stragglerSummary({ rounds, directory }: StragglerResult): StragglerSummary {
  const broken = rounds.flatMap((round) => round.broken)
  return {
    ok: broken.length === 0,
    rounds: rounds.length,
    unprocessed: rounds.reduce((sum, { unprocessed }) => sum + unprocessed, 0),
    reruns: rounds.map(({ reruns }) => reruns),
    bounds: rounds.map(({ bound }) => bound),
    broken: broken.slice(0, brokenShown).map(({ promise, text }) => `${promise} · ${text}`),
    directory,
  }
}

export function stragglerTable(result: StragglerResult, broker: string, seed: number): string {
  const { ok, broken, directory } = stragglerSummary(result)
  const lines = [
    '',
    `the straggler on ${broker === 'kafka' ? 'Apache Kafka' : 'the embedded broker'}, seed ${seed}`,
    'round  straggler  kills  unprocessed  run twice  bound',
    ...result.rounds.map(({ straggler, kills, unprocessed, reruns, bound }, index) =>
      [
        `${index + 1}`.padStart(5),
        `${straggler}`.padStart(11),
        `${kills}`.padStart(7),
        `${unprocessed}`.padStart(13),
        `${reruns}`.padStart(11),
        `${bound}`.padStart(7),
      ].join(''),
    ),
  ]
  if (ok) return [...lines, 'every promise was kept'].join('\n')
  lines.push(`BROKEN, seed ${seed}; the ledger is in ${directory}`)
  return [...lines, ...broken.map((text) => `  ${text}`)].join('\n')
}
