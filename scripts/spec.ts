/**
 * docs/SPEC.md promises; tests prove. This checks that the two agree: every id is in the SPEC, every id marked done is
 * cited by the title of a test (`P6 · a restored map skips finished records`), and every proof named really exists.
 */
import type { TextFile } from './files.ts'
import { type Token, tokenize } from './tokens.ts'

const range = (letter: string, last: number): string[] => Array.from({ length: last }, (_, i) => `${letter}${i + 1}`)

/** Every requirement, invariant and log guarantee that the project answers for. There is no I13. */
export const ids: readonly string[] = [
  ...range('P', 9),
  ...range('G', 6),
  ...range('R', 8),
  ...range('X', 8),
  ...range('Q', 12),
  ...['I1', 'I2', 'I2b', ...range('I', 12).slice(2), 'I14', 'I15'],
  ...range('L', 6),
]

export type Title = { readonly path: string; readonly title: string; readonly ids: readonly string[] }

/** The titles of all tests and suites in these files. What is skipped or still to be written proves nothing. */
export function titlesOf(files: readonly TextFile[]): Title[] {
  return files.flatMap(({ path, text }) => {
    const tokens = tokenize(text).filter(({ kind }) => kind !== 'comment')
    return tokens.flatMap((token, i): Title[] => {
      if (token.kind !== 'word' || !['test', 'it', 'describe', 'suite'].includes(token.text)) return []
      if (!isPunct(tokens[i + 1], '(')) return []
      const title = literal(tokens, i + 2)
      if (title === undefined || isSwitchedOff(tokens, i + 2)) return []
      return [{ path, title, ids: citedBy(title) }]
    })
  })
}

/** `I2 I2b · text` cites I2 and I2b. Only what stands before the dot counts. */
function citedBy(title: string): string[] {
  const [before, after] = title.split(' · ')
  return after === undefined ? [] : (before as string).split(/\s+/).filter((word) => /^[A-Z]\d+[a-z]?$/.test(word))
}

/** A string, or a template up to its first substitution. */
function literal(tokens: readonly Token[], at: number): string | undefined {
  const token = tokens[at]
  return token?.kind === 'string' || token?.kind === 'template' ? token.text : undefined
}

/** `test('…', { skip: true }, …)` or todo; `test.skip(…)` never matches, for its parenthesis follows another word. */
function isSwitchedOff(tokens: readonly Token[], at: number): boolean {
  const comma = tokens.findIndex((token, i) => i > at && isPunct(token, ','))
  if (!isPunct(tokens[comma + 1], '{')) return false
  const end = tokens.findIndex((token, i) => i > comma && isPunct(token, '}'))
  return tokens
    .slice(comma, end)
    .some(({ text }, i, options) => (text === 'skip' || text === 'todo') && options[i + 2]?.text === 'true')
}

const isPunct = (token: Token | undefined, text: string): boolean => token?.kind === 'punct' && token.text === text

/** `kernel`: decided in the control plane, shown there and in simulation; not yet on a broker. */
const statuses: readonly string[] = ['done', 'kernel', 'open']

type Row = { readonly id: string; readonly status: string; readonly proof: string }

/** The rows of every table whose first column is `id`. */
function rowsOf(spec: string): Row[] {
  const rows: Row[] = []
  let inTable = false
  for (const line of spec.split('\n')) {
    if (!line.startsWith('|')) inTable = false
    else {
      const [id = '', , status = '', proof = ''] = line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1)
      if (id === 'id') inTable = true
      else if (inTable && !/^:?-+:?$/.test(id)) rows.push({ id, status, proof })
    }
  }
  return rows
}

/** Everything that SPEC and tests do not agree about; an empty list is a SPEC that can be believed. */
export function checkSpec(spec: string, tests: readonly TextFile[]): string[] {
  const rows = rowsOf(spec)
  const titles = titlesOf(tests)
  const cited = new Set(titles.flatMap((title) => title.ids))
  const problems: string[] = []

  for (const id of ids) {
    const count = rows.filter((row) => row.id === id).length
    if (count !== 1) problems.push(`${id} is in SPEC.md ${count} times, not once`)
  }
  for (const { id, status, proof } of rows) {
    if (!ids.includes(id)) problems.push(`${id} is in SPEC.md but is no known id`)
    if (!statuses.includes(status)) problems.push(`${id} has the status "${status}", not ${statuses.join(', ')}`)
    const isShown = status === 'done' || status === 'kernel'
    if (isShown && !cited.has(id)) problems.push(`${id} is marked ${status} but no test title cites it`)
    if (isShown && proof === '') problems.push(`${id} is marked ${status} but names no proof`)
    problems.push(...checkProof(id, proof, tests, titles))
  }
  for (const { path, title, ids: named } of titles) {
    for (const id of named) if (!ids.includes(id)) problems.push(`${path} cites the unknown id ${id}: "${title}"`)
  }
  return problems
}

/** A proof is `file › start of the title`, the ids in the title aside; several are separated by `<br>`. */
function checkProof(id: string, proof: string, tests: readonly TextFile[], titles: readonly Title[]): string[] {
  if (proof === '' || proof === '–') return []
  return proof.split('<br>').flatMap((part) => {
    const [path = '', title] = part.split('›').map((text) => text.trim().replaceAll('`', ''))
    if (!tests.some((file) => file.path === path)) return [`${id} names ${path}, which does not exist`]
    if (title === undefined || title === '') return [`${id} names ${path} but no test title: write "file › title"`]
    const found = titles.filter((test) => test.path === path && words(test.title).startsWith(words(title)))
    if (found.length === 0) return [`${id} names a test that ${path} does not have: "${title}"`]
    return found.some((test) => test.ids.includes(id)) ? [] : [`${id} names a test that does not cite it: "${title}"`]
  })
}

/** What a title says, without the ids it cites. */
const words = (title: string): string => title.replace(/^.*? · /, '')
