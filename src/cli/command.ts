/** What all commands share: how they are called wrongly, how numbers are read, how an interrupt ends them. */
import { InvalidArgumentError } from 'commander'

/** Called wrongly: the message is printed, the exit code is 2. */
export class UsageError extends Error {}

/** For commander: a whole number in these bounds, or a usage error that says so. */
export function whole(min: number, max: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text.replaceAll('_', '')) ? Number(text.replaceAll('_', '')) : Number.NaN
    if (Number.isSafeInteger(number) && number >= min && number <= max) return number
    const range = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`
    throw new InvalidArgumentError(`It takes a whole number ${range}.`)
  }
}

/** The same for options that may be given several times. */
export function severalWhole(text: string, before: readonly number[] = []): number[] {
  return [...before, whole(0)(text)]
}

/** For commander: options that may be given several times. */
export function several(text: string, before: readonly string[] = []): string[] {
  return [...before, text]
}

/** npm passes the terminal's Ctrl-C on to us a second time: that is the same one. */
const SAME_INTERRUPT_MS = 300

/** Aborted by the first interrupt; the second one ends the process. */
export function interruption(): AbortSignal {
  const stop = new AbortController()
  let firstMs = 0
  const interrupted = (): void => {
    if (!stop.signal.aborted) {
      firstMs = performance.now()
      stop.abort()
    } else if (performance.now() - firstMs > SAME_INTERRUPT_MS) process.exit(130)
  }
  process.on('SIGINT', interrupted)
  process.on('SIGTERM', interrupted)
  return stop.signal
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
