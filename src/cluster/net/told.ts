/** A broker's state in a line, for logs. */
import type { ClusterState } from './options.ts'

export function describeState(state: ClusterState, nowMs: number): string {
  if (state.kind === 'connected') return `connected to ${state.address}`
  const { error, sinceMs, tries, nextTryMs } = state
  const times = tries === 1 ? 'once' : `${tries} times`
  const again = error.retriable ? `, trying again in ${seconds(nextTryMs - nowMs)}` : ''
  return `${error.message} Tried ${times} since ${new Date(sinceMs).toISOString()}${again}`
}

function seconds(ms: number): string {
  return `${(Math.max(0, ms) / 1_000).toFixed(1)} s`
}
