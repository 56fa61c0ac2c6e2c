/** Tables that a program writes into a page that people write: between `<!-- name -->` and `<!-- /name -->`, and nowhere else. */
export function replaceBetween(page: string, name: string, text: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [from, to] = [page.indexOf(open), page.indexOf(close)]
  if (from === -1 || to < from) throw new Error(`the page has no place for ${name}: write ${open} and ${close}`)
  return `${page.slice(0, from + open.length)}\n${text}\n${page.slice(to)}`
}

export const markdownTable = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [
    `| ${heads.join(' | ')} |`,
    `|${heads.map(() => '---|').join('')}`,
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n')
