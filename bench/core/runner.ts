/**
 * Runs workloads: contenders in turn, round by round; whoever was first is last in the next round. A contender that fails, hangs or
 * is not there costs its own line in the table and nothing else.
 */
import { type Contender, contender } from '../contenders/index.ts'
import type { ContenderResult, Round, VariantResult } from './results.ts'
import type { Stage } from './stage.ts'
import { shown } from './stats.ts'
import type { Entry, Variant, Workload } from './workload.ts'

export interface RunnerOptions {
  readonly rounds: number
  /** Null: all. */
  readonly contenders: readonly string[] | null
  /** Why a contender cannot run here; null: it can. */
  readonly whyAbsent: (contender: Contender) => string | null
  readonly say: (line: string) => void
  readonly taken: VariantResult['taken']
}

export async function runWorkload(workload: Workload, stage: Stage, options: RunnerOptions): Promise<VariantResult[]> {
  const results: VariantResult[] = []
  for (const variant of chosenVariants(workload, stage, options)) {
    results.push(await runVariant(workload, variant, stage, options))
  }
  await stage.clear().catch((error: unknown) => options.say(`topics of ${workload.id} were not deleted: ${error}`))
  return results
}

export const chosenVariants = (workload: Workload, stage: Stage, { contenders }: RunnerOptions): Variant[] =>
  workload
    .variants(stage.options)
    .filter(({ brokers }) => brokers.includes(stage.options.broker.kind))
    .map((variant) => ({
      ...variant,
      contenders: variant.contenders.filter(({ name }) => contenders === null || contenders.includes(name)),
    }))
    .filter((variant) => variant.contenders.length > 0)

interface Lane {
  readonly entry: Entry
  readonly contender: Contender
  readonly absent: string | null
  readonly rounds: Round[]
}

async function runVariant(
  workload: Workload,
  variant: Variant,
  stage: Stage,
  options: RunnerOptions,
): Promise<VariantResult> {
  const { say } = options
  say(`\n${workload.id} ${variant.name} on ${stage.options.broker.name}: ${variant.title}`)
  const lanes = variant.contenders.map((entry): Lane => {
    const one = contender(entry.name)
    return { entry, contender: one, absent: options.whyAbsent(one), rounds: [] }
  })
  for (const { contender: one, absent } of lanes) if (absent !== null) say(`  ${one.title}: NOT RUN, ${absent}`)
  const present = lanes.filter(({ absent }) => absent === null)
  const unprepared = await limited(variant.prepare?.(stage) ?? Promise.resolve()).then(
    () => null,
    (error: unknown) => `the stage was not set: ${reasonOf(error)}`,
  )
  for (let round = 0; round < (variant.rounds ?? options.rounds); round++) {
    for (let turn = 0; turn < present.length; turn++) {
      const lane = present[(turn + round) % present.length] as Lane
      const result: Round = unprepared
        ? { failed: unprepared }
        : await limited(variant.measure(stage, lane.contender, lane.entry, round)).catch((error: unknown) => ({
            failed: reasonOf(error),
          }))
      lane.rounds.push(result)
      say(`  round ${round + 1}, ${lane.contender.title}: ${summaryOf(result)}`)
    }
  }
  return {
    workload: workload.id,
    variant: variant.name,
    title: variant.title,
    broker: stage.options.broker.kind,
    order: variant.order,
    idealRate: variant.idealRate ?? null,
    about: variant.about,
    contenders: lanes.map((lane) => resultOf(lane, variant)),
    taken: options.taken,
  }
}

const resultOf = ({ entry, contender: one, absent, rounds }: Lane, { records }: Variant): ContenderResult => ({
  name: one.name,
  title: one.title,
  note: one.note ?? null,
  records: Math.round(records * (entry.part ?? 1)),
  rounds,
  absent,
})

/** Everything has a limit of its own below this one; a broker that is gone might still make somebody wait for ever. */
async function limited<Result>(promise: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`not over within ${stepTimeoutMs / 1_000} s`)), stepTimeoutMs)
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer))
}

const stepTimeoutMs = 900_000

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export function summaryOf(round: Round): string {
  if ('failed' in round) return `FAILED: ${round.failed.replaceAll(/\s+/g, ' ').slice(0, 400)}`
  const { rate, cpuSeconds, peakRssMb, duplicated, more, broken } = round
  const parts = [
    ...(rate === null ? [] : [`${shown(rate)} records/s`]),
    ...(cpuSeconds === null ? [] : [`CPU ${shown(cpuSeconds)} s`]),
    ...(peakRssMb === null ? [] : [`${shown(Math.round(peakRssMb))} MB`]),
    ...(duplicated === 0 ? [] : [`${duplicated} duplicated`]),
    ...Object.entries(more).map(([name, value]) => `${name} ${shown(value)}`),
  ]
  return broken === null ? parts.join(', ') : `FAILED: ${broken} (${parts.join(', ')})`
}
