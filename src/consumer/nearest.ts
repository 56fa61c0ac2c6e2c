/** What somebody may have meant. */

export function nearest(name: string, known: readonly string[]): string | null {
  const folded = name.toLowerCase()
  return known.find((each) => each.toLowerCase() === folded) ?? known.find((each) => distance(each, name) <= 2) ?? null
}

/** Edits between two words, for suggestions. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}
