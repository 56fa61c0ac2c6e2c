/**
 * Compaction replaces closed segments by one new file, in steps that a crash may interrupt anywhere:
 *
 *   1. `<from>-<to>.cleaned` is written and synced. After a crash it is thrown away.
 *   2. It is renamed to `<from>-<to>.swap`, and the directory is synced. From here on the change happens: after a crash
 *      opening the log goes on with step 3.
 *   3. The segments with a base offset in [from, to) lose their indexes and, but for the first, their logs; the directory
 *      is synced. Only then is `.swap` renamed to the first segment's log. In the other order a crash could bring an old
 *      segment back beside the new file, with the same offsets.
 *
 * What always holds: a reader finds either all of the old segments or the new one.
 */
import type { Disk, DiskFile } from './disk.ts'
import type { ReadableLog } from './log-reader.ts'
import { cleanedName, indexName, logName, parseName, swapName, timeIndexName } from './names.ts'
import { Segment } from './segment.ts'

export interface CleanedFile {
  /** Sound batches in offset order, each inside the range of the segments that it will replace. */
  readonly file: DiskFile
  readonly from: number
  readonly to: number
}

/** Step 1 begins: a file for what is kept of these neighbouring closed segments. */
export async function createCleaned(disk: Disk, directory: string, old: readonly Segment[]): Promise<CleanedFile> {
  const from = (old[0] as Segment).baseOffset
  const to = (old.at(-1) as Segment).nextOffset
  const path = `${directory}/${cleanedName(from, to)}`
  await disk.remove(path)
  return { file: await disk.open(path, 'create'), from, to }
}

/** It is not needed after all. */
export async function discardCleaned(disk: Disk, directory: string, { file, from, to }: CleanedFile): Promise<void> {
  await file.close()
  await disk.remove(`${directory}/${cleanedName(from, to)}`)
}

/** All steps from here on. The checkpoint on disk must not need the old files any more. */
export async function swapIn(
  log: ReadableLog & { readonly directory: string; readonly segments: Segment[] },
  old: readonly Segment[],
  { file, from, to }: CleanedFile,
  indexIntervalBytes: number,
): Promise<Segment> {
  const { storage, directory, segments } = log
  const { disk, files, clock, indexes } = storage
  const { size } = file
  await file.sync()
  await file.close()
  const held: Segment[] = []
  try {
    // Readers that are under way, and those that come before the list changes, read the old files, with or without names.
    for (const segment of old) {
      await segment.file.acquire()
      held.push(segment)
    }
    await commitReplacement(disk, directory, from, to)
    const bases = old.map(({ baseOffset }) => baseOffset)
    await finishReplacement(disk, directory, from, to, bases)
    const replaced = new Segment(files, directory, from, size, indexIntervalBytes, clock.now())
    replaced.nextOffset = to
    segments.splice(segments.indexOf(old[0] as Segment), old.length, replaced)
    await indexes.get(disk, replaced, false)
    return replaced
  } finally {
    for (const segment of held) {
      segment.file.release()
      segment.file.discard()
      indexes.forget(segment)
    }
  }
}

/** Step 2. */
export async function commitReplacement(disk: Disk, directory: string, from: number, to: number): Promise<void> {
  await disk.rename(`${directory}/${cleanedName(from, to)}`, `${directory}/${swapName(from, to)}`)
  await disk.syncDirectory(directory)
}

/** Step 3. Can be done again after a crash, however far it got. */
export async function finishReplacement(
  disk: Disk,
  directory: string,
  from: number,
  to: number,
  bases: readonly number[],
): Promise<void> {
  for (const base of bases) {
    if (base < from || base >= to) continue
    await disk.remove(`${directory}/${indexName(base)}`)
    await disk.remove(`${directory}/${timeIndexName(base)}`)
    if (base !== from) await disk.remove(`${directory}/${logName(base)}`)
  }
  await disk.syncDirectory(directory)
  await disk.rename(`${directory}/${swapName(from, to)}`, `${directory}/${logName(from)}`)
  await disk.syncDirectory(directory)
}

/** When a log is opened: ends what a crash interrupted. True: something was changed, look at the directory again. */
export async function settleReplacements(disk: Disk, directory: string, names: readonly string[]): Promise<boolean> {
  const parsed = names.map(parseName)
  const bases: number[] = []
  for (const name of parsed) if (name?.kind === 'log') bases.push(name.baseOffset)
  let changed = false
  for (const [index, name] of parsed.entries()) {
    if (name?.kind === 'cleaned') await disk.remove(`${directory}/${names[index]}`)
    else if (name?.kind === 'swap') await finishReplacement(disk, directory, name.from, name.to, bases)
    else continue
    changed = true
  }
  return changed
}
