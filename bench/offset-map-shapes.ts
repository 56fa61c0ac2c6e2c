/**
 * Maps as they come in practice, each with a name that reports and tests share. `records` is how many offsets the map
 * covers from the commit position on. Same name and size, same map: the chance is seeded.
 */
export type Shape = (records: number) => number[]

export const SHAPES: Readonly<Record<string, Shape>> = {
  'one straggler': (records) => [1, records - 1],
  '1 % holes': (records) => scattered(records, 0.01, 1),
  '50 % random': (records) => scattered(records, 0.5, 2),
  '99 % holes': (records) => scattered(records, 0.99, 3),
  alternating: (records) => new Array<number>(records + (records % 2)).fill(1),
  // Work in batches, some held up: stretches of 1–100 records, all finished or all not.
  bursts: (records) => {
    const random = seeded(4)
    const runs: number[] = []
    for (let covered = 0; covered < records; ) {
      const unfinished = 1 + Math.floor(random() * 100)
      const finished = 1 + Math.floor(random() * 100)
      runs.push(unfinished, finished)
      covered += unfinished + finished
    }
    return runs
  },
}

/** Not one of the six, but the usual picture in a running consumer: nearly all done at the front, little at the end. */
export function drifting(records: number): number[] {
  const random = seeded(5)
  return runsOf(records, (at) => random() > 0.001 + 0.5 * (at / records) ** 4)
}

function scattered(records: number, holes: number, seed: number): number[] {
  const random = seeded(seed)
  return runsOf(records, () => random() >= holes)
}

/** The first record is unfinished and the last one finished, or it would be no map. */
function runsOf(records: number, finished: (at: number) => boolean): number[] {
  const runs: number[] = []
  let kind = false
  let length = 0
  for (let at = 0; at < records; at++) {
    const done = at > 0 && (at === records - 1 || finished(at))
    if (done !== kind) {
      runs.push(length)
      length = 0
      kind = done
    }
    length++
  }
  runs.push(length)
  return runs
}

/** mulberry32: small, fast, the same everywhere. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b_79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
