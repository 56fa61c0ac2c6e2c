/**
 * Client quotas as tools set and read them: kept durably, described, NOT enforced. One process that serves one machine has
 * nobody to share its network with; a test that sets a quota sees it, but is never slowed down by it.
 */
import { isIP } from 'node:net'
import { errorCodes } from '../../protocol/errors.ts'
import { granted, type Outcome } from '../refused.ts'
import type { ClientQuotaDocument, MetadataStore } from '../state/metadata-store.ts'

/** By type; null: the default of that type. */
export type QuotaEntity = ReadonlyMap<string, string | null>

export interface QuotaOp {
  readonly key: string
  readonly value: number
  readonly remove: boolean
}

/** In the order in which Kafka's tables happen to give them: some tests of clients count on it. So with the values below. */
export const entityTypes: readonly string[] = ['ip', 'client-id', 'user']

/** Which values must be whole numbers up to which size. */
const forClients: Readonly<Record<string, 'double' | 'long'>> = {
  consumer_byte_rate: 'long',
  controller_mutation_rate: 'double',
  request_percentage: 'double',
  producer_byte_rate: 'long',
}
export const valueKeys: readonly string[] = Object.keys(forClients)
const forAddresses: Readonly<Record<string, 'int'>> = { connection_creation_rate: 'int' }
const largest = { double: Number.POSITIVE_INFINITY, long: 2 ** 63, int: 2 ** 31 - 1 } as const
const names = { double: 'a DOUBLE', long: 'a LONG', int: 'an INT' } as const

/** Entities are kept in memory, each with four values at most. */
const entitiesMax = 100_000

const refused = (errorMessage: string): Outcome => ({ errorCode: errorCodes.INVALID_REQUEST, errorMessage })

export function entityKey(entity: QuotaEntity): string {
  return JSON.stringify([...entity].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** As it is told: what is not known comes first. */
export function inOrder<V>(items: Iterable<readonly [string, V]>, order: readonly string[]): (readonly [string, V])[] {
  return [...items].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
}

export class ClientQuotas {
  readonly #store: MetadataStore

  constructor(store: MetadataStore) {
    this.#store = store
  }

  all(): Iterable<ClientQuotaDocument> {
    return Array.from(this.#store.all('client-quotas'), ([, document]) => document)
  }

  async alter(entity: QuotaEntity, ops: readonly QuotaOp[], validateOnly: boolean): Promise<Outcome> {
    const problem = entityProblem(entity) ?? opsProblem(entity, ops)
    if (problem !== undefined) return refused(problem)
    const key = entityKey(entity)
    const present = this.#store.get('client-quotas', key)
    const values = new Map(Object.entries(present?.values ?? {}))
    for (const op of ops) {
      if (op.remove) values.delete(op.key)
      else values.set(op.key, op.value)
    }
    if (present === undefined && values.size === 0) return granted
    if (present === undefined && [...this.all()].length >= entitiesMax) {
      return {
        errorCode: errorCodes.POLICY_VIOLATION,
        errorMessage: `this broker keeps quotas for ${entitiesMax} entities`,
      }
    }
    if (validateOnly) return granted
    const document = { entity: Object.fromEntries(entity), values: Object.fromEntries(values) }
    await this.#store.put('client-quotas', key, values.size === 0 ? undefined : document)
    return granted
  }
}

function entityProblem(entity: QuotaEntity): string | undefined {
  if (entity.size === 0) return 'Invalid empty client quota entity'
  for (const [type, name] of entity) {
    if (!entityTypes.includes(type)) return `Unhandled client quota entity type: ${type}`
    if (name === '') return `Empty ${type} not supported`
  }
  const address = entity.get('ip')
  if (address === undefined) return undefined
  if (entity.size > 1) return 'Invalid quota entity combination, IP entity shouldnot be combined with User or ClientId'
  return address === null || isAddress(address) ? undefined : `${address} is not a valid IP or resolvable host.`
}

/** Names of hosts are not looked up: what a name server says must not decide what is kept. */
function isAddress(text: string): boolean {
  return isIP(text) !== 0 || /^[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?$/.test(text)
}

function opsProblem(entity: QuotaEntity, ops: readonly QuotaOp[]): string | undefined {
  const kinds: Readonly<Record<string, 'double' | 'long' | 'int'>> = entity.has('ip') ? forAddresses : forClients
  for (const { key, value, remove } of ops) {
    if (remove) continue
    const kind = Object.hasOwn(kinds, key) ? kinds[key] : undefined
    if (kind === undefined) return `Invalid configuration key ${key}`
    // Kafka would take NaN; JSON, and every comparison, would not.
    if (!(value > 0)) return `Quota ${key} must be greater than 0`
    if (value > largest[kind]) return `Proposed value for ${key} is too large for ${names[kind]}.`
    if (kind !== 'double' && value % 1 > 1e-6) return `${key} cannot be a fractional value.`
  }
  return undefined
}
