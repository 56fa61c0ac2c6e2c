/** Which partitions of a glance a page shows, in the order that it asks for: found in one pass, and only these sorted. */
import { Foremost } from '../kernel/foremost.ts'
import type { Glance } from '../kernel/glance.ts'
import type { Lease } from '../kernel/lease.ts'
import { heldFor, type Question, type Sort } from './instance.ts'

export interface ShownRows {
  /** The first ones of what was found. */
  readonly rows: readonly number[]
  /** How many were found. */
  readonly total: number
}

type Columns = Pick<Glance, 'leases' | 'lag' | 'heldMs'>

/** At least `from + count` of them, if there are so many. */
export function shownRows(
  { sort, find, from, count }: Pick<Question, 'sort' | 'find' | 'from' | 'count'>,
  seen: Columns,
  isFound: (lease: Lease) => boolean,
): ShownRows {
  const first = new Foremost(from + count, rowOrder(sort, seen))
  let total = 0
  for (let row = 0; row < seen.leases.length; row++) {
    const lease = seen.leases[row]
    if (lease === undefined || (find !== '' && !isFound(lease))) continue
    total++
    first.offer(row)
  }
  return { rows: first.items, total }
}

/** As `ordering` has it. Rows come in the order of their names: what is equal stays in it. */
function rowOrder(sort: Sort, { lag, heldMs }: Columns): (a: number, b: number) => number {
  const byLag = (a: number, b: number): number => (lag[b] ?? 0) - (lag[a] ?? 0)
  if (sort === 'name') return (a, b) => a - b
  if (sort === 'lag') return byLag
  return (a, b) => heldFor(heldMs[b] ?? -1) - heldFor(heldMs[a] ?? -1) || byLag(a, b)
}
