/** What users ask for while it runs. */
import { parkLane, unpark } from './breaker.ts'
import { commitNow } from './commit.ts'
import type { Control, Selection } from './events.ts'
import type { Home } from './lease.ts'
import { drain, seek } from './leases.ts'
import { pauseFor } from './pressure.ts'
import { enqueueBlocking, enqueueReady } from './ready.ts'
import { skip } from './settlement.ts'
import { NONE } from './slots.ts'
import type { KernelState } from './state.ts'

export function control(state: KernelState, wish: Control, nowMs: number): void {
  switch (wish.kind) {
    case 'pause':
    case 'resume':
      return pauseSelection(state, wish.selection, wish.kind === 'pause', nowMs)
    case 'concurrency':
      state.concurrencyLimit = wish.limit
      return
    case 'skip': {
      const lease = state.leaseOf(wish)
      const slot = lease === null ? NONE : lease.tracker.find(wish.offset)
      if (slot !== NONE && skip(state, slot, nowMs)) return
      return refuse(state, wish, 'no such record is admitted, or it is on its way out already')
    }
    case 'seek':
      // The commit under way could land after the new lease has started, and take its position back: records would start
      // twice there.
      if (state.options.delivery === 'at-most-once' && state.leaseOf(wish)?.commit.flight) {
        return refuse(state, wish, 'a commit is under way; try again')
      }
      if (seek(state, wish, wish.position, nowMs)) return
      return refuse(state, wish, 'the partition is not held by this consumer')
    case 'commit':
      return commitNow(state, wish.ticket, nowMs)
    case 'close':
      state.closing = true
      for (const lease of [...state.leases.values()]) drain(state, lease, wish.drainMs, nowMs)
      return
  }
}

function refuse(state: KernelState, wish: Control, reason: string): void {
  state.out.notice({ kind: 'control-refused', control: wish, reason })
}

function pauseSelection(state: KernelState, selection: Selection, paused: boolean, nowMs: number): void {
  const { topic, partition, key } = selection
  if (partition !== undefined) return pauseHome(state, state.homeOf({ topic, partition }), key, paused, nowMs)
  rememberTopic(state, topic, key, paused)
  for (const home of state.homes.get(topic)?.values() ?? []) pauseHome(state, home, key, paused, nowMs)
}

/** Partitions that come later are paused as well. */
function rememberTopic(state: KernelState, topic: string, key: string | null | undefined, paused: boolean): void {
  if (key === undefined || key === null) {
    if (paused) state.pausedTopics.add(topic)
    else state.pausedTopics.delete(topic)
    return
  }
  const keys = state.pausedTopicKeys.get(topic) ?? new Set()
  if (paused) keys.add(key)
  else keys.delete(key)
  state.pausedTopicKeys.set(topic, keys)
}

function pauseHome(
  state: KernelState,
  home: Home,
  key: string | null | undefined,
  paused: boolean,
  nowMs: number,
): void {
  const { lease } = home
  if (key === undefined || key === null) {
    home.userPaused = paused
    if (!paused) for (const parked of [...home.breaker.parked.keys()]) unpark(state, home, parked, nowMs)
    if (lease === null || !lease.isOpen) return
    pauseFor(state, lease, 'user', paused)
    if (paused) return
    enqueueReady(state, lease)
    enqueueBlocking(state, lease)
    return
  }
  if (!paused) {
    home.pausedKeys.delete(key)
    return unpark(state, home, key, nowMs)
  }
  home.pausedKeys.add(key)
  if (lease === null) return
  parkLane(state, lease, key)
}
