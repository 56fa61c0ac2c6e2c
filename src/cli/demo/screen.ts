/** Where the demo writes: on a terminal one status line that is rewritten, elsewhere plain lines, less often. */
import { styleText } from 'node:util'

const TERMINAL_EVERY_MS = 100
const PLAIN_EVERY_MS = 1_000

export interface Screen {
  /** How often a new status is worth showing. */
  readonly everyMs: number
  status(text: string): void
  line(text?: string): void
  /** Green on a terminal that wants colours. */
  good(text: string): string
  bad(text: string): string
}

export const noScreen: Screen = {
  everyMs: PLAIN_EVERY_MS,
  status: nothing,
  line: nothing,
  good: (text) => text,
  bad: (text) => text,
}

export function screenOn(stream: NodeJS.WriteStream): Screen {
  const style = {
    good: (text: string) => styleText('green', text, { stream }),
    bad: (text: string) => styleText('red', text, { stream }),
  }
  if (!stream.isTTY) {
    const line = (text = ''): void => {
      stream.write(`${text}\n`)
    }
    return { everyMs: PLAIN_EVERY_MS, status: line, line, ...style }
  }
  return {
    everyMs: TERMINAL_EVERY_MS,
    // Back to the first column and erase what is left of the longer line before.
    status: (text) => {
      stream.write(`\r${text}\u{1b}[K`)
    },
    line: (text = '') => {
      stream.write(`\r${text}\u{1b}[K\n`)
    },
    ...style,
  }
}

function nothing(): void {
  // The caller wants the result only.
}
