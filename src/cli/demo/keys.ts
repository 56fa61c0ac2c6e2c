/** Keys that make trouble while the demo runs, on a terminal. */
import type { ReadStream } from 'node:tty'
import type { Injected } from './orders.ts'

export interface Trouble {
  inject(fate: Injected): void
  /** A further member joins, or leaves; or joins and is killed. */
  member(wish: 'join-or-leave' | 'crash'): void
  quit(): void
}

export const KEYS_HELP: string = 'p poison  s slow key  r rebalance  c crash  q end'

/** Returns what gives the terminal back. */
export function listenToKeys(input: ReadStream, trouble: Trouble): () => void {
  const pressed = (bytes: Buffer): void => {
    for (const key of bytes.toString('latin1')) press(key, trouble)
  }
  input.setRawMode(true)
  input.resume()
  input.on('data', pressed)
  return () => {
    input.off('data', pressed)
    input.setRawMode(false)
    input.pause()
  }
}

function press(key: string, { inject, member, quit }: Trouble): void {
  switch (key) {
    case 'p':
      return inject('poison')
    case 's':
      return inject('slow')
    case 'r':
      return member('join-or-leave')
    case 'c':
      return member('crash')
    // Ctrl-C too: in this mode the terminal makes no signal of it.
    case 'q':
    case '\u{3}':
      return quit()
  }
}
