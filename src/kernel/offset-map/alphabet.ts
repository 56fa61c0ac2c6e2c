/**
 * How bits become characters of commit metadata.
 *
 * Kafka's limit counts UTF-16 code units, not bytes, so a character that carries 15 bits stores 2.5 times what base64
 * does. The wide alphabet is 32,768 characters of the basic plane, chosen so that nothing on the way can change them:
 * no surrogates, no controls, no spaces, no quotes, and none that Unicode normalisation rewrites. Three ranges give
 * exactly 2^15: CJK extension A, the CJK unified block, and the first 5,184 Hangul syllables.
 *
 * base64 is for brokers and proxies that refuse the wide form.
 */
export type AlphabetName = 'wide' | 'base64'

export interface Alphabet {
  readonly name: AlphabetName
  /** First character of every text: names the alphabet, and is itself no letter of it. */
  readonly magic: number
  readonly bitsPerChar: number
  /** Symbol → UTF-16 code unit. */
  letter(symbol: number): number
  /** UTF-16 code unit → symbol, or -1 for a stranger. */
  symbol(letter: number): number
}

const EXTENSION_A = 0x3400
const EXTENSION_A_SIZE = 6592
const UNIFIED = 0x4e00
const UNIFIED_END = EXTENSION_A_SIZE + 20_992
const HANGUL = 0xac00
const WIDE_SIZE = 32_768

const wide: Alphabet = {
  name: 'wide',
  magic: 0x16a0, // ᚠ, the runic letter f
  bitsPerChar: 15,
  letter(symbol: number): number {
    if (symbol < EXTENSION_A_SIZE) return EXTENSION_A + symbol
    if (symbol < UNIFIED_END) return UNIFIED + symbol - EXTENSION_A_SIZE
    return HANGUL + symbol - UNIFIED_END
  },
  symbol(letter: number): number {
    if (letter >= UNIFIED && letter < UNIFIED + UNIFIED_END - EXTENSION_A_SIZE) {
      return letter - UNIFIED + EXTENSION_A_SIZE
    }
    if (letter >= EXTENSION_A && letter < EXTENSION_A + EXTENSION_A_SIZE) return letter - EXTENSION_A
    if (letter >= HANGUL && letter < HANGUL + WIDE_SIZE - UNIFIED_END) return letter - HANGUL + UNIFIED_END
    return -1
  },
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const FROM_BASE64: Int8Array = new Int8Array(128).fill(-1)
for (let symbol = 0; symbol < 64; symbol++) FROM_BASE64[BASE64.charCodeAt(symbol)] = symbol

const base64: Alphabet = {
  name: 'base64',
  magic: 0x7e, // ~, which no base64 flavour and no JSON starts with
  bitsPerChar: 6,
  letter(symbol: number): number {
    return BASE64.charCodeAt(symbol)
  },
  symbol(letter: number): number {
    return FROM_BASE64[letter] ?? -1
  },
}

export const ALPHABETS: Readonly<Record<AlphabetName, Alphabet>> = { wide, base64 }

export function alphabetOf(magic: number): Alphabet | null {
  if (magic === wide.magic) return wide
  if (magic === base64.magic) return base64
  return null
}
