/** What every producer sends: a new buffer for each value, as an application has; its first bytes number the record. */
import { keyCount, keyOfRecord, keyText, valueBytes } from '../task.ts'

const keys: readonly Buffer[] = Array.from({ length: keyCount }, (_, n) => Buffer.from(keyText(n)))

/** A send has this many records. */
export const sendRecords = 1_000
/** So many sends are under way at once. */
export const sendsMax = 20

export interface Load {
  readonly key: Buffer
  readonly value: Buffer
}

/** Records `from` to `to`, without the last. */
export function load<Extra extends object>(from: number, to: number, extra: Extra): (Load & Extra)[] {
  const list: (Load & Extra)[] = []
  for (let n = from; n < to; n++) {
    const value = Buffer.allocUnsafe(valueBytes)
    value.fill(0x78, 4)
    value.writeUInt32BE(n, 0)
    list.push({ ...extra, key: keys[keyOfRecord(n)] as Buffer, value })
  }
  return list
}

/** Everything in sends, a bounded number of them at once; resolves when all are acknowledged. */
export async function sendAll(total: number, send: (from: number, to: number) => Promise<unknown>): Promise<void> {
  const underWay = new Set<Promise<unknown>>()
  let failure: { readonly error: unknown } | null = null
  for (let from = 0; from < total && failure === null; from += sendRecords) {
    const sent: Promise<unknown> = send(from, Math.min(total, from + sendRecords)).then(
      () => underWay.delete(sent),
      (error) => {
        failure = { error }
        underWay.delete(sent)
      },
    )
    underWay.add(sent)
    if (underWay.size >= sendsMax) await Promise.race(underWay)
  }
  await Promise.all(underWay)
  if (failure !== null) throw (failure as { error: unknown }).error
}
