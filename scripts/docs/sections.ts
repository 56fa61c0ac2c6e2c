/**
 * Parts of docs/ that are made from code: what stands between `<!-- made from X -->` and `<!-- end -->`. The rest of the page is
 * written by hand.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../files.ts'

export interface Section {
  /** Path of the page, from the root. */
  readonly page: string
  /** What it is made from; names the section in its page. */
  readonly from: string
  readonly text: () => string
  /** Put at the end of the page where it is not there yet. */
  readonly isFoot?: boolean
}

/** Writes the sections; with `isCheck` it only tells which pages are not what the code says. */
export function writeSections(sections: readonly Section[], isCheck: boolean): readonly string[] {
  const stale = new Set<string>()
  for (const { page, from, text, isFoot = false } of sections) {
    const path = join(root, page)
    const found = readFileSync(path, 'utf8')
    const opening = `<!-- made from ${from} -->`
    const before = isFoot && !found.includes(opening) ? `${found.trimEnd()}\n\n${opening}\n\n<!-- end -->\n` : found
    const start = before.indexOf(opening)
    const end = before.indexOf('<!-- end -->', start)
    if (start < 0 || end < 0) throw new Error(`${page} has no section "${opening} … <!-- end -->"`)
    const after = `${before.slice(0, start)}${opening}\n\n${text().trim()}\n\n${before.slice(end)}`
    if (after === found) continue
    stale.add(page)
    if (!isCheck) writeFileSync(path, after)
  }
  return [...stale]
}
