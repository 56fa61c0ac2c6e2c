/** Markdown to the inside of a page: headings with anchors, links inside the site, code with colours. */
import { dirname, join, relative } from 'node:path/posix'
import { Marked, type Tokens } from 'marked'
import { escapeHtml, highlighted } from './highlight.ts'

export interface Heading {
  readonly depth: number
  readonly text: string
  readonly slug: string
}

export interface Section {
  /** '' for what stands before the first heading below the title. */
  readonly slug: string
  readonly heading: string
  readonly text: string
}

export interface Rendered {
  readonly title: string
  readonly html: string
  readonly headings: readonly Heading[]
  /** For the search: the page, cut at its headings. */
  readonly sections: readonly Section[]
}

/** As the usual viewers of markdown name a heading. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

/** The second heading of a name gets `-1`, the third `-2`, as the usual viewers do it. */
function slugger(): (heading: string) => string {
  const counts = new Map<string, number>()
  return (heading) => {
    const slug = slugOf(heading)
    const count = counts.get(slug) ?? 0
    counts.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  }
}

const plain = (markdown: string): string =>
  markdown
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/^\|[-| :]+\|$/gm, '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*|]|^#+ |^---+$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** `urls`: where pages and pictures of the repository are on the site. */
export function render(source: string, url: string, text: string, urls: ReadonlyMap<string, string>): Rendered {
  // The links to the neighbours are the template's business here.
  const markdown = text.replace(/<!-- made from scripts\/docs\/guide\.ts -->\s*---[\s\S]*?<!-- end -->\s*$/, '')
  const headings: Heading[] = []
  const slugFor = slugger()
  const target = (href: string): string | null => targetOf(href, source, url, urls)
  const marked = new Marked({ gfm: true })
  marked.use({
    renderer: {
      heading({ tokens, depth, text: raw }: Tokens.Heading): string {
        const name = plain(raw)
        const slug = slugFor(name)
        headings.push({ depth, text: name, slug })
        const inner = this.parser.parseInline(tokens)
        if (depth === 1) return `<h1 id="${slug}">${inner}</h1>\n`
        return `<h${depth} id="${slug}"><a class="anchor" href="#${slug}" aria-label="Link to this section">#</a>${inner}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link): string {
        const inner = this.parser.parseInline(tokens)
        const to = target(href)
        return to === null ? inner : `<a href="${escapeHtml(to)}">${inner}</a>`
      },
      image({ href, text: alt }: Tokens.Image): string {
        const to = target(href)
        return to === null ? '' : `<img src="${escapeHtml(to)}" alt="${escapeHtml(alt)}" loading="lazy">`
      },
      code({ text: code, lang = '' }: Tokens.Code): string {
        return `<figure class="code ${escapeHtml(lang)}"><pre tabindex="0"><code>${highlighted(code, lang)}</code></pre></figure>\n`
      },
      table({ header, rows }: Tokens.Table): string {
        const cell = (tag: 'th' | 'td', { tokens }: Tokens.TableCell, at: number): string => {
          const label = tag === 'td' ? ` data-label="${escapeHtml(plain(header[at]?.text ?? ''))}"` : ''
          return `<${tag}${label}>${this.parser.parseInline(tokens)}</${tag}>`
        }
        const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td'): string =>
          `<tr>${cells.map((each, at) => cell(tag, each, at)).join('')}</tr>`
        const body = rows.map((cells) => row(cells, 'td')).join('\n')
        const head = header.some(({ text: name }) => name !== '') ? `<thead>${row(header, 'th')}</thead>` : ''
        const kind = isProse(rows) ? 'table prose' : 'table'
        return `<div class="${kind}" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>\n`
      },
    },
  })
  const html = marked.parse(markdown, { async: false }).replaceAll(/<!--[\s\S]*?-->\n?/g, '')
  return { title: headings[0]?.text ?? source, html, headings, sections: sectionsOf(markdown) }
}

/** Sentences, not figures: on a narrow screen such rows are shown one cell below the other. */
function isProse(rows: readonly (readonly Tokens.TableCell[])[]): boolean {
  const lengths = rows.map((cells) => cells.reduce((sum, { text }) => sum + text.length, 0))
  return lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, rows.length) > 60
}

function targetOf(href: string, source: string, url: string, urls: ReadonlyMap<string, string>): string | null {
  if (/^(https?:|mailto:|#)/.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const found = urls.get(join(dirname(source), path))
  // What is only in the repository is named and not linked: the site does not know where that is.
  if (found === undefined) return null
  return `${relative(dirname(url), found)}${anchor === undefined ? '' : `#${anchor}`}`
}

function sectionsOf(markdown: string): readonly Section[] {
  const sections: Section[] = []
  const slugFor = slugger()
  const withoutCode = markdown.replaceAll(/^```[\s\S]*?^```$/gm, '')
  for (const part of withoutCode.split(/^(?=#{1,4} )/m)) {
    const heading = plain(/^#{1,4} (.+)$/m.exec(part)?.[1] ?? '')
    const isTitle = part.startsWith('# ')
    const slug = heading === '' ? '' : slugFor(heading)
    const text = plain(part.replace(/^#{1,4} .+$/m, ''))
    if (heading !== '' || text !== '') sections.push({ slug: isTitle ? '' : slug, heading, text })
  }
  return sections
}
