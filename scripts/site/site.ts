/** The static site: every page of the guide and of the documents beside it, with a navigation and a search, ready to be served or opened. */
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../files.ts'
import { sitePages } from './pages.ts'
import { type Rendered, render } from './render.ts'
import { template } from './template.ts'

/** Of the text of one section, in the index. */
const SEARCH_TEXT_MAX = 12_000

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

/** Pages and pictures, by where they are in the repository. */
function addresses(): ReadonlyMap<string, string> {
  const images = readdirSync(join(root, 'docs/images')).map(
    (name) => [`docs/images/${name}`, `images/${name}`] as const,
  )
  return new Map([...sitePages.map(({ source, url }) => [source, url] as const), ...images])
}

/** How many pages were written. */
export function buildSite(directory: string): number {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const urls = addresses()
  const index: (readonly [page: string, heading: string, url: string, text: string])[] = []
  for (const page of sitePages) {
    const rendered = render(page.source, page.url, readFileSync(join(root, page.source), 'utf8'), urls)
    const path = join(directory, page.url)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, template(page, rendered, version))
    index.push(...indexed(page.url, rendered))
  }
  cpSync(join(root, 'docs/images'), join(directory, 'images'), { recursive: true })
  for (const name of ['style.css', 'theme.js', 'search.js']) {
    copyFileSync(join(import.meta.dirname, name), join(directory, name))
  }
  writeFileSync(join(directory, 'search-index.js'), `globalThis.fanlaneSearch = ${JSON.stringify(index)}\n`)
  return sitePages.length
}

function indexed(url: string, { title, sections }: Rendered): readonly (readonly [string, string, string, string])[] {
  return sections.map(({ slug, heading, text }) => [
    title,
    heading,
    slug === '' ? url : `${url}#${slug}`,
    text.slice(0, SEARCH_TEXT_MAX),
  ])
}
