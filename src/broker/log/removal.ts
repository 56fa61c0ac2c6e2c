/**
 * Deleting a partition. Its directory is renamed first: from then on it is gone for everybody, and a partition of the same
 * name can be made at once; a crash in the middle of the removal leaves a name behind that nobody opens.
 */
import type { Disk } from './disk.ts'
import { parentOf } from './storage.ts'

/** What a crash left behind with this ending can be removed. */
export const removedSuffix = '-delete'

export async function removeLogDirectory(disk: Disk, directory: string): Promise<void> {
  const doomed = `${directory}${removedSuffix}`
  await disk.removeDirectory(doomed)
  await disk.rename(directory, doomed)
  await disk.syncDirectory(parentOf(directory))
  await disk.removeDirectory(doomed)
}
