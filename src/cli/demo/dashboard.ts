/** The demo's dashboard: both consumers show on it, and it stays while one ends and the other begins. */
import { software } from '../../cluster/net/software.ts'
import type { Beside } from '../../dashboard/frames.ts'
import { sharedServer } from '../../dashboard/shared.ts'
import { SystemClock } from '../../system-clock.ts'
import { silent } from './ground.ts'

export interface DemoDashboard {
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

/** A port of 0 is decided here, once, so that the consumers can name the same. `beside`: what is compared. */
export async function holdDashboard(port: number, beside: () => Beside): Promise<DemoDashboard> {
  const clock = new SystemClock()
  const parts = { version: software.version, source: 'process', clock, logger: silent, beside } as const
  const first = await sharedServer({ ...parts, options: { port } })
  if (port !== 0) return { url: first.server.url, port, close: first.release }
  const chosen = first.server.port
  await first.release()
  const held = await sharedServer({ ...parts, options: { port: chosen } })
  return { url: held.server.url, port: chosen, close: held.release }
}
