/** The dashboard of groups that others run: of those that are named, or of all there are, and all that come. */
import { settled } from '../admin/failures.ts'
import type { OutsideDashboard } from '../open-dashboard.ts'
import { aborted } from './command.ts'
import { type Context, withAdmin } from './context.ts'
import { pause } from './pause.ts'

const LOOK_EVERY_MS = 3_000

export interface DashboardWishes {
  readonly port: number
  /** Empty: all. */
  readonly groups: readonly string[]
}

/** Serves until the signal is aborted; `onOpen` is told where. */
export async function serveDashboard(
  context: Context,
  { port, groups }: DashboardWishes,
  stop: AbortSignal,
  onOpen: (dashboard: OutsideDashboard) => void,
): Promise<void> {
  const { openDashboard } = await import('../open-dashboard.ts')
  const { brokers, client, config } = context
  const { tls, sasl, clientId } = client
  const settings = (config.values.dashboard ?? {}) as object
  const dashboard = await openDashboard({
    ...settings,
    port,
    brokers,
    group: groups,
    client: {
      ...(clientId === undefined ? {} : { clientId }),
      ...(tls === undefined ? {} : { tls }),
      ...(sasl === undefined ? {} : { sasl }),
    },
  })
  try {
    onOpen(dashboard)
    if (groups.length > 0) await aborted(stop)
    else await watchAll(context, dashboard, stop)
  } finally {
    await dashboard.close()
  }
}

async function watchAll(context: Context, dashboard: OutsideDashboard, stop: AbortSignal): Promise<void> {
  const known = new Set<string>()
  await withAdmin(context, async (admin) => {
    while (!stop.aborted) {
      // A cluster that does not answer for a while is no reason to take the page away.
      const { results } = await settled(admin.listGroups()).catch(() => ({ results: [] }))
      for (const { id } of results) {
        if (known.has(id) || id.startsWith('fanlane-redrive.')) continue
        known.add(id)
        dashboard.watch(id)
      }
      await pause(LOOK_EVERY_MS, stop)
    }
  })
}
