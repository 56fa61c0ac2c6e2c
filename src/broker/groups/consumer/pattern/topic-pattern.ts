/**
 * Which topic names a regular expression matches as a whole. All ways through the expression are followed at the same
 * time, so the time it takes grows with its size and the length of the name, never with the number of ways: an expression
 * that a client sends cannot make the broker stand still.
 */
import { isWord } from './characters.ts'
import { parsePattern } from './parse.ts'
import { type CharTest, type Node, PatternProblem, type Place } from './syntax.ts'

/** Steps that an expression may have, its repetitions written out. */
const maxSteps = 2000
const maxLength = 8192

type Step =
  | { readonly kind: 'char'; readonly test: CharTest; readonly next: number }
  | { readonly kind: 'place'; readonly place: Place; readonly next: number }
  | { readonly kind: 'fork'; readonly next: number[] }
  | { readonly kind: 'end' }

/** The pattern, or what is wrong with the expression. */
export function compileTopicPattern(text: string): TopicPattern | { readonly problem: string } {
  if (text.length > maxLength) return { problem: `it has more than ${maxLength} characters` }
  try {
    return new TopicPattern(parsePattern(text))
  } catch (error) {
    if (error instanceof PatternProblem) return { problem: error.message }
    throw error
  }
}

export class TopicPattern {
  readonly #steps: readonly Step[]
  readonly #start: number
  /** For each step the round in which it was last reached, so that none is followed twice in a round. */
  readonly #reached: Uint32Array
  #round = 0

  constructor(root: Node) {
    const program = new Program()
    this.#start = program.add(root, program.end)
    this.#steps = program.steps
    this.#reached = new Uint32Array(program.steps.length)
  }

  /** How many steps are looked at for one character of a name, at most. */
  get size(): number {
    return this.#steps.length
  }

  matches(name: string): boolean {
    const chars = [...name].map((char) => char.codePointAt(0) ?? 0)
    let now = this.#follow([this.#start], chars, 0)
    for (const [at, char] of chars.entries()) {
      const next: number[] = []
      for (const index of now) {
        const step = this.#steps[index]
        if (step?.kind === 'char' && step.test(char)) next.push(step.next)
      }
      if (next.length === 0) return false
      now = this.#follow(next, chars, at + 1)
    }
    return now.some((index) => this.#steps[index]?.kind === 'end')
  }

  /** All steps that can be reached from `waiting` without another character. */
  #follow(waiting: number[], chars: readonly number[], at: number): number[] {
    const round = this.#nextRound()
    const found: number[] = []
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      if (this.#reached[index] === round) continue
      this.#reached[index] = round
      found.push(index)
      const step = this.#steps[index]
      if (step?.kind === 'fork') for (const next of step.next) waiting.push(next)
      else if (step?.kind === 'place' && isAt(step.place, chars, at)) waiting.push(step.next)
    }
    return found
  }

  #nextRound(): number {
    if (this.#round === 2 ** 32 - 1) {
      this.#reached.fill(0)
      this.#round = 0
    }
    return ++this.#round
  }
}

/** Built from the end: every part is given the step that follows it, and says which step it begins with. */
class Program {
  readonly steps: Step[] = [{ kind: 'end' }]
  readonly end = 0

  add(node: Node, next: number): number {
    switch (node.kind) {
      case 'char':
        return this.#push({ kind: 'char', test: node.test, next })
      case 'place':
        return this.#push({ kind: 'place', place: node.place, next })
      case 'sequence':
        return node.parts.reduceRight((after, part) => this.add(part, after), next)
      case 'choice':
        return this.#push({ kind: 'fork', next: node.ways.map((way) => this.add(way, next)) })
      case 'repeat':
        return this.#repeat(node.part, node.min, node.max, next)
    }
  }

  #repeat(part: Node, min: number, max: number, next: number): number {
    let start = next
    if (max === Number.POSITIVE_INFINITY) {
      const ways = [next]
      start = this.#push({ kind: 'fork', next: ways })
      ways.push(this.add(part, start))
    } else {
      for (let times = min; times < max; times++) {
        start = this.#push({ kind: 'fork', next: [next, this.add(part, start)] })
      }
    }
    for (let times = 0; times < min; times++) start = this.add(part, start)
    return start
  }

  #push(step: Step): number {
    if (this.steps.length >= maxSteps) throw new PatternProblem(`it is too large: more than ${maxSteps} steps`)
    this.steps.push(step)
    return this.steps.length - 1
  }
}

function isAt(place: Place, chars: readonly number[], at: number): boolean {
  if (place === 'begin') return at === 0
  if (place === 'end') return at === chars.length
  const isBoundary = isWordAt(chars, at - 1) !== isWordAt(chars, at)
  return isBoundary === (place === 'word-boundary')
}

function isWordAt(chars: readonly number[], at: number): boolean {
  const char = chars[at]
  return char !== undefined && isWord(char)
}
