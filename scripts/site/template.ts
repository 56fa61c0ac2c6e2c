/** A whole page of the site. No inline script or style, nothing from elsewhere. */
import { dirname, relative } from 'node:path/posix'
import { escapeHtml } from './highlight.ts'
import { type SitePage, siteChapters, sitePages } from './pages.ts'
import type { Rendered } from './render.ts'

/** A link to a page of the site, from another one. */
const to = (from: string, url: string): string => relative(dirname(from), url)

function navigation(page: SitePage): string {
  return siteChapters
    .map(({ title, pages, isFolded }) => {
      const items = pages
        .map((each) => {
          const current = each === page ? ' aria-current="page"' : ''
          return `<li><a href="${to(page.url, each.url)}"${current}>${escapeHtml(each.title)}</a></li>`
        })
        .join('')
      if (title === '') return `<ul>${items}</ul>`
      if (!isFolded) return `<h2>${escapeHtml(title)}</h2><ul>${items}</ul>`
      const open = pages.includes(page) ? ' open' : ''
      return `<details${open}><summary>${escapeHtml(title)}</summary><ul>${items}</ul></details>`
    })
    .join('\n')
}

function contents({ headings }: Rendered): string {
  const items = headings.filter(({ depth }) => depth === 2 || depth === 3)
  if (items.filter(({ depth }) => depth === 2).length < 2) return ''
  const list = items.map(
    ({ depth, text, slug }) => `<li class="d${depth}"><a href="#${slug}">${escapeHtml(text)}</a></li>`,
  )
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${list.join('')}</ul></nav>`
}

function neighbours(page: SitePage): string {
  const at = sitePages.indexOf(page)
  const link = (each: SitePage | undefined, rel: 'prev' | 'next'): string =>
    each === undefined
      ? '<span></span>'
      : `<a rel="${rel}" href="${to(page.url, each.url)}">${rel === 'prev' ? '← ' : ''}${escapeHtml(each.title)}${rel === 'next' ? ' →' : ''}</a>`
  return `<nav class="neighbours" aria-label="Next and previous page">${link(sitePages[at - 1], 'prev')}${link(sitePages[at + 1], 'next')}</nav>`
}

export function template(page: SitePage, rendered: Rendered, version: string): string {
  const base = to(page.url, 'x').slice(0, -1)
  const name =
    page.url === 'index.html' ? 'fanlane: the parallel consumer for Apache Kafka' : `${rendered.title} · fanlane`
  return `<!doctype html>
<html lang="en" data-base="${base}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:">
<title>${escapeHtml(name)}</title>
<link rel="stylesheet" href="${base}style.css">
<script src="${base}theme.js"></script>
<script src="${base}search.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<button class="menu" type="button" aria-expanded="false" aria-controls="menu">Menu</button>
<a class="brand" href="${base}index.html">fanlane <small>${escapeHtml(version)}</small></a>
<div class="search"><input type="search" placeholder="Search" aria-label="Search" autocomplete="off"><ol class="found" hidden></ol></div>
<button class="theme" type="button" aria-label="Dark or light">◐</button>
</header>
<div class="frame">
<nav class="side" id="menu" aria-label="Pages">
${navigation(page)}
</nav>
<main id="content">
<article>
${rendered.html}</article>
${neighbours(page)}
</main>
${contents(rendered)}
</div>
</body>
</html>
`
}
