/** Waiting for something to become true, with a deadline that says what it waited for. No test sleeps a fixed time. */
import { setTimeout as sleep } from 'node:timers/promises'

const deadlineMs = 90_000

/** Asks again and again until the answer is neither false nor undefined, and gives it. */
export async function until<T>(
  what: string,
  ask: () => T | false | undefined | Promise<T | false | undefined>,
  withinMs: number = deadlineMs,
): Promise<T> {
  const end = performance.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (answer !== false && answer !== undefined) return answer
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`)
    await sleep(20)
  }
}

/** The same for a promise that somebody else settles. */
export async function within<T>(what: string, promise: Promise<T>, ms: number = deadlineMs): Promise<T> {
  const timeout = new AbortController()
  const late = sleep(ms, undefined, { signal: timeout.signal }).then(() => {
    throw new Error(`not within ${ms} ms: ${what}`)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    timeout.abort()
    late.catch((error: unknown) => error)
  }
}
