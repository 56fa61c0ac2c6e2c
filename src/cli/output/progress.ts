/** A bar for long work, on stderr, and only where somebody looks at it. */
import { performance } from 'node:perf_hooks'
import { number } from './table.ts'
import { columnsOf, cut } from './width.ts'

const EVERY_MS = 100
const BAR_CHARS = 24

export interface Progress {
  /** `total` null: nobody knows. */
  show(done: number, total: number | null): void
  end(): void
}

export function progressOf(what: string, isWanted = true): Progress {
  const { stderr } = process
  if (!stderr.isTTY || !isWanted) return { show: nothing, end: nothing }
  const startMs = performance.now()
  let lastMs = 0
  return {
    show: (done, total) => {
      const nowMs = performance.now()
      if (nowMs - lastMs < EVERY_MS) return
      lastMs = nowMs
      const rate = Math.round((done / Math.max(1, nowMs - startMs)) * 1_000)
      const share = total === null || total === 0 ? null : Math.min(1, done / total)
      const full = Math.round((share ?? 0) * BAR_CHARS)
      const bar =
        share === null ? '' : `${'█'.repeat(full)}${'░'.repeat(BAR_CHARS - full)} ${Math.round(share * 100)} % `
      stderr.write(`\r${cut(`${what} ${bar}${number(done)} (${number(rate)}/s)`, columnsOf(stderr) - 1)}\u{1b}[K`)
    },
    end: () => {
      if (lastMs > 0) stderr.write('\r\u{1b}[K')
    },
  }
}

function nothing(): void {
  // Nobody looks.
}
