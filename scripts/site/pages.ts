/** What is on the site, in the order of its navigation, and where each page of the repository is found there. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { chapters } from '../docs/guide.ts'
import { root } from '../files.ts'

export interface SitePage {
  /** From the root of the repository. */
  readonly source: string
  /** From the root of the site. */
  readonly url: string
  /** In the navigation. */
  readonly title: string
}

export interface SiteChapter {
  readonly title: string
  readonly pages: readonly SitePage[]
  /** Folded until one is in it. */
  readonly isFolded: boolean
}

const optional = (source: string, url: string, title: string): readonly SitePage[] =>
  existsSync(join(root, source)) ? [{ source, url, title }] : []

function decisions(): readonly SitePage[] {
  return readdirSync(join(root, 'docs/adr'))
    .filter((name) => name.endsWith('.md'))
    .sort((a, b) => Number(b === 'README.md') - Number(a === 'README.md') || (a < b ? -1 : 1))
    .map((name) => ({
      source: `docs/adr/${name}`,
      url: name === 'README.md' ? 'adr/index.html' : `adr/${name.replace(/\.md$/, '.html')}`,
      title: name === 'README.md' ? 'All decisions' : adrTitle(name),
    }))
}

/** `0003-unfinished-list.md` → `0003 unfinished list`. */
function adrTitle(name: string): string {
  return name.replace(/\.md$/, '').replaceAll('-', ' ')
}

export const siteChapters: readonly SiteChapter[] = [
  {
    title: '',
    isFolded: false,
    pages: [{ source: 'docs/guide/README.md', url: 'index.html', title: 'Guide' }],
  },
  ...chapters.map(({ title, pages }) => ({
    title,
    isFolded: false,
    pages: pages.map(({ file, title: name }) => ({
      source: `docs/guide/${file}`,
      url: `guide/${file.replace(/\.md$/, '.html')}`,
      title: name,
    })),
  })),
  {
    title: 'More',
    isFolded: false,
    pages: [
      ...optional('docs/errors.md', 'errors.html', 'Errors'),
      ...optional('docs/BENCHMARKS.md', 'benchmarks.html', 'Benchmarks'),
      ...optional('docs/SCALING.md', 'scaling.html', 'Scaling'),
      ...optional('docs/ARCHITECTURE.md', 'architecture.html', 'Architecture'),
      ...optional('docs/SPEC.md', 'spec.html', 'Promises and their proofs'),
      ...optional('CHANGELOG.md', 'changelog.html', 'Changes'),
    ],
  },
  { title: 'Decisions', isFolded: true, pages: decisions() },
]

export const sitePages: readonly SitePage[] = siteChapters.flatMap(({ pages }) => pages)
