/** How wide a line may be, and how wide a text is on it. */

const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u
const NONE = /\p{Mark}|\u200d/u

/** COLUMNS, as a shell tells it; else the terminal. Into a file or a pipe nothing is cut. */
export function columnsOf(stream: NodeJS.WriteStream): number {
  const told = Number(process.env.COLUMNS)
  if (Number.isSafeInteger(told) && told > 0) return told
  return stream.isTTY ? stream.columns : Number.POSITIVE_INFINITY
}

/** Columns that a text takes: letters of East Asia and emoji take two. */
export function widthOf(text: string): number {
  let width = 0
  for (const each of text) width += NONE.test(each) ? 0 : WIDE.test(each) ? 2 : 1
  return width
}

/** As much of it as fits, with … where something is missing. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  if (width < 1) return ''
  let kept = ''
  let used = 0
  for (const each of text) {
    const next = widthOf(each)
    if (used + next > width - 1) break
    kept += each
    used += next
  }
  return `${kept}…`
}

export function padded(text: string, width: number, isRight: boolean): string {
  const room = ' '.repeat(Math.max(0, width - widthOf(text)))
  return isRight ? room + text : text + room
}
