import { readdirSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'

/** A text file of the repository: path from the root with forward slashes, and what is in it. */
export type TextFile = { readonly path: string; readonly text: string }

/** The repository root. */
export const root: string = join(import.meta.dirname, '..')

/**
 * Every text file that belongs to the repository: what .gitignore leaves out stays out, and so do binary files.
 * It walks the directory instead of asking git, so that it gives the same answer in a copy without history.
 */
export function repositoryFiles(from: string = root): TextFile[] {
  const ignored = ignorePatterns(readFileSync(join(from, '.gitignore'), 'utf8'))
  const files: TextFile[] = []
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(from, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.name === '.git' || ignored.some((pattern) => matchesGlob(entry.name, pattern))) continue
      if (entry.isDirectory()) walk(path)
      else if (entry.isFile()) {
        const text = readFileSync(join(from, path), 'utf8')
        if (!text.includes('\0')) files.push({ path, text })
      }
    }
  }
  walk('')
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Our .gitignore holds plain names and `*.ext` only; anything cleverer would be read wrongly, so it is refused. */
function ignorePatterns(gitignore: string): string[] {
  const patterns = gitignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return patterns.map((pattern) => {
    if (!/^[\w.*-]+\/?$/.test(pattern)) throw new Error(`.gitignore: write a plain name or *.ext, not "${pattern}"`)
    return pattern.replace(/\/$/, '')
  })
}
