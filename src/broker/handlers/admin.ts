import type { Broker } from '../broker.ts'
import type { Route } from '../server/route.ts'

export function adminRoutes(_broker: Broker): Route[] {
  return []
}
