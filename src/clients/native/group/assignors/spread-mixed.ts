/**
 * Where members read different topics: everybody keeps what it owns, what is free goes to the emptiest reader, and then single
 * partitions move from fuller members to emptier ones until no move makes the load more equal.
 *
 * A move may need others on the way: the fullest member and the emptiest have no topic in common, but a third has one with
 * each. So a way is searched from member to member, over partitions that one holds and the next may read. If there is no
 * such way from a fullest member, then none from any member that was reached in the search either, and they are done.
 * When all are done the load is as equal as it can be, by every measure.
 *
 * In the end, partitions that moved are brought home where that leaves the load as equal as it is.
 */
import { type Board, nobody } from './board.ts'
import { Hands } from './hands.ts'

/** By partition: who is to have it. */
export function spreadMixed(board: Board): Int32Array {
  const hands = new Hands(board)
  fill(board, hands)
  level(board, hands)
  bringHome(board, hands)
  return hands.holder
}

function fill({ topics, home }: Board, hands: Hands): void {
  // Topics with few readers leave the least choice: they go first.
  const byChoice = [...topics].sort((a, b) => a.readers.length - b.readers.length || a.first - b.first)
  for (const { first, count, readers } of byChoice) {
    for (let partition = first; partition < first + count; partition++) {
      if (home[partition] === nobody) hands.give(partition, emptiest(hands, readers))
    }
  }
}

function emptiest({ load }: Hands, members: readonly number[]): number {
  let best = members[0] ?? nobody
  for (const member of members) if ((load[member] ?? 0) < (load[best] ?? 0)) best = member
  return best
}

function level({ memberIds }: Board, hands: Hands): void {
  const { load } = hands
  const isDone = new Uint8Array(memberIds.length)
  for (;;) {
    let fullest = nobody
    for (let member = 0; member < memberIds.length; member++) {
      if (isDone[member] === 0 && (load[member] ?? 0) > (load[fullest] ?? -1)) fullest = member
    }
    if (fullest === nobody) return
    const most = load[fullest] ?? 0
    const isEmptier = (member: number): boolean => (load[member] ?? 0) <= most - 2
    const found = hands.search(fullest, {
      isGoal: isEmptier,
      isClosed: (member) => isDone[member] === 1,
      looseOnly: false,
    })
    if (found.goal !== nobody) hands.moveAlong(found.goal, fullest)
    else for (const member of found.reached) isDone[member] = 1
  }
}

function bringHome({ home }: Board, hands: Hands): void {
  const { holder, load } = hands
  for (let isBetter = true; isBetter; ) {
    isBetter = false
    for (let partition = 0; partition < holder.length; partition++) {
      const owner = home[partition] ?? nobody
      const now = holder[partition] ?? nobody
      if (owner === nobody || owner === now) continue
      // It goes home, and something that has no home there goes on, until it is where it was taken from, or where the load
      // is one less: two members have then changed places.
      const oneLess = (load[now] ?? 0) - 1
      const isEven = (member: number): boolean => member === now || load[member] === oneLess
      const found = isEven(owner)
        ? { goal: owner }
        : hands.search(owner, { isGoal: isEven, isClosed: () => false, looseOnly: true })
      if (found.goal === nobody) continue
      hands.moveAlong(found.goal, owner)
      hands.give(partition, owner)
      isBetter = true
    }
  }
}
