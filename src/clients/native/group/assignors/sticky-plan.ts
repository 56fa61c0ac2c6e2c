/** Balanced, with as few moves as can be: what both sticky assignors decide by. */
import type { TopicPartition } from '../../../../kernel/ids.ts'
import { type Board, boardOf, planOf } from './board.ts'
import type { Claimant, Claims } from './claims.ts'
import { spreadEvenly } from './spread-evenly.ts'
import { spreadMixed } from './spread-mixed.ts'

export interface StickyPlan {
  readonly plan: ReadonlyMap<string, readonly TopicPartition[]>
  readonly claims: Claims
}

export function stickyPlan(claimants: readonly Claimant[], partitionsOf: (topic: string) => number): StickyPlan {
  const board = boardOf(claimants, partitionsOf)
  const readers = board.topics[0]?.readers
  const isSame = readers !== undefined && board.topics.every((topic) => isEqual(topic.readers, readers))
  const holder = isSame ? spreadEvenly(board, readers) : spreadMixed(board)
  return { plan: planOf(board, holder), claims: board.claims }
}

function isEqual(a: Board['topics'][number]['readers'], b: readonly number[]): boolean {
  return a.length === b.length && a.every((member, index) => member === b[index])
}
