/** Figures and text for people. No DOM in here, so that it can be tested anywhere. */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const oneDigit = new Intl.NumberFormat('en', { maximumFractionDigits: 1, minimumFractionDigits: 1 })

/** What stands where nothing is known. */
export const unknown = '–'

export const count = (value: number): string => whole.format(value)

/** 950 · 12.4 k · 3.1 M */
export function short(value: number): string {
  const size = Math.abs(value)
  if (size >= 999_950_000) return `${oneDigit.format(value / 1e9)} G`
  if (size >= 999_950) return `${oneDigit.format(value / 1e6)} M`
  if (size >= 10_000) return `${oneDigit.format(value / 1e3)} k`
  return whole.format(value)
}

/** 12.4 k/s · 0.3/s */
export function rate(perSecond: number): string {
  if (perSecond > 0 && perSecond < 9.95) return `${oneDigit.format(perSecond)}/s`
  return `${short(perSecond)}/s`
}

export function bytes(value: number): string {
  if (value >= 2 ** 30) return `${oneDigit.format(value / 2 ** 30)} GiB`
  if (value >= 2 ** 20) return `${oneDigit.format(value / 2 ** 20)} MiB`
  if (value >= 2 ** 10) return `${oneDigit.format(value / 2 ** 10)} KiB`
  return `${whole.format(value)} B`
}

/** 4.2 ms · 240 ms · 1.2 s · 12 s · 1 min 12 s · 2 h 5 min · 3 d 4 h */
export function duration(ms: number): string {
  const value = Math.max(0, ms)
  if (value === 0) return '0 ms'
  if (value < 10) return `${oneDigit.format(value)} ms`
  if (value < 1_000) return `${whole.format(value)} ms`
  if (value < 9_950) return `${oneDigit.format(value / 1_000)} s`
  const seconds = Math.round(value / 1_000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 1_440) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
  const hours = Math.round(minutes / 60)
  return `${whole.format(Math.floor(hours / 24))} d ${hours % 24} h`
}

/** For what is counted in seconds and looked at every second: "12 s", never "11.9 s". */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  return seconds < 60 ? `${seconds} s` : duration(seconds * 1_000)
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const dayAndClock = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

/** 14:03:21, and the day where it is not today's. */
export function timeOfDay(at: number, now: number): string {
  return Math.abs(now - at) < 12 * 3_600_000 ? clock.format(at) : dayAndClock.format(at)
}

/**
 * Text of somebody else, made visible: what would move the cursor, hide, or turn the direction of writing is shown as a sign.
 * It is still only ever put into text nodes and attributes.
 */
export function visible(text: string, keepLines = false): string {
  return text.replace(invisible, (sign) => {
    const code = sign.charCodeAt(0)
    if (keepLines && (code === 10 || code === 9)) return sign
    if (code < 0x20) return String.fromCharCode(0x2400 + code)
    if (code === 0x7f) return '␡'
    return `⟨${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
  })
}
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what we look for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g

/** Visible, and not longer than a line. The whole of it belongs into the title. */
export function cut(text: string, max = 48): string {
  const shown = visible(text.length > max * 4 ? text.slice(0, max * 4) : text)
  return shown.length <= max ? shown : `${shown.slice(0, max - 1)}…`
}
