/** The demo's race with its dashboard, for a picture of it: the same as `npm start`, without a terminal. */
import { holdDashboard } from '../../src/cli/demo/dashboard.ts'
import { demo } from '../../src/cli/demo/demo.ts'
import { noScreen } from '../../src/cli/demo/screen.ts'
import { SideBySide } from '../../src/cli/demo/side-by-side.ts'

export interface RunningRace {
  readonly url: string
  /** How long until its chart has a shape. */
  shapeMs(): number
  close(): Promise<void>
}

const SECONDS = 60
const SHAPE_MS = 30_000

export async function openRace(): Promise<RunningRace> {
  const sideBySide = new SideBySide()
  const dashboard = await holdDashboard(0, () => sideBySide.frame())
  const stop = new AbortController()
  const { port: dashboardPort, url } = dashboard
  const ending = demo({ seconds: SECONDS, screen: noScreen, stop: stop.signal, dashboardPort, sideBySide, keys: null })
  const startedMs = performance.now()
  return {
    url,
    shapeMs: () => startedMs + SHAPE_MS - performance.now(),
    async close() {
      stop.abort()
      await ending
      await dashboard.close()
    },
  }
}
