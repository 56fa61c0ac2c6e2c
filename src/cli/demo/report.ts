/** What the demo tells: the line that moves, the summary, and the same as data. */
import type { RawRecord } from '../../ports/log-client.ts'
import type { Committed, Ground } from './ground.ts'
import type { Racer } from './racer.ts'
import type { Screen } from './screen.ts'

/** How far one of the two has come. */
export interface Race {
  readonly racer: Racer
  readonly records: number
  readonly ms: number
}

export interface RacerResult {
  readonly records: number
  readonly seconds: number
  readonly perSecond: number
  readonly retries: number
  readonly deadLetters: number
  readonly outOfOrderStarts: number
  /** Ran again, because somebody was killed. */
  readonly repeated: number
  readonly committed: readonly Committed[]
}

export interface DeadLetter {
  readonly source: string
  readonly attempts: number
  readonly error: string
}

export interface DemoResult {
  /** Nothing started out of order, and fanlane has committed up to the log end (unless it was interrupted). */
  readonly ok: boolean
  readonly interrupted: boolean
  readonly oneAtATime: RacerResult
  readonly fanlane: RacerResult
  /** null: interrupted before there was anything to compare. */
  readonly ratio: number | null
  /** What the busiest key allows: its records run one after the other, whatever the concurrency. */
  readonly ratioMax: number
  readonly deadLetter: DeadLetter | null
}

export interface DemoFacts {
  readonly ground: Ground
  readonly oneAtATime: Race
  readonly fanlane: Race
  readonly hottestShare: number
  readonly interrupted: boolean
}

export function raceLine(race: Race, before: Race | null, screen: Screen): string {
  const { racer, records, ms } = race
  const name = before === null ? '1 by 1 ' : 'fanlane'
  const { outOfOrder } = racer.checker
  const order = outOfOrder === 0 ? screen.good('order ok') : screen.bad(`${outOfOrder} out of order`)
  const ratio = before === null ? '' : times(ratioOf(race, before))
  const time = `${(ms / 1_000).toFixed(1)} s`.padStart(7)
  return `${name}${time}${count(records, 8)} orders${count(perSecond(race), 7)}/s  ${order}  ${ratio}`.trimEnd()
}

export async function resultOf({ ground, interrupted, hottestShare, ...races }: DemoFacts): Promise<DemoResult> {
  const oneAtATime = await racerResult(ground, races.oneAtATime)
  const fanlane = await racerResult(ground, races.fanlane)
  const { deadLetterTopic, deadLetters } = races.fanlane.racer
  const atLogEnd = fanlane.committed.every(({ position, logEnd }) => position === logEnd)
  return {
    ok: fanlane.outOfOrderStarts === 0 && oneAtATime.outOfOrderStarts === 0 && (atLogEnd || interrupted),
    interrupted,
    oneAtATime,
    fanlane,
    ratio: ratioOf(races.fanlane, races.oneAtATime),
    ratioMax: round(1 / hottestShare, 1),
    deadLetter: deadLetters === 0 ? null : deadLetterOf(await ground.firstLetter(deadLetterTopic)),
  }
}

async function racerResult(ground: Ground, race: Race): Promise<RacerResult> {
  const { racer, records, ms } = race
  return {
    records,
    seconds: round(ms / 1_000, 2),
    perSecond: perSecond(race),
    retries: racer.retries,
    deadLetters: racer.deadLetters,
    outOfOrderStarts: racer.checker.outOfOrder,
    repeated: racer.checker.repeated,
    committed: await ground.committed(racer.group),
  }
}

function deadLetterOf(letter: RawRecord | null): DeadLetter | null {
  if (letter === null) return null
  const header = (name: string): string => String(letter.headers.find(({ key }) => key === `fanlane-${name}`)?.value)
  return {
    source: `${header('source-topic')}-${header('source-partition')} offset ${header('source-offset')}`,
    attempts: Number(header('attempts')),
    error: `${header('error-code')}: ${header('error-message')}`,
  }
}

export function printSummary(result: DemoResult, screen: Screen): void {
  const { oneAtATime, fanlane, deadLetter } = result
  const row = (name: string, left: number | string, right: number | string): void =>
    screen.line(`${name.padEnd(24)}${cell(left)}${cell(right)}`)
  screen.line()
  row('', 'one at a time', 'fanlane')
  row('records per second', oneAtATime.perSecond, fanlane.perSecond)
  row('speed-up', '', times(result.ratio))
  row('starts out of order', oneAtATime.outOfOrderStarts, fanlane.outOfOrderStarts)
  if (fanlane.repeated > 0) row('again after the crash', oneAtATime.repeated, fanlane.repeated)
  row('retries', oneAtATime.retries, fanlane.retries)
  row('dead letters', oneAtATime.deadLetters, fanlane.deadLetters)
  row('committed', sumOf(oneAtATime, 'position'), sumOf(fanlane, 'position'))
  if (result.interrupted)
    row('finished ahead of it', sumOf(oneAtATime, 'finishedAhead'), sumOf(fanlane, 'finishedAhead'))
  row('log end', sumOf(oneAtATime, 'logEnd'), sumOf(fanlane, 'logEnd'))
  screen.line()
  screen.line(verdict(result, screen))
  if (deadLetter !== null) {
    screen.line(`Dead letter: ${deadLetter.source}, ${deadLetter.attempts} attempts,`)
    screen.line(`  ${deadLetter.error}`)
  }
  screen.line(`The busiest customer's orders run one after the other:`)
  screen.line(`  with this stream no concurrency gives more than ${times(result.ratioMax)}.`)
  screen.line()
  for (const line of next) screen.line(line)
}

/** From a clone the package is not installed: npm scripts are at hand there, and `fanlane` is not. */
const next: readonly string[] = import.meta.url.endsWith('.ts')
  ? [
      'Next:  npm test          the tests',
      '       npm run sim       simulated crashes, rebalances',
      '       docs/guide/       your first consumer',
    ]
  : [
      'Next:  npx fanlane init      a consumer of your own',
      '       npx fanlane dev       a broker and a dashboard for it',
      '       npx fanlane --help    everything else',
    ]

function verdict({ ok, interrupted, fanlane }: DemoResult, screen: Screen): string {
  if (!ok) return screen.bad('This should not happen: please report it.')
  if (interrupted) return screen.good('Interrupted: what ran has ended, what is done is committed.')
  return screen.good(`In order, committed up to the end of all ${fanlane.committed.length} partitions.`)
}

function sumOf({ committed }: RacerResult, column: 'position' | 'finishedAhead' | 'logEnd'): number {
  return committed.reduce((sum, row) => sum + row[column], 0)
}

export function perSecond({ records, ms }: Race): number {
  return ms === 0 ? 0 : Math.round((records * 1_000) / ms)
}

export function ratioOf(race: Race, before: Race): number | null {
  return race.records === 0 || before.records === 0
    ? null
    : round((race.records / race.ms) * (before.ms / before.records), 1)
}

function cell(value: number | string): string {
  return (typeof value === 'number' ? count(value) : value).padStart(16)
}

function count(value: number, width = 0): string {
  return value.toLocaleString('en-US').padStart(width)
}

function times(ratio: number | null): string {
  if (ratio === null) return ''
  return `${ratio < 10 ? ratio.toFixed(1) : Math.round(ratio)} x`
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
