/** Several answers to one question, as one frame. */
import { fineQuantile } from '../telemetry/fine-histogram.ts'
import type { AuditFrame, Beside, Detail, Frame, MemberFrame, OverviewFrame, PartitionFrame } from './frames.ts'
import { type Answer, type Figures, ordering, orderOf, type Question } from './instance.ts'

const LIST_MAX = 100
/** How many partitions that are held back the first page names. */
const STUCK_MAX = 5

export interface MergeParts {
  readonly group: string
  readonly at: number
  readonly question: Question
  readonly answers: readonly Answer[]
  /** What the brokers say; null: they were not asked, and the instances tell. */
  readonly members: readonly MemberFrame[] | null
  readonly audit: readonly AuditFrame[]
  readonly beside: Beside | null
}

export function merged({ group, at, question, answers, members, audit, beside }: MergeParts): Frame {
  return {
    at,
    group,
    overview: overviewOf(answers.map(({ figures }) => figures)),
    instances: answers.map(({ instance }) => instance),
    detail: detailOf(question, answers, members, audit),
    beside,
  }
}

function detailOf(
  question: Question,
  answers: readonly Answer[],
  members: readonly MemberFrame[] | null,
  audit: readonly AuditFrame[],
): Detail {
  const { page } = question
  switch (page) {
    case 'overview':
      return { page, stuck: partitionsOf({ ...question, sort: 'stuck', from: 0, count: STUCK_MAX }, answers) }
    case 'partitions':
      return {
        page,
        from: question.from,
        total: sum(answers, ({ total, partitions }) => total - partitions.length) + held(answers).length,
        partitions: partitionsOf(question, answers),
      }
    case 'lanes':
      return {
        page,
        count: sum(answers, ({ figures }) => figures.lanes),
        hottest: answers
          .flatMap(({ hottest }) => hottest)
          .sort((a, b) => b.depth - a.depth)
          .slice(0, LIST_MAX),
      }
    case 'retries':
      return {
        page,
        waiting: answers
          .flatMap(({ waiting }) => waiting)
          .sort((a, b) => a.dueAt - b.dueAt)
          .slice(0, LIST_MAX),
        waitingTotal: sum(answers, ({ figures }) => figures.waiting),
        parked: answers.flatMap(({ parked }) => parked),
      }
    case 'group':
      return {
        page,
        members: members ?? answers.flatMap((answer) => answer.members),
        rebalances: answers.flatMap(({ rebalances }) => rebalances).sort(newestFirst),
      }
    case 'errors':
      return {
        page,
        errors: answers
          .flatMap(({ errors }) => errors)
          .sort(newestFirst)
          .slice(0, LIST_MAX),
        audit,
      }
    case 'dead-letters':
    case 'config':
      return { page }
  }
}

function partitionsOf({ sort, from, count }: Question, answers: readonly Answer[]): readonly PartitionFrame[] {
  const order = ordering(sort)
  const first = from - sum(answers, ({ leftOut }) => leftOut)
  return held(answers)
    .map((partition) => ({ partition, by: orderOf(partition) }))
    .sort((a, b) => order(a.by, b.by))
    .slice(first, first + count)
    .map(({ partition }) => partition)
}

/** A partition that a silent instance had may have gone to one that tells about it. */
function held(answers: readonly Answer[]): readonly PartitionFrame[] {
  const isSilent = ({ instance }: Answer): boolean => instance.state === 'silent'
  if (!answers.some(isSilent)) return answers.flatMap(({ partitions }) => partitions)
  const told = answers.filter((answer) => !isSilent(answer)).flatMap(({ partitions }) => partitions)
  const names = new Set(told.map(({ topic, partition }) => `${topic}-${partition}`))
  const last = answers.filter(isSilent).flatMap(({ partitions }) => partitions)
  return [...told, ...last.filter(({ topic, partition }) => !names.has(`${topic}-${partition}`))]
}

export function overviewOf(all: readonly Figures[]): OverviewFrame {
  const used = (name: 'inFlight' | 'bytes' | 'running') => ({
    used: sum(all, (figures) => figures[name].used),
    limit: sum(all, (figures) => figures[name].limit),
  })
  const handlers = addedUp(all.map(({ handlerCounts }) => handlerCounts))
  const commits = addedUp(all.map(({ commitCounts }) => commitCounts))
  return {
    partitions: sum(all, ({ partitions }) => partitions),
    stalled: sum(all, ({ stalled }) => stalled),
    rates: {
      finished: sum(all, ({ rates }) => rates.finished),
      admitted: sum(all, ({ rates }) => rates.admitted),
      retries: sum(all, ({ rates }) => rates.retries),
    },
    lag: sum(all, ({ lag }) => lag),
    lagMs: largest(all.map(({ lagMs }) => lagMs)),
    inFlight: used('inFlight'),
    bytes: used('bytes'),
    running: used('running'),
    lanes: sum(all, ({ lanes }) => lanes),
    waiting: sum(all, ({ waiting }) => waiting),
    parked: sum(all, ({ parked }) => parked),
    handlerMs: isEmpty(handlers)
      ? null
      : { p50: fineQuantile(handlers, 0.5), p95: fineQuantile(handlers, 0.95), p99: fineQuantile(handlers, 0.99) },
    commitMs: isEmpty(commits) ? null : { p50: fineQuantile(commits, 0.5), p99: fineQuantile(commits, 0.99) },
    eventLoopMs: largest(all.map(({ eventLoopMs }) => eventLoopMs)),
    paused: addedRecords(all.map(({ paused }) => paused)),
    totals: addedRecords(all.map(({ totals }) => totals)),
  }
}

function sum<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return items.reduce((total, item) => total + value(item), 0)
}

function largest(values: readonly (number | null)[]): number | null {
  return values.reduce((a, b) => (a === null ? b : b === null ? a : Math.max(a, b)), null)
}

function addedUp(all: readonly (readonly number[])[]): readonly number[] {
  const counts: number[] = []
  for (const each of all) for (const [at, count] of each.entries()) counts[at] = (counts[at] ?? 0) + count
  return counts
}

function isEmpty(counts: readonly number[]): boolean {
  return counts.every((count) => count === 0)
}

function addedRecords(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const added: Record<string, number> = {}
  for (const each of all) for (const [name, value] of Object.entries(each)) added[name] = (added[name] ?? 0) + value
  return added
}

function newestFirst(a: { readonly at: number }, b: { readonly at: number }): number {
  return b.at - a.at
}
