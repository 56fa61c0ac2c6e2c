/**
 * Changes to the partitions of topics, one after the other, as a controller makes them: two requests that add partitions to
 * the same topic, or one that adds while another deletes, must not meet half-way.
 */
import type { Broker } from '../broker.ts'

const lastOf = new WeakMap<Broker['topics'], Promise<unknown>>()

export function inTurn<T>({ topics }: Pick<Broker, 'topics'>, change: () => Promise<T>): Promise<T> {
  const turn = (lastOf.get(topics) ?? Promise.resolve()).then(change)
  // Whoever comes next waits for the end, however it ends.
  lastOf.set(
    topics,
    turn.catch((error: unknown) => error),
  )
  return turn
}
