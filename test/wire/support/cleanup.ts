/** What a test opened is closed in the reverse order: consumers before their broker. (`t.after` runs the first one first.) */
import type { TestContext } from 'node:test'

const open: WeakMap<TestContext, (() => Promise<void>)[]> = new WeakMap()

export function cleanUp(t: TestContext, close: () => Promise<void>): void {
  const known = open.get(t)
  if (known !== undefined) {
    known.push(close)
    return
  }
  const closers = [close]
  open.set(t, closers)
  t.after(async () => {
    for (const each of closers.toReversed()) await each()
  })
}
