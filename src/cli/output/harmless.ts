/**
 * Text of others (keys, values, names, errors) on a terminal: shown, never obeyed. Control characters, escape sequences and what
 * turns the direction of writing become visible signs, so no record can move the cursor, recolour a line or hide one.
 */

const DELETE = 0x7f
/** Pictures of the control characters: U+2400 and following. */
const PICTURES = 0x2400
const PICTURE_OF_DELETE = '\u2421'

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const SIGNS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\u200e\u200f\ufeff]/g

export function harmless(text: string): string {
  return text.replaceAll(SIGNS, (each) => {
    const code = each.charCodeAt(0)
    if (code < 0x20) return String.fromCharCode(PICTURES + code)
    return code === DELETE ? PICTURE_OF_DELETE : '\ufffd'
  })
}

/** Text where the bytes are text; else `base64:…`, as everywhere in fanlane. */
export function readable(bytes: Buffer | null): string | null {
  if (bytes === null) return null
  const text = bytes.toString('utf8')
  return Buffer.from(text).equals(bytes) ? text : `base64:${bytes.toString('base64')}`
}
