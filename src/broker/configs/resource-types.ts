/**
 * What can have a configuration, by Kafka's numbers.
 */
export const resourceTypes = { topic: 2, broker: 4, brokerLogger: 8, clientMetrics: 16, group: 32 } as const

export type ResourceTypeName = keyof typeof resourceTypes

const names: ReadonlyMap<number, ResourceTypeName> = new Map(
  Object.entries(resourceTypes).map(([name, number]) => [number, name as ResourceTypeName]),
)

/** Undefined: there is no such type. */
export function resourceTypeName(number: number): ResourceTypeName | undefined {
  return names.get(number)
}
