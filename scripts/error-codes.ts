/**
 * The codes of errors that are written down in src/, and their messages, found by reading the source. For the test that keeps
 * docs/errors.md honest: what is thrown is in the catalogue, and what is in the catalogue is thrown.
 */
import { errorCodes } from '../src/protocol/errors.ts'
import { repositoryFiles } from './files.ts'
import { type Token, tokenize } from './tokens.ts'

export interface CodeInSource {
  readonly code: string
  readonly path: string
  readonly line: number
  /** What follows the code as a literal; null: it is put together elsewhere. `…` stands for what is filled in. */
  readonly message: string | null
}

const CODE = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/
const ONE_WORD = /^[A-Z]{5,}$/
/** The beginning of several codes, the rest of which is filled in. */
const PREFIX = /^[A-Z]+_$/
/** Names of the environment and of Node, not codes of ours. */
const FOREIGN = /^(KAFKA|FANLANE|ERR|HPE)_/
/** Words that look like codes and are none: an event type of log lines, a listener, the end of several names, one of Node's. */
const NO_CODES: ReadonlySet<string> = new Set(['POISON_PILL', 'SASL_PLAINTEXT', 'AUTHORIZATION_FAILED', 'ENOENT'])
/** The demo's handler plays an application, with errors of its own; the simulator's network is nobody's. */
const ELSEWHERE = /^src\/(protocol\/generated|cli\/demo|testing\/sim)\/|^src\/protocol\/errors\.ts$/

export function codesInSource(): readonly CodeInSource[] {
  return repositoryFiles()
    .filter(({ path }) => path.startsWith('src/') && path.endsWith('.ts') && !ELSEWHERE.test(path))
    .flatMap(({ path, text }) => codesIn(path, text))
}

export function codesIn(path: string, text: string): readonly CodeInSource[] {
  const tokens = tokenize(text).filter(({ kind }) => kind !== 'comment')
  return tokens.flatMap(({ kind, text: code, line }, at): CodeInSource[] => {
    const isPrefix = kind === 'template' && PREFIX.test(code) && contextOf(tokens, at).endsWith('Error (')
    if (!isPrefix && (kind !== 'string' || !isCode(code, tokens, at))) return []
    return [{ code, path, line, message: messageAfter(tokens, at) }]
  })
}

function isCode(text: string, tokens: readonly Token[], at: number): boolean {
  if (Object.hasOwn(errorCodes, text)) return false
  if (NO_CODES.has(text)) return false
  if (CODE.test(text) && !FOREIGN.test(text)) return true
  if (!CODE.test(text) && !ONE_WORD.test(text)) return false
  return /(Error|super) \($|\bcode (:|=|\? \?)$|HttpError \( \d+ ,$/.test(contextOf(tokens, at))
}

function contextOf(tokens: readonly Token[], at: number): string {
  const before = tokens.slice(Math.max(0, at - 4), at)
  return before.map(({ text }) => text).join(' ')
}

/** The literal argument after the code, as far as one can read it. */
function messageAfter(tokens: readonly Token[], at: number): string | null {
  const before = tokens[at - 1]?.text
  const isConstructed = before === '(' || (before === ',' && /^\d+$/.test(tokens[at - 2]?.text ?? ''))
  if (!isConstructed || !/Error$/.test(tokens[before === '(' ? at - 2 : at - 4]?.text ?? '')) return null
  if (tokens[at + 1]?.text !== ',') return null
  const isOption = tokens[before === '(' ? at - 2 : at - 4]?.text === 'OptionError'
  let next = at + 2
  // An OptionError names its option first.
  if (isOption) while (next < tokens.length && tokens[next]?.text !== ',') next++
  if (isOption) next++
  let message = ''
  let depth = 0
  for (; next < tokens.length; next++) {
    const { kind, text } = tokens[next] as Token
    if (kind === 'punct' && '([{'.includes(text)) depth++
    else if (kind === 'punct' && ')]}'.includes(text)) depth--
    if (depth < 0 || (depth === 0 && kind === 'punct' && text === ',')) break
    if (kind === 'string' || kind === 'template') message += text
    else if (!message.endsWith('…')) message += '…'
  }
  return message === '' || message === '…' ? null : message
}
