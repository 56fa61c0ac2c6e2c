/**
 * Characters and sets of characters in RE2's syntax: escapes, `[classes]`, `[:posix:]` names, `\p{…}`.
 */
import { type CharTest, type Cursor, codeOf, PatternProblem } from './syntax.ts'

const isDigit: CharTest = (char) => char >= 48 && char <= 57
const isLower: CharTest = (char) => char >= 97 && char <= 122
const isUpper: CharTest = (char) => char >= 65 && char <= 90
const isAlpha: CharTest = (char) => isLower(char) || isUpper(char)
const isAlphanumeric: CharTest = (char) => isAlpha(char) || isDigit(char)
export const isWord: CharTest = (char) => isAlphanumeric(char) || char === 95
const isPrinted: CharTest = (char) => char >= 33 && char <= 126

const posixClasses: ReadonlyMap<string, CharTest> = new Map([
  ['alnum', isAlphanumeric],
  ['alpha', isAlpha],
  ['ascii', (char) => char <= 127],
  ['blank', (char) => char === 9 || char === 32],
  ['cntrl', (char) => char < 32 || char === 127],
  ['digit', isDigit],
  ['graph', isPrinted],
  ['lower', isLower],
  ['print', (char) => isPrinted(char) || char === 32],
  ['punct', (char) => isPrinted(char) && !isAlphanumeric(char)],
  ['space', (char) => (char >= 9 && char <= 13) || char === 32],
  ['upper', isUpper],
  ['word', isWord],
  ['xdigit', (char) => isDigit(char) || (char >= 65 && char <= 70) || (char >= 97 && char <= 102)],
])

const perlClasses: ReadonlyMap<string, CharTest> = new Map([
  ['d', isDigit],
  ['w', isWord],
  ['s', (char) => char === 9 || char === 10 || char === 12 || char === 13 || char === 32],
])

const controls: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
])

function not(test: CharTest): CharTest {
  return (char) => !test(char)
}

/** The test, or its opposite in upper or lower case. */
export function ignoringCase(test: CharTest): CharTest {
  return (char) => {
    if (test(char)) return true
    const text = String.fromCodePoint(char)
    return test(codeOf(text.toLowerCase())) || test(codeOf(text.toUpperCase()))
  }
}

/** One character; in upper or lower case if case does not count. */
export function literal(char: number, ignoresCase: boolean): CharTest {
  if (!ignoresCase) return (other) => other === char
  const fold = (code: number): string => String.fromCodePoint(code).toUpperCase().toLowerCase()
  const folded = fold(char)
  return (other) => fold(other) === folded
}

/** `\d`, `\W`, `\pL`, `\p{Greek}` …; nothing if no set of characters stands here. */
export function readEscapedSet(cursor: Cursor): CharTest | undefined {
  if (cursor.peek() !== '\\') return undefined
  const letter = cursor.peek(1)
  const perl = perlClasses.get(letter.toLowerCase())
  if (perl !== undefined) {
    cursor.position += 2
    return letter === letter.toLowerCase() ? perl : not(perl)
  }
  if (letter !== 'p' && letter !== 'P') return undefined
  cursor.position += 2
  const name = cursor.skip('{') ? cursor.until('}') : cursor.next()
  if (name === undefined || name === '') throw new PatternProblem('a \\p without the name of a set')
  const isNegated = name.startsWith('^')
  const test = unicodeSet(isNegated ? name.slice(1) : name)
  return (letter === 'P') === isNegated ? test : not(test)
}

function unicodeSet(name: string): CharTest {
  if (name === 'Any') return () => true
  if (/^[A-Z][a-z]?$/.test(name) || /^[A-Z][A-Za-z_]+$/.test(name)) {
    for (const property of [`gc=${name}`, `sc=${name}`]) {
      try {
        const set = new RegExp(`^\\p{${property}}$`, 'u')
        return (char) => set.test(String.fromCodePoint(char))
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error
      }
    }
  }
  throw new PatternProblem(`there is no set of characters \\p{${name}}`)
}

/** What follows a backslash, where one character is meant. */
export function readEscape(cursor: Cursor): number {
  cursor.next()
  const char = cursor.next()
  if (char === '') throw new PatternProblem('a backslash at the end')
  const control = controls.get(char)
  if (control !== undefined) return control
  if (char === 'x') return readHex(cursor)
  // A single digit other than 0 would be a reference to a group, which RE2 does not have.
  if (/[0-7]/.test(char) && (char === '0' || /[0-7]/.test(cursor.peek()))) {
    let octal = char
    while (octal.length < 3 && /[0-7]/.test(cursor.peek())) octal += cursor.next()
    return Number.parseInt(octal, 8)
  }
  const code = codeOf(char)
  if (!isAlphanumeric(code)) return code
  throw new PatternProblem(`\\${char} means nothing`)
}

function readHex(cursor: Cursor): number {
  const digits = cursor.skip('{') ? (cursor.until('}') ?? '') : (cursor.next() + cursor.next()).padEnd(2, '?')
  const code = Number.parseInt(digits, 16)
  if (!/^[0-9a-fA-F]+$/.test(digits) || code > 0x10ffff) throw new PatternProblem(`\\x${digits} is no character`)
  return code
}

/** `[…]`, the cursor behind the opening bracket. */
export function readClass(cursor: Cursor, ignoresCase: boolean): CharTest {
  const isNegated = cursor.skip('^')
  const tests: CharTest[] = []
  for (let isFirst = true; isFirst || cursor.peek() !== ']'; isFirst = false) {
    if (cursor.isAtEnd) throw new PatternProblem('a [ without its ]')
    tests.push(readPosixClass(cursor) ?? readEscapedSet(cursor) ?? readRange(cursor))
  }
  cursor.next()
  const any: CharTest = (char) => tests.some((test) => test(char))
  const folded = ignoresCase ? ignoringCase(any) : any
  return isNegated ? not(folded) : folded
}

function readPosixClass(cursor: Cursor): CharTest | undefined {
  const start = cursor.position
  if (!cursor.skip('[:')) return undefined
  const name = cursor.until(':]')
  if (name === undefined) {
    cursor.position = start
    return undefined
  }
  const test = posixClasses.get(name.startsWith('^') ? name.slice(1) : name)
  if (test === undefined) throw new PatternProblem(`there is no set of characters [:${name}:]`)
  return name.startsWith('^') ? not(test) : test
}

function readRange(cursor: Cursor): CharTest {
  const from = readClassChar(cursor)
  if (cursor.peek() !== '-' || cursor.peek(1) === ']' || cursor.peek(1) === '') return (char) => char === from
  cursor.next()
  const to = readClassChar(cursor)
  if (to < from) throw new PatternProblem('a range that ends before it begins')
  return (char) => char >= from && char <= to
}

function readClassChar(cursor: Cursor): number {
  if (cursor.isAtEnd) throw new PatternProblem('a [ without its ]')
  return cursor.peek() === '\\' ? readEscape(cursor) : codeOf(cursor.next())
}
