/** What is to happen, earliest first; of the same time by a random tie-break, of the same tie by age. */
export interface TimedEvent {
  readonly timeMs: number
  readonly tie: number
  readonly sequence: number
  /** null: cancelled. It stays where it is and is passed over, because most timers are cancelled. */
  callback: (() => void) | null
}

export class EventHeap {
  readonly #events: TimedEvent[] = []

  push(event: TimedEvent): void {
    const events = this.#events
    let at = events.length
    events.push(event)
    while (at > 0) {
      const parentAt = (at - 1) >> 1
      const parent = events[parentAt] as TimedEvent
      if (!isBefore(event, parent)) break
      events[at] = parent
      at = parentAt
    }
    events[at] = event
  }

  /** The next one that is not cancelled, left in its place. */
  peek(): TimedEvent | undefined {
    while (this.#events.length > 0 && this.#events[0]?.callback === null) this.#removeFirst()
    return this.#events[0]
  }

  pop(): TimedEvent | undefined {
    const first = this.peek()
    if (first !== undefined) this.#removeFirst()
    return first
  }

  #removeFirst(): void {
    const events = this.#events
    const last = events.pop() as TimedEvent
    const size = events.length
    if (size === 0) return
    let at = 0
    for (;;) {
      let childAt = 2 * at + 1
      if (childAt >= size) break
      if (childAt + 1 < size && isBefore(events[childAt + 1] as TimedEvent, events[childAt] as TimedEvent)) childAt++
      const child = events[childAt] as TimedEvent
      if (!isBefore(child, last)) break
      events[at] = child
      at = childAt
    }
    events[at] = last
  }
}

function isBefore(a: TimedEvent, b: TimedEvent): boolean {
  if (a.timeMs !== b.timeMs) return a.timeMs < b.timeMs
  return a.tie === b.tie ? a.sequence < b.sequence : a.tie < b.tie
}
