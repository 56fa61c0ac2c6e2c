/**
 * Reads the interfaces of a source file as the reference shows them: every member with its type and the comment above it. Good
 * enough for option types, which are plain; what it cannot read it refuses.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../files.ts'

export interface Member {
  /** With those of nested objects: `limits.records`. */
  readonly path: string
  readonly type: string
  readonly isOptional: boolean
  /** The comment above it; '' if there is none. */
  readonly comment: string
}

const MEMBER = /^(?:readonly )?('[\w-]+'|\w+)(\?)?: ?(.*)$/s

/** The members of `interface name` in that file, nested objects flattened. */
export function membersOf(file: string, name: string): readonly Member[] {
  const text = readFileSync(join(root, file), 'utf8')
  const opening = new RegExp(`^export interface ${name}\\b[^{]*\\{\\n`, 'm').exec(text)
  if (opening === null) throw new Error(`${file} has no interface ${name}`)
  return membersIn(bodyFrom(text, opening.index + opening[0].length), '')
}

/** Up to the brace that closes what was open. */
function bodyFrom(text: string, start: number): string {
  let depth = 1
  for (let at = start; at < text.length; at++) {
    if (text[at] === '{') depth++
    else if (text[at] === '}' && --depth === 0) return text.slice(start, at)
  }
  throw new Error('a brace is not closed')
}

function membersIn(body: string, prefix: string): readonly Member[] {
  const members: Member[] = []
  let comment = ''
  let rest = body.trim()
  while (rest !== '') {
    if (rest.startsWith('/**')) {
      const end = rest.indexOf('*/')
      comment = commentText(rest.slice(3, end))
      rest = rest.slice(end + 2).trim()
      continue
    }
    const end = memberEnd(rest)
    members.push(...memberFrom(rest.slice(0, end).trim(), prefix, comment))
    comment = ''
    rest = rest.slice(end).replace(/^[;\s]+/, '')
  }
  return members
}

function commentText(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trim())
    .filter((line) => line !== '')
    .join(' ')
    .trim()
}

/** A member ends at a line end (or a semicolon) outside of all brackets, unless a union goes on in the next line. */
function memberEnd(text: string): number {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string
    if ('([{'.includes(char)) depth++
    else if (')]}'.includes(char)) depth--
    else if (depth > 0) continue
    else if (char === ';') return at
    else if (char === '\n' && !/^\s*[|&]/.test(text.slice(at + 1)) && !/[:|&<,]\s*$/.test(text.slice(0, at))) {
      if (balanced(text.slice(0, at))) return at
    }
  }
  return text.length
}

/** Of type arguments: `=>` is no bracket. */
function balanced(text: string): boolean {
  const plain = text.replaceAll('=>', '')
  return plain.split('<').length === plain.split('>').length
}

function memberFrom(text: string, prefix: string, comment: string): readonly Member[] {
  const found = MEMBER.exec(text)
  if (found === null) throw new Error(`this is no member: ${text}`)
  const [, name = '', optional, written = ''] = found
  const path = `${prefix}${name.replaceAll("'", '')}`
  const type = written
    .replaceAll(/\/\*\*[\s\S]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('readonly ', '')
    .trim()
  const own: Member = { path, type: shortened(type), isOptional: optional === '?', comment }
  const inner = /^\{([\s\S]*)\}$/.exec(written.trim())?.[1]
  if (inner === undefined) return [own]
  return [{ ...own, type: 'object' }, ...membersIn(inner, `${path}.`)]
}

function shortened(type: string): string {
  return type.replace(/^\| /, '').replaceAll(/Consumed?Record<Key, Value>/g, 'ConsumedRecord')
}
