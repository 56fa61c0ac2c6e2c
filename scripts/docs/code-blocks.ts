/** The fenced blocks of a markdown page. */

export interface CodeBlock {
  /** Of its first line of text. */
  readonly line: number
  readonly language: string
  readonly text: string
}

export function codeBlocks(page: string, text: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = []
  let open: { readonly line: number; readonly language: string; readonly lines: string[] } | null = null
  for (const [at, line] of text.split('\n').entries()) {
    if (open === null) {
      if (line.startsWith('```')) open = { line: at + 2, language: line.slice(3), lines: [] }
    } else if (line === '```') {
      blocks.push({ line: open.line, language: open.language, text: open.lines.join('\n') })
      open = null
    } else open.lines.push(line)
  }
  if (open !== null) throw new Error(`${page}: a code block is not closed`)
  return blocks
}
