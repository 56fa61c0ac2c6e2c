/** The demo's dashboard: both consumers show on it, and it stays while one ends and the other begins. */
import { software } from '../../cluster/net/software.ts'
import { sharedServer } from '../../dashboard/shared.ts'
import { SystemClock } from '../../system-clock.ts'
import { silent } from './ground.ts'

export interface DemoDashboard {
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

/** A port of 0 is decided here, once, so that the consumers can name the same. */
export async function holdDashboard(port: number): Promise<DemoDashboard> {
  const parts = { version: software.version, source: 'process', clock: new SystemClock(), logger: silent } as const
  const first = await sharedServer({ ...parts, options: { port } })
  if (port !== 0) return { url: first.server.url, port, close: first.release }
  const chosen = first.server.port
  await first.release()
  const held = await sharedServer({ ...parts, options: { port: chosen } })
  return { url: held.server.url, port: chosen, close: held.release }
}
