/** Where results and what is made of them are kept. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/files.ts'
import { pageOf } from './page.ts'
import { mergeResults, type Results } from './results.ts'
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

/** Gives the files that were written. */
export function writePage(results: Results, workloads: readonly Workload[]): string[] {
  const { markdown, images } = pageOf(results, workloads)
  const docs = join(root, 'docs')
  mkdirSync(join(docs, 'images'), { recursive: true })
  const files = [
    ['BENCHMARKS.md', markdown] as const,
    ...[...images].map(([name, svg]) => [`images/${name}`, svg] as const),
  ]
  for (const [name, text] of files) writeFileSync(join(docs, name), text)
  return files.map(([name]) => `docs/${name}`)
}
