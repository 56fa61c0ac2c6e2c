/**
 * Bit fields of what a client may do. There are no ACLs here: whoever is authenticated may do everything.
 * Bits are Kafka's operation numbers: read 3, write 4, create 5, delete 6, alter 7, describe 8, cluster action 9,
 * describe configs 10, alter configs 11, idempotent write 12.
 */
function bits(...operations: readonly number[]): number {
  return operations.reduce((sum, operation) => sum | (1 << operation), 0)
}

export const authorizedOperations: Readonly<Record<'topic' | 'group' | 'cluster', number>> = {
  topic: bits(3, 4, 5, 6, 7, 8, 10, 11),
  group: bits(3, 6, 8, 10, 11),
  cluster: bits(5, 7, 8, 9, 10, 11, 12),
}
