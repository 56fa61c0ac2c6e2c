/**
 * What the group coordinator wants to know about a request beside its body.
 */
import type { RequestContext as GroupRequestContext } from '../groups/request-context.ts'
import type { RequestContext } from '../server/route.ts'

export function groupContext({ version, clientId, connection }: RequestContext): GroupRequestContext {
  return { version, clientId, clientHost: connection.host }
}
