/**
 * Text about errors, without the secrets that people and libraries put into messages: passwords in addresses, tokens,
 * authorization headers. Only for text that leaves the process. A message that says nothing secret comes back as it is.
 *
 * Every repetition is bounded, and so is the text: a message of a megabyte costs no more than one of 16,000 characters.
 */

const MASK = '[redacted]'
const TEXT_MAX_CHARS = 16_000

/** Names of things that are nobody's business. */
const SECRET = String.raw`(?:pass(?:word|wd|phrase|code|(?![a-z]))|pwd|secret|tokens?|api[-_ ]?key|access[-_]?key|private[-_]?key|signature|credentials?|session[-_]?id|cookie|jaas\.config)`

/** A value in quotes as a whole, or up to what usually ends one. */
const VALUE = String.raw`(?:"(?:[^"\\]|\\.){0,4000}"?|'(?:[^'\\]|\\.){0,4000}'?|[^\s"',;&)}\]]{1,4000})`

const rules: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,40}-----[\s\S]{0,16000}?(?:-----END [A-Z ]{0,40}-----|$)/g, MASK],
  // scheme://user:password@host; a password may have an @ of its own.
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#]{1,500}@/gi, `$1${MASK}@`],
  [/\b((?:proxy-)?authorization["']?\s{0,5}[:=]\s{0,5}["']?)(?:[a-z-]{1,20}\s{1,5})?[^\s"',;}]{1,4000}/gi, `$1${MASK}`],
  [/\b(bearer\s{1,5})[\w.~+/=-]{6,4000}/gi, `$1${MASK}`],
  // "Basic authentication failed" is no secret, "Basic dXNlcjpwdw==" is.
  [/\b(basic\s{1,5})(?=[a-z+/]{0,400}[0-9=])[a-z0-9+/]{6,4000}={0,2}/gi, `$1${MASK}`],
  [new RegExp(String.raw`(["']?[\w.-]{0,40}${SECRET}[\w-]{0,20}["']?\s{0,5}[:=]\s{0,5})${VALUE}`, 'gi'), `$1${MASK}`],
  // Tokens that show by themselves what they are.
  [/\beyJ[\w-]{8,4000}\.[\w-]{8,4000}(?:\.[\w-]{0,4000})?/g, MASK],
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, MASK],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|sk-|sk_live_|npm_)[\w-]{16,400}/g, MASK],
]

export function redact(text: string): string {
  let clean = text.length > TEXT_MAX_CHARS ? text.slice(0, TEXT_MAX_CHARS) : text
  for (const [pattern, replacement] of rules) clean = clean.replaceAll(pattern, replacement)
  return clean
}
