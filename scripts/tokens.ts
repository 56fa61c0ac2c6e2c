/**
 * A small scanner for TypeScript: good enough to tell code from strings, comments, templates and regular expressions,
 * so that the checks in tidy.ts and spec.ts see what a reader sees and are not fooled by a word inside a string.
 */

export type Token = {
  readonly kind: 'word' | 'string' | 'template' | 'regex' | 'punct' | 'comment'
  /** The source text; for strings and templates what is between the quotes, escapes left as written. */
  readonly text: string
  readonly line: number
}

// After one of these a slash starts a regular expression; after any other word it divides.
const wordsBeforeRegex = new Set(
  'return typeof case in of do else void delete throw new instanceof yield await'.split(' '),
)

const word = /[\p{ID_Start}$_#@][\p{ID_Continue}$\u200c\u200d]*|\d[\w.]*/uy
const regex = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y
const punct = /=>|\?\.(?!\d)|\.\.\.|[^\s]/uy

/** Every token of the file in order. Inside a template, the code of each `${…}` follows as tokens of its own. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  // One entry per open brace; true where the brace opened a template substitution.
  const braces: boolean[] = []
  let at = 0
  let line = 1

  const push = (kind: Token['kind'], content: string, end: number): void => {
    tokens.push({ kind, text: content, line })
    for (let i = at; i < end; i++) if (text[i] === '\n') line++
    at = end
  }
  /** Reads template characters from `at` (after a backtick or a closing brace) to the next `${` or backtick. */
  const template = (): void => {
    let end = at
    while (end < text.length && text[end] !== '`' && !text.startsWith('${', end)) end += text[end] === '\\' ? 2 : 1
    const substitution = text[end] === '$'
    push('template', text.slice(at, end), Math.min(text.length, end + (substitution ? 2 : 1)))
    if (substitution) braces.push(true)
  }

  while (at < text.length) {
    const char = text[at] as string
    if (char === '\n') line++
    if (/\s/.test(char)) at++
    else if (text.startsWith('//', at) || (at === 0 && text.startsWith('#!'))) {
      const end = text.indexOf('\n', at)
      push('comment', text.slice(at, end === -1 ? text.length : end), end === -1 ? text.length : end)
    } else if (text.startsWith('/*', at)) {
      const close = text.indexOf('*/', at + 2)
      const end = close === -1 ? text.length : close + 2
      push('comment', text.slice(at, end), end)
    } else if (char === "'" || char === '"') {
      let end = at + 1
      while (end < text.length && text[end] !== char && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1
      push('string', text.slice(at + 1, end), end + 1)
    } else if (char === '`') {
      at++
      template()
    } else if (char === '}' && braces.at(-1) === true) {
      braces.pop()
      at++
      template()
    } else if (char === '/' && regexMayStart(tokens) && match(regex) !== undefined) {
      const found = match(regex) as string
      push('regex', found, at + found.length)
    } else {
      const name = match(word)
      const found = name ?? (match(punct) as string)
      if (found === '{') braces.push(false)
      if (found === '}') braces.pop()
      push(name === undefined ? 'punct' : 'word', found, at + found.length)
    }
  }
  return tokens

  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }
}

function regexMayStart(tokens: readonly Token[]): boolean {
  const before = tokens.findLast((token) => token.kind !== 'comment')
  if (before === undefined) return true
  if (before.kind === 'punct') return before.text !== ')' && before.text !== ']' && before.text !== '}'
  return before.kind === 'word' && wordsBeforeRegex.has(before.text)
}

export type Import = {
  readonly specifier: string
  /** `type` leaves no trace at run time; `url` is `new URL('./file.ts', import.meta.url)`, how workers are started. */
  readonly kind: 'value' | 'type' | 'dynamic' | 'url'
  readonly line: number
}

/** Every module that a file refers to, whichever way it does. `import { type A }` counts as a value: it runs the module. */
export function importsOf(tokens: readonly Token[]): Import[] {
  const code = tokens.filter((token) => token.kind !== 'comment')
  const imports: Import[] = []
  const is = (i: number, text: string): boolean => code[i]?.text === text && code[i]?.kind !== 'string'

  const add = (at: number, kind: Import['kind']): void => {
    const source = code[at] as Token
    const isLiteral = source.kind === 'string' || (source.kind === 'template' && is(at + 1, ')'))
    if (isLiteral || kind === 'dynamic') {
      imports.push({ specifier: isLiteral ? source.text : '<computed>', kind, line: source.line })
    }
  }

  for (let i = 0; i < code.length; i++) {
    if (is(i - 1, '.') || code[i]?.kind !== 'word') continue
    if (is(i, 'import')) {
      if (is(i + 1, '.')) continue
      if (is(i + 1, '(')) add(i + 2, 'dynamic')
      else if (code[i + 1]?.kind === 'string') add(i + 1, 'value')
      else {
        const isType = is(i + 1, 'type') && !is(i + 2, 'from') && !is(i + 2, ',')
        const from = code.findIndex((_, j) => j > i && is(j, 'from') && code[j + 1]?.kind === 'string')
        if (from !== -1) add(from + 1, isType ? 'type' : 'value')
      }
    } else if (is(i, 'export')) {
      const isType = is(i + 1, 'type')
      const open = isType ? i + 2 : i + 1
      if (!is(open, '{') && !is(open, '*')) continue
      const end = is(open, '*') ? open : code.findIndex((_, j) => j > open && is(j, '}'))
      const from = is(end + 1, 'as') ? end + 3 : end + 1
      if (is(from, 'from')) add(from + 1, isType ? 'type' : 'value')
    } else if (is(i - 1, 'new') && is(i, 'URL') && is(i + 1, '(') && is(i + 4, 'import')) {
      add(i + 2, 'url')
    }
  }
  return imports
}
