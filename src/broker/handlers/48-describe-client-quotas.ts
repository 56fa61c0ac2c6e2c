/**
 * DescribeClientQuotas: the quotas that were set (not enforced: quotas/client-quotas.ts), filtered by who they are for.
 * A filter names types; `strict` leaves out entities that have other types too. v1 flexible.
 */
import { errorCodes } from '../../protocol/errors.ts'
import {
  type ComponentData,
  describeClientQuotasApi,
  type EntryData,
} from '../../protocol/generated/48-describe-client-quotas.ts'
import type { Input } from '../../protocol/types.ts'
import type { Broker } from '../broker.ts'
import { ClientQuotas, entityTypes, inOrder, valueKeys } from '../quotas/client-quotas.ts'
import { outcomeOf, Refused } from '../refused.ts'
import { type Route, route } from '../server/route.ts'
import type { ClientQuotaDocument } from '../state/metadata-store.ts'

const match = { exact: 0, default: 1, any: 2 } as const

export function describeClientQuotas(broker: Broker): Route {
  const quotas = new ClientQuotas(broker.metadata)
  return route(describeClientQuotasApi, {
    handle: ({ components, strict }) => {
      try {
        checkFilter(components)
        const found = [...quotas.all()].filter((document) => fits(document, components, strict))
        return { errorCode: errorCodes.NONE, entries: found.map(entry) }
      } catch (error) {
        return { ...outcomeOf(error), entries: null }
      }
    },
    refuse: (_request, errorCode) => ({ errorCode, errorMessage: null, entries: null }),
  })
}

function entry({ entity, values }: ClientQuotaDocument): Input<EntryData> {
  return {
    entity: inOrder(Object.entries(entity), entityTypes).map(([entityType, entityName]) => ({
      entityType,
      entityName,
    })),
    values: inOrder(Object.entries(values), valueKeys).map(([key, value]) => ({ key, value })),
  }
}

function fits({ entity }: ClientQuotaDocument, components: readonly ComponentData[], strict: boolean): boolean {
  if (strict && Object.keys(entity).length !== components.length) return false
  return components.every(({ entityType, matchType, match: wanted }) => {
    if (!Object.hasOwn(entity, entityType)) return false
    if (matchType === match.any) return true
    return entity[entityType] === (matchType === match.default ? null : wanted)
  })
}

function checkFilter(components: readonly ComponentData[]): void {
  const refuse = (why: string): never => {
    throw new Refused('INVALID_REQUEST', why)
  }
  const seen = new Set<string>()
  for (const { entityType, matchType, match: wanted } of components) {
    if (seen.has(entityType)) refuse(`Entity type ${entityType} cannot appear more than once in the filter.`)
    seen.add(entityType)
    if (entityType === '') refuse('Invalid empty entity type.')
    if (!entityTypes.includes(entityType))
      throw new Refused('UNSUPPORTED_VERSION', `Unsupported entity type ${entityType}`)
    switch (matchType) {
      case match.exact:
        if (wanted === null) refuse('Request specified MATCH_TYPE_EXACT, but set match string to null.')
        break
      case match.default:
        if (wanted !== null) refuse('Request specified MATCH_TYPE_DEFAULT, but also specified a match string.')
        break
      case match.any:
        if (wanted !== null) refuse('Request specified MATCH_TYPE_SPECIFIED, but also specified a match string.')
        break
      default:
        refuse(`Unknown match type ${matchType}`)
    }
  }
  if (seen.has('ip') && seen.size > 1) {
    const why = 'IP filter component should not be used with user or clientId filter component.'
    refuse(`Invalid entity filter component combination. ${why}`)
  }
}
