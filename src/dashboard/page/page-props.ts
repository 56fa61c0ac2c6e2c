/** What every page gets. */
import type { Frame, Hello } from '../frames.ts'
import type { Ask } from './actions.ts'
import type { Replay } from './replay.ts'
import type { Route } from './route.ts'
import type { Point } from './series.ts'

export interface PageProps {
  readonly hello: Hello
  readonly group: string
  readonly route: Route
  /** The last frame, perhaps of another page: look at `detail.page`. */
  readonly frame: Frame
  readonly series: readonly Point[]
  readonly replay: Replay
  /** Null: actions are off, locked, or the page shows the past. */
  readonly ask: Ask | null
  /** Rises when an action has been done: what was fetched may be old. */
  readonly changes: number
}
