/**
 * The tree of a regular expression in RE2's syntax, as far as matching a whole topic name goes: groups capture nothing,
 * greedy and lazy are the same, a name has one line.
 */

/** Whether a character, given as its code point, belongs. */
export type CharTest = (char: number) => boolean

export type Place = 'begin' | 'end' | 'word-boundary' | 'no-word-boundary'

export type Node =
  | { readonly kind: 'char'; readonly test: CharTest }
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'sequence'; readonly parts: readonly Node[] }
  | { readonly kind: 'choice'; readonly ways: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly min: number; readonly max: number }

/** Why an expression is none, in words for the one who wrote it. */
export class PatternProblem extends Error {}

/** The characters of an expression, one after the other. */
export class Cursor {
  readonly #chars: readonly string[]
  #at = 0

  constructor(text: string) {
    this.#chars = [...text]
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#chars.length
  }

  get position(): number {
    return this.#at
  }

  set position(at: number) {
    this.#at = at
  }

  peek(ahead = 0): string {
    return this.#chars[this.#at + ahead] ?? ''
  }

  next(): string {
    const char = this.peek()
    this.#at++
    return char
  }

  startsWith(text: string): boolean {
    return [...text].every((char, i) => this.peek(i) === char)
  }

  skip(text: string): boolean {
    if (!this.startsWith(text)) return false
    this.#at += [...text].length
    return true
  }

  /** The characters up to `end`, which is skipped; nothing if it does not come. */
  until(end: string): string | undefined {
    for (let to = this.#at; to < this.#chars.length; to++) {
      if (this.#chars[to] !== end[0] || this.#chars.slice(to, to + end.length).join('') !== end) continue
      const text = this.#chars.slice(this.#at, to).join('')
      this.#at = to + end.length
      return text
    }
    return undefined
  }

  rest(): string {
    const text = this.#chars.slice(this.#at).join('')
    this.#at = this.#chars.length
    return text
  }
}

export function codeOf(char: string): number {
  return char.codePointAt(0) ?? -1
}
