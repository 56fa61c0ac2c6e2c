/**
 * Up to which offset a partition has been compacted: a small file beside its segments (offset i64, CRC-32C u32). It saves
 * work and nothing hangs on it: where it is missing or damaged, all of the log counts as dirty.
 */
import { crc32c } from '../../protocol/crc32c.ts'
import { writeFileAtomically } from './disk.ts'
import type { PartitionLog } from './partition-log.ts'

const name = 'clean-offset'
const offsetBytes = 8

/** −1: unknown. */
export async function readCleanOffset({ storage, directory }: PartitionLog): Promise<number> {
  const bytes = await storage.disk.readFile(`${directory}/${name}`)
  if (bytes === undefined || bytes.length !== offsetBytes + 4) return -1
  if (bytes.readUInt32BE(offsetBytes) !== crc32c(bytes, 0, offsetBytes)) return -1
  return Number(bytes.readBigInt64BE(0))
}

export async function writeCleanOffset({ storage, directory }: PartitionLog, offset: number): Promise<void> {
  const bytes = Buffer.alloc(offsetBytes + 4)
  bytes.writeBigInt64BE(BigInt(offset), 0)
  bytes.writeUInt32BE(crc32c(bytes, 0, offsetBytes), offsetBytes)
  await writeFileAtomically(storage.disk, directory, name, bytes)
}
