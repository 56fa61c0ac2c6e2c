/** Where results and what is made of them are kept. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from '../../scripts/files.ts'
import { pageOf } from './page.ts'
import type { DrawnProfile } from './profiles.ts'
import { mergeResults, type Results } from './results.ts'
import { type TimeSpent, timeSpent } from './time-spent.ts'
import type { Workload } from './workload.ts'

export const resultsFolder: string = join(root, 'bench', 'results')
const latest = join(resultsFolder, 'latest.json')

/** Null: nothing was measured here. */
export function readLatest(): Results | null {
  if (!existsSync(latest)) return null
  return JSON.parse(readFileSync(latest, 'utf8')) as Results
}

/** What is there of other workloads stays. */
export function keep(results: Results): void {
  mkdirSync(resultsFolder, { recursive: true })
  writeFileSync(latest, `${JSON.stringify(mergeResults(readLatest(), results), null, 1)}\n`)
}

const profileFile = (workload: string): string => join(resultsFolder, `profile-${workload.toLowerCase()}.json`)
const flameName = (workload: string): string => `bench-flame-${workload.toLowerCase()}.svg`

/** The longest of ours: that of its main thread. Gives the files that were written. */
export function keepProfile(profiles: readonly DrawnProfile[], about: Pick<TimeSpent, 'workload' | 'taken'>): string[] {
  const samples = ({ profile }: DrawnProfile): number => profile.samples?.length ?? 0
  const ours = profiles.filter(({ name }) => name.startsWith('ours')).sort((a, b) => samples(b) - samples(a))[0]
  if (ours === undefined) return []
  const flame = join(root, 'docs', 'images', flameName(about.workload))
  writeFileSync(flame, ours.svg)
  writeFileSync(profileFile(about.workload), `${JSON.stringify(timeSpent(ours.profile, about), null, 1)}\n`)
  return [profileFile(about.workload), flame].map((file) => relative(root, file))
}

function readProfiles(workloads: readonly Workload[]): TimeSpent[] {
  const files = workloads.map(({ id }) => profileFile(id)).filter((file) => existsSync(file))
  return files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as TimeSpent)
}

/** Gives the files that were written. */
export function writePage(results: Results, workloads: readonly Workload[]): string[] {
  const { markdown, images } = pageOf(results, workloads, { spent: readProfiles(workloads), flameName })
  const docs = join(root, 'docs')
  mkdirSync(join(docs, 'images'), { recursive: true })
  const files = [
    ['BENCHMARKS.md', markdown] as const,
    ...[...images].map(([name, svg]) => [`images/${name}`, svg] as const),
  ]
  for (const [name, text] of files) writeFileSync(join(docs, name), text)
  return files.map(([name]) => `docs/${name}`)
}
