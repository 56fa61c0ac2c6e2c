/** Where the time of a contender went, part by part: from a CPU profile, kept beside the results and shown on the page. */
import { type CpuProfile, framesOf, hottest } from './flame.ts'
import type { Taken } from './results.ts'

export interface TimeSpent {
  readonly workload: string
  readonly taken: Taken
  /** Of the time in which something was done, largest first. */
  readonly parts: readonly Share[]
  readonly functions: readonly Share[]
}

export interface Share {
  readonly name: string
  readonly share: number
}

/** The first that fits. The folders are those of the build, which are those of src/. */
const rooms: readonly (readonly [RegExp, string])[] = [
  [/\/(protocol|cluster|clients)\//, 'the wire: fetching, checksums, decoding'],
  [/\/kernel\//, 'the control plane: lanes, order, limits, what is finished'],
  [/\/(engines|runtime|consumer|telemetry|[^/]*compose|[^/]*consume)(\/|\.js)/, 'calling handlers'],
  [/\/bench\//, 'the handler itself and the ledger'],
  [/^node:/, 'Node: sockets, buffers, timers, loading of code'],
]

const restName = 'all else: compiling, the runtime itself'
const idle: ReadonlySet<string> = new Set(['(idle)', '(root)'])

export function partsOf({ nodes, samples = [], timeDeltas = [] }: CpuProfile): Share[] {
  const nameOfNode = new Map(nodes.map(({ id, callFrame }) => [id, partOf(callFrame)]))
  const spentUs = new Map<string, number>()
  let totalUs = 0
  for (const [at, id] of samples.entries()) {
    const name = nameOfNode.get(id) ?? null
    const us = Math.max(0, timeDeltas[at] ?? 0)
    if (name === null) continue
    totalUs += us
    spentUs.set(name, (spentUs.get(name) ?? 0) + us)
  }
  const parts = [...spentUs].map(([name, us]) => ({ name, share: us / Math.max(1, totalUs) }))
  return parts.sort((a, b) => b.share - a.share)
}

/** Null: nothing was done. */
function partOf({ functionName, url }: CpuProfile['nodes'][number]['callFrame']): string | null {
  if (idle.has(functionName)) return null
  if (functionName === '(garbage collector)') return 'collecting garbage'
  return rooms.find(([pattern]) => pattern.test(url))?.[1] ?? restName
}

export function timeSpent(profile: CpuProfile, about: Pick<TimeSpent, 'workload' | 'taken'>): TimeSpent {
  const functions = hottest(framesOf(profile), 13).filter(({ name }) => !idle.has(name))
  return { ...about, parts: partsOf(profile), functions }
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

/** A section of the page. */
export function timeSpentText({ taken, parts, functions }: TimeSpent, image: string): string {
  return [
    '### Where fanlane’s time goes',
    '',
    `Of its main thread, by a CPU profile (\`${taken.command}\`, commit \`${taken.commit.slice(0, 12)}\`${taken.changed ? ' with changes' : ''}); [flame graph](images/${image}).`,
    '',
    '| part | share |',
    '|---|--:|',
    ...parts.filter(({ share }) => share >= 0.005).map(({ name, share }) => `| ${name} | ${percent(share)} |`),
    '',
    `The functions with most of it: ${functions
      .slice(0, 12)
      .map(({ name, share }) => `\`${name}\` ${percent(share)}`)
      .join(', ')}.`,
  ].join('\n')
}
