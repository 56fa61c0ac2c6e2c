/**
 * Reads a regular expression in RE2's syntax. What RE2 does not have (references to groups, looking ahead or behind) is
 * refused here as there.
 */
import { ignoringCase, literal, readClass, readEscape, readEscapedSet } from './characters.ts'
import { Cursor, codeOf, type Node, PatternProblem, type Place } from './syntax.ts'

const maxDepth = 250
const maxRepeat = 1000

const places: ReadonlyMap<string, Place> = new Map([
  ['A', 'begin'],
  ['z', 'end'],
  ['b', 'word-boundary'],
  ['B', 'no-word-boundary'],
])

export function parsePattern(text: string): Node {
  const parser = new Parser(text)
  return parser.parse()
}

class Parser {
  readonly #cursor: Cursor
  readonly #names: Set<string> = new Set()
  #ignoresCase = false
  #depth = 0

  constructor(text: string) {
    this.#cursor = new Cursor(text)
  }

  parse(): Node {
    const node = this.#choice()
    if (!this.#cursor.isAtEnd) throw new PatternProblem('a ) without its (')
    return node
  }

  #choice(): Node {
    const ways = [this.#sequence()]
    while (this.#cursor.skip('|')) ways.push(this.#sequence())
    return ways.length === 1 && ways[0] !== undefined ? ways[0] : { kind: 'choice', ways }
  }

  #sequence(): Node {
    const parts: Node[] = []
    const cursor = this.#cursor
    let isRepeated = false
    while (!cursor.isAtEnd && cursor.peek() !== '|' && cursor.peek() !== ')') {
      const isBrace = cursor.peek() === '{'
      const counts = this.#counts()
      if (counts === undefined) parts.push(...(this.#quoted() ?? this.#part()))
      else {
        const part = parts.pop()
        if (part === undefined) throw new PatternProblem('a repetition with nothing before it')
        if (isRepeated) throw new PatternProblem('a repetition of a repetition: put the inner one in ( )')
        cursor.skip('?')
        parts.push({ kind: 'repeat', part, min: counts[0], max: counts[1] })
      }
      // A brace that counts nothing is a character, but one that RE2 lets nobody repeat.
      isRepeated = counts !== undefined || isBrace
    }
    return { kind: 'sequence', parts }
  }

  /** `\Q…\E`: all of it is meant as it stands. */
  #quoted(): Node[] | undefined {
    const cursor = this.#cursor
    if (!cursor.skip('\\Q')) return undefined
    const text = cursor.until('\\E') ?? cursor.rest()
    return [...text].map((char) => this.#char(codeOf(char)))
  }

  /** Flags for what follows are no part of their own. */
  #part(): Node[] {
    const cursor = this.#cursor
    if (cursor.peek() === '(') return this.#group()
    if (cursor.peek() === '\\') return [this.#escaped()]
    if (cursor.skip('[')) return [{ kind: 'char', test: readClass(cursor, this.#ignoresCase) }]
    if (cursor.skip('.')) return [{ kind: 'char', test: () => true }]
    if (cursor.skip('^')) return [{ kind: 'place', place: 'begin' }]
    if (cursor.skip('$')) return [{ kind: 'place', place: 'end' }]
    return [this.#char(codeOf(cursor.next()))]
  }

  #char(code: number): Node {
    return { kind: 'char', test: literal(code, this.#ignoresCase) }
  }

  #escaped(): Node {
    const place = places.get(this.#cursor.peek(1))
    if (place !== undefined) {
      this.#cursor.position += 2
      return { kind: 'place', place }
    }
    const set = readEscapedSet(this.#cursor)
    if (set !== undefined) return { kind: 'char', test: this.#ignoresCase ? ignoringCase(set) : set }
    return this.#char(readEscape(this.#cursor))
  }

  #group(): Node[] {
    const cursor = this.#cursor
    cursor.next()
    const ignoredCase = this.#ignoresCase
    if (cursor.skip('?P<') || (cursor.startsWith('?<') && !/[=!]/.test(cursor.peek(2)) && cursor.skip('?<')))
      this.#name()
    else if (cursor.skip('?') && this.#flags() === ')') return []
    if (++this.#depth > maxDepth) throw new PatternProblem(`more than ${maxDepth} groups inside each other`)
    const node = this.#choice()
    this.#depth--
    if (!cursor.skip(')')) throw new PatternProblem('a ( without its )')
    this.#ignoresCase = ignoredCase
    return [node]
  }

  #name(): void {
    const name = this.#cursor.until('>') ?? ''
    if (!/^[A-Za-z0-9_]+$/.test(name)) throw new PatternProblem('a group whose name is none')
    if (this.#names.has(name)) throw new PatternProblem(`two groups named ${name}`)
    this.#names.add(name)
  }

  /** `i`, `m`, `s`, `U`, and behind a minus what is switched off. Only `i` makes a difference to a topic name. */
  #flags(): string {
    const flags = /^([imsU]*)(-[imsU]+)?[:)]$/
    let text = ''
    while (!this.#cursor.isAtEnd && !text.endsWith(':') && !text.endsWith(')')) text += this.#cursor.next()
    const [, on = '', off = ''] = flags.exec(text) ?? []
    if (!flags.test(text)) throw new PatternProblem(`(?${text} means nothing`)
    if (on.includes('i')) this.#ignoresCase = true
    if (off.includes('i')) this.#ignoresCase = false
    return text.slice(-1)
  }

  /** `*`, `+`, `?` or `{n,m}`, if one stands here. Braces that count nothing are characters like any other. */
  #counts(): [min: number, max: number] | undefined {
    const cursor = this.#cursor
    if (cursor.skip('*')) return [0, Number.POSITIVE_INFINITY]
    if (cursor.skip('+')) return [1, Number.POSITIVE_INFINITY]
    if (cursor.skip('?')) return [0, 1]
    const start = cursor.position
    const counts = cursor.skip('{') ? /^(0|[1-9]\d*)(,(0|[1-9]\d*)?)?$/.exec(cursor.until('}') ?? '') : null
    if (counts === null) {
      cursor.position = start
      return undefined
    }
    const min = Number(counts[1])
    const max = counts[2] === undefined ? min : counts[3] === undefined ? Number.POSITIVE_INFINITY : Number(counts[3])
    if (min > maxRepeat || max < min || (max > maxRepeat && Number.isFinite(max))) {
      throw new PatternProblem(`{${min},${max}}: repetitions count up to ${maxRepeat}, and not backwards`)
    }
    return [min, max]
  }
}
