/** The static site: every link leads somewhere, nothing comes from elsewhere, everything can be found. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { OWN_ERRORS } from '../../../scripts/docs/errors/index.ts'
import { guidePages } from '../../../scripts/docs/guide.ts'
import { highlighted } from '../../../scripts/site/highlight.ts'
import { render } from '../../../scripts/site/render.ts'
import { buildSite } from '../../../scripts/site/site.ts'

describe('the site', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fanlane-site-'))
  const pages = new Map<string, string>()
  before(() => {
    buildSite(directory)
    for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
      if (name.endsWith('.html')) pages.set(name, readFileSync(join(directory, name), 'utf8'))
    }
  })
  after(() => rmSync(directory, { recursive: true, force: true }))

  test('has the guide in its order, the errors and the decisions', () => {
    for (const { file } of guidePages) assert.ok(pages.has(join('guide', file.replace(/\.md$/, '.html'))), file)
    for (const name of ['index.html', 'errors.html', join('adr', 'index.html')]) assert.ok(pages.has(name), name)
    const links = [...(pages.get('index.html') ?? '').matchAll(/<li><a href="(guide\/[\w-]+\.html)"/g)].map(
      ([, url]) => url,
    )
    const wanted = guidePages.map(({ file }) => `guide/${file.replace(/\.md$/, '.html')}`)
    assert.deepEqual(links.slice(0, wanted.length), wanted)
  })

  test('links and pictures lead somewhere, anchors too', () => {
    const dead: string[] = []
    for (const [name, html] of pages) {
      for (const [, target = ''] of html.matchAll(/(?:href|src)="([^"]*)"/g)) {
        if (/^https?:/.test(target)) continue
        const [path = '', anchor] = target.split('#')
        const file = path === '' ? name : join(dirname(name), path)
        const isThere = existsSync(join(directory, file))
        const hasAnchor = anchor === undefined || (pages.get(file) ?? '').includes(`id="${anchor}"`)
        if (!isThere || !hasAnchor) dead.push(`${name} → ${target}`)
      }
    }
    assert.deepEqual(dead, [])
  })

  test('diagrams are pictures, not the source of some', () => {
    for (const [name, html] of pages) assert.doesNotMatch(html, /class="code (mermaid|dot|plantuml)"/, name)
    assert.match(pages.get('architecture.html') ?? '', /<img src="images\/architecture-loop\.svg" alt="[^"]{30,}"/)
  })

  test('what the search leads to is there, and no two sections have one name', () => {
    const text = readFileSync(join(directory, 'search-index.js'), 'utf8')
    const entries = JSON.parse(text.slice(text.indexOf('['))) as [string, string, string, string][]
    const dead = entries
      .map(([, , url]) => url.split('#'))
      .filter(([path = '', anchor]) => anchor !== undefined && !pages.get(join(path))?.includes(`id="${anchor}"`))
    assert.deepEqual(dead, [])
    for (const [name, html] of pages) {
      const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
      assert.equal(new Set(ids).size, ids.length, name)
    }
  })

  test('loads nothing from elsewhere and has no inline script or style', () => {
    for (const [name, html] of pages) {
      const loaded = [...html.matchAll(/<(?:script|link|img|iframe)\b[^>]*?(?:src|href)="([^"]*)"/g)].map(
        ([, url]) => url ?? '',
      )
      assert.deepEqual(
        loaded.filter((url) => /^(https?:)?\/\//.test(url)),
        [],
        name,
      )
      assert.doesNotMatch(html, /<script(?![^>]*src=)|<style|\sstyle="|\son\w+="/, name)
    }
  })

  test('every page and every code of an error can be found', () => {
    const text = readFileSync(join(directory, 'search-index.js'), 'utf8')
    const entries = JSON.parse(text.slice(text.indexOf('['))) as [string, string, string, string][]
    const found = new Set(entries.map(([, , url]) => url.replace(/#.*/, '')))
    for (const name of pages.keys()) assert.ok(found.has(name.replaceAll('\\', '/')), name)
    const words = entries.map(([, , , words]) => words).join(' ')
    for (const code of OWN_ERRORS.flatMap((group) => Object.keys(group.entries))) {
      assert.ok(words.includes(code), code)
    }
  })

  test('what is in a page is text: markup in code and cells does nothing', () => {
    const { html } = render(
      'docs/x.md',
      'x.html',
      '# T\n\n```ts\nconst a = "<img onerror=x>" // </code>\n```\n\n`<b>`\n',
      new Map(),
    )
    assert.doesNotMatch(html, /<img|<b>/)
    assert.equal(highlighted('a < b', 'ts'), 'a &lt; b')
    assert.match(highlighted("const x = 'y' // z", 'ts'), /<span class="word">const<\/span> x = <span class="string">/)
  })
})
