/**
 * Where all members read the same topics: everybody gets the same number of partitions, give or take one, and no partition
 * moves that need not. The places with one more go first to those who own more than the least already.
 */
import { type Board, nobody } from './board.ts'

/** By partition: who is to have it. */
export function spreadEvenly(board: Board, readers: readonly number[]): Int32Array {
  const { home } = board
  const owned = ownedInTurn(board)
  const quota = quotas(
    home.length,
    readers.map((member) => owned[member]?.length ?? 0),
  )
  const holder = new Int32Array(home.length).fill(nobody)
  const room = quota.map((most, seat) => {
    const kept = owned[readers[seat] ?? nobody]?.slice(0, most) ?? []
    for (const partition of kept) holder[partition] = readers[seat] ?? nobody
    return most - kept.length
  })
  let seat = 0
  for (let partition = 0; partition < holder.length; partition++) {
    if (holder[partition] !== nobody) continue
    while (room[seat] === 0) seat = (seat + 1) % readers.length
    holder[partition] = readers[seat] ?? nobody
    room[seat] = (room[seat] ?? 0) - 1
    seat = (seat + 1) % readers.length
  }
  return holder
}

/** By reader: how many it gets. */
function quotas(partitions: number, owned: readonly number[]): readonly number[] {
  const least = Math.floor(partitions / owned.length)
  let withOneMore = partitions % owned.length
  const quota = owned.map(() => least)
  for (const isFull of [true, false]) {
    for (const [seat, count] of owned.entries()) {
      if (count > least !== isFull || withOneMore === 0) continue
      quota[seat] = least + 1
      withOneMore--
    }
  }
  return quota
}

/**
 * What each member owns, one partition of each topic in turn: what is kept of it, and what is given up, is then spread over
 * all topics, of which some have more traffic than others.
 */
function ownedInTurn({ memberIds, topics, home }: Board): readonly (readonly number[])[] {
  const owned = memberIds.map((): { partition: number; turn: number }[] => [])
  for (const { first, count } of topics) {
    const turns = new Map<number, number>()
    for (let partition = first; partition < first + count; partition++) {
      const member = home[partition] ?? nobody
      const turn = turns.get(member) ?? 0
      turns.set(member, turn + 1)
      owned[member]?.push({ partition, turn })
    }
  }
  return owned.map((all) =>
    all.sort((a, b) => a.turn - b.turn || a.partition - b.partition).map((one) => one.partition),
  )
}
