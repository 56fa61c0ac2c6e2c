/**
 * AlterClientQuotas: quotas are set and removed, kept and shown, not enforced (quotas/client-quotas.ts). v1 flexible.
 */
import { errorCodes } from '../../protocol/errors.ts'
import {
  type AlterClientQuotasRequestEntryData,
  type AlterClientQuotasResponseEntryData,
  alterClientQuotasApi,
} from '../../protocol/generated/49-alter-client-quotas.ts'
import type { Input } from '../../protocol/types.ts'
import type { Broker } from '../broker.ts'
import { ClientQuotas, entityKey, entityTypes, inOrder, type QuotaEntity } from '../quotas/client-quotas.ts'
import type { Outcome } from '../refused.ts'
import { type Route, route } from '../server/route.ts'

export function alterClientQuotas(broker: Broker): Route {
  const quotas = new ClientQuotas(broker.metadata)
  return route(alterClientQuotasApi, {
    handle: async ({ entries, validateOnly }) => {
      const groups = [...Map.groupBy(entries, (entry) => entityKey(entityOf(entry))).values()]
      const results = groups.map(async ([first, ...others]) => {
        if (first === undefined) return []
        const entity = entityOf(first)
        const outcome = await quotas.alter(entity, first.ops, validateOnly)
        return [result(entity, twice(first, others.length > 0) ?? outcome)]
      })
      return { entries: (await Promise.all(results)).flat() }
    },
    refuse: ({ entries }, errorCode) => ({
      entries: entries.map((entry) => result(entityOf(entry), { errorCode, errorMessage: null })),
    }),
  })
}

/** A type that is named twice: the last word counts. */
function entityOf({ entity }: AlterClientQuotasRequestEntryData): QuotaEntity {
  const parts = new Map(entity.map(({ entityType, entityName }) => [entityType, entityName]))
  return new Map(inOrder(parts, entityTypes))
}

function result(entity: QuotaEntity, outcome: Outcome): Input<AlterClientQuotasResponseEntryData> {
  return { ...outcome, entity: Array.from(entity, ([entityType, entityName]) => ({ entityType, entityName })) }
}

/** An entity that comes twice is refused, although its first values were taken: so does Kafka. */
function twice(entry: AlterClientQuotasRequestEntryData, isDuplicate: boolean): Outcome | undefined {
  const hasDuplicateKeys = new Set(entry.ops.map(({ key }) => key)).size < entry.ops.length
  if (!isDuplicate && !hasDuplicateKeys) return undefined
  const entity = Array.from(entityOf(entry), ([type, name]) => `${type}=${name}`).join(', ')
  const errorMessage = `Ignoring duplicate entity ClientQuotaEntity(entries={${entity}})`
  return { errorCode: errorCodes.INVALID_REQUEST, errorMessage }
}
