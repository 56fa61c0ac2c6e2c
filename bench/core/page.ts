/** docs/BENCHMARKS.md and its pictures, from the results that are kept: nothing on the page is written by hand but the words here. */
import { type Aim, aimsOf, type Loss, lossesOf } from './aims.ts'
import { type Bar, barChart, type Chart } from './plots.ts'
import { type ContenderResult, type GoodRound, isGood, type Results, type VariantResult, valuesOf } from './results.ts'
import { shown, spreadOf } from './stats.ts'
import { mostRecords, tableOf } from './table.ts'
import { type TimeSpent, timeSpentText } from './time-spent.ts'
import type { Workload } from './workload.ts'

export interface Page {
  readonly markdown: string
  /** File name → SVG. */
  readonly images: ReadonlyMap<string, string>
}

export interface Profiles {
  readonly spent: readonly TimeSpent[]
  readonly flameName: (workload: string) => string
}

const noProfiles: Profiles = { spent: [], flameName: (workload) => workload }

export function pageOf(results: Results, workloads: readonly Workload[], profiles: Profiles = noProfiles): Page {
  const images = new Map<string, string>()
  const chapters = workloads.flatMap((workload) => {
    const variants = results.variants.filter((each) => each.workload === workload.id)
    return variants.length === 0 ? [] : [chapter(workload, variants, { images, results, profiles })]
  })
  return {
    markdown: `${[head(results), aimsTable(aimsOf(results)), losses(lossesOf(results), results.about.quick), ...chapters].join('\n\n')}\n`,
    images,
  }
}

function head({ about, variants }: Results): string {
  const { machine, system, versions, date, commit, changed, rounds, quick } = about
  // One, or those of the parts.
  const commands = [...new Set(variants.map(({ taken }) => `\`${taken.command}\``))]
  const warning = quick
    ? '**These figures are of a quick run, only to see that it works. They say nothing about speed.**\n\n'
    : ''
  return `# Benchmarks

<!-- Made by \`npm run bench -- --page\` from bench/results/latest.json. Changes by hand are lost. -->

${warning}fanlane side by side with what a user could pick instead, on one broker, on the same records. Take them again with \`npm run bench\`
(an hour and a half), or a part with \`npm run bench -- --only W1,W4 --rounds 3\`.

| | |
|---|---|
| machine | ${machine}; broker and contenders share it |
| system | ${system} |
| taken | ${date.slice(0, 16).replace('T', ' ')} UTC, commit \`${commit.slice(0, 12)}\`${changed ? ', with changes that are not committed' : ''} |
| command | ${commands.join('<br>')} |
| versions | ${Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(' · ')} |

**How to read it.** Every contender runs in a fresh process, in turn, round by round (${rounds} ${rounds === 1 ? 'round' : 'rounds'} unless it is said); whoever was first is
last in the next round. Shown are the median and, in brackets, the smallest and the largest. \`records/s\` counts from before the client
connects until the broker has acknowledged the last commit; \`steady\` from the first handler on. CPU is that of the contender's process,
memory its high-water mark. The start of the JVM and of Node is not in the
time; that both compile while they run is. *ours ÷ it* is the ratio of rates, taken round by round. Lost,
reordered and duplicated are counted by a ledger of the benchmark's own, from a number in every record; a result with losses is a failure
and has no time. All commit every 100 ms.`
}

const sign = (met: boolean | null): string => (met === null ? '–' : met ? 'met' : '**missed**')

function aimsTable(aims: readonly Aim[]): string {
  const counts = [aims.filter(({ met }) => met === true).length, aims.filter(({ met }) => met === false).length]
  return [
    '## Aims',
    '',
    `${counts[0]} met, ${counts[1]} missed, ${aims.length - (counts[0] ?? 0) - (counts[1] ?? 0)} not measured. Apache Kafka.`,
    '',
    '| workload | aim | measured | |',
    '|---|---|---|---|',
    ...aims.map(({ workload, text, met, measured }) => `| ${workload} | ${text} | ${measured} | ${sign(met)} |`),
  ].join('\n')
}

function losses(list: readonly Loss[], isQuick: boolean): string {
  const lines = [...Map.groupBy(list, ({ place }) => place)].map(
    ([place, each]) => `- **${place}:** ${each.map(({ text }) => text).join('; ')}.`,
  )
  return [
    '## Where we lose',
    '',
    ...(lines.length === 0 ? [isQuick ? 'A quick run cannot tell.' : 'Nowhere, in these workloads.'] : lines),
  ].join('\n')
}

interface Making {
  readonly images: Map<string, string>
  readonly results: Results
  readonly profiles: Profiles
}

function chapter(
  { id, title, what }: Workload,
  variants: readonly VariantResult[],
  { images, results, profiles }: Making,
): string {
  const spent = profiles.spent.find(({ workload }) => workload === id)
  const chart = chartOf(title, variants)
  const name = `bench-${id.toLowerCase()}.svg`
  if (chart !== null) images.set(name, barChart(chart))
  return [
    `## ${id} · ${title}`,
    what.replaceAll('\n', ' '),
    ...(chart === null ? [] : [`![${title}](images/${name})`]),
    ...variants.map((variant) => section(variant, results)),
    ...notes(variants),
    ...(spent === undefined ? [] : [timeSpentText(spent, profiles.flameName(id))]),
  ].join('\n\n')
}

function section(variant: VariantResult, { about: now }: Results): string {
  const { heads, rows } = tableOf(variant)
  const about = Object.entries(variant.about).map(
    ([name, value]) => `${name} ${typeof value === 'number' ? shown(value) : value}`,
  )
  const broker = variant.broker === 'kafka' ? 'Apache Kafka' : 'embedded broker'
  const ideal = variant.idealRate === null ? [] : [`ideal ${shown(variant.idealRate)} records/s`]
  const rounds = Math.max(...variant.contenders.map((each) => each.rounds.length))
  const { date, commit } = variant.taken
  // Measured again alone, before or after the rest.
  const taken = commit === now.commit ? '' : `; taken ${date.slice(0, 10)} of commit \`${commit.slice(0, 12)}\``
  return [
    `### ${variant.workload} ${variant.variant}: ${variant.title} · ${broker}`,
    '',
    `${[...about, ...ideal].join(', ')}; ${rounds} ${rounds === 1 ? 'round' : 'rounds'}${taken}`,
    '',
    `| | ${heads.join(' | ')} |`,
    `|---|${heads.map(() => '--:|').join('')}`,
    ...rows.map(({ title, cells }) =>
      typeof cells === 'string'
        ? `| ${title} | ${cell(cells)} |${' |'.repeat(heads.length - 1)}`
        : `| ${title.includes('fanlane') ? `**${title}**` : title} | ${cells.map(cell).join(' | ')} |`,
    ),
  ].join('\n')
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

function notes(variants: readonly VariantResult[]): string[] {
  const all = variants.flatMap(({ contenders }) => contenders)
  const texts = [...new Set(all.flatMap(({ title, note }) => (note === null ? [] : [`${title}: ${note}.`])))]
  const hasPart = variants.some((each) => each.contenders.some(({ records }) => records < mostRecords(each)))
  const lines = [...(hasPart ? ['¹ with fewer records, because it is slow: the rate is what counts.'] : []), ...texts]
  return lines.length === 0 ? [] : [lines.join(' ')]
}

// ---------------------------------------------------------------------------------------------------------------------
// Pictures.
// ---------------------------------------------------------------------------------------------------------------------

/** What a picture of a workload shows, the first that was measured. */
const shownBy: readonly { readonly unit: string; readonly pick: (round: GoodRound) => number | null | undefined }[] = [
  { unit: 'records/s', pick: (round) => round.rate },
  { unit: 'p99 latency, ms (shorter is better)', pick: (round) => round.more['p99 ms'] },
  {
    unit: 'standstill when a member joins, ms (shorter is better)',
    pick: (round) => round.more['standstill at join ms'],
  },
  { unit: 'done twice, % (shorter is better)', pick: (round) => round.more['done twice %'] },
]

function chartOf(title: string, variants: readonly VariantResult[]): Chart | null {
  const first = variants.find(({ broker }) => broker === 'kafka') ?? variants[0]
  if (first === undefined) return null
  if (first.workload === 'W9') return growthChart(title, variants)
  for (const { unit, pick } of shownBy) {
    const bars = first.contenders.flatMap((one) => barOf(one, one.title, pick))
    if (bars.length === 0) continue
    const mark =
      unit === 'records/s' && first.idealRate !== null ? { mark: { value: first.idealRate, label: 'ideal' } } : {}
    return { title: `${first.workload} ${first.variant}: ${title}`, unit, bars, ...mark }
  }
  return null
}

function growthChart(title: string, variants: readonly VariantResult[]): Chart {
  const bars = variants.flatMap((variant) =>
    variant.contenders.flatMap((one) =>
      barOf(one, variant.title, (round) => (round.cpuSeconds === null ? null : (round.cpuSeconds / one.records) * 1e6)),
    ),
  )
  return { title: `W9: ${title}`, unit: 'CPU µs per record (shorter is better)', bars }
}

/** A contender that failed in any round has no bar. */
function barOf(one: ContenderResult, label: string, pick: (round: GoodRound) => number | null | undefined): Bar[] {
  if (!one.rounds.every(isGood)) return []
  const spread = spreadOf(valuesOf(one, pick).filter((value) => value !== null))
  return spread === null ? [] : [{ ...spread, label, isOurs: one.name.startsWith('ours') }]
}
