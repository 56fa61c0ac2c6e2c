/**
 * What the log needs of a disk, and nothing more: files that grow at their end, a few names in a directory, and the two
 * kinds of sync that a crash makes necessary (a file's bytes, a directory's names).
 *
 * An answer may come at once or later (`Eventually`): memory answers at once, which makes memory mode and the
 * simulation fast. What always holds: bytes and names survive a crash only if a sync that began after them has ended
 * without an error; until then any part of them may be lost, in any order.
 */
import { FanlaneError } from '../../errors.ts'

export type Eventually<T> = T | Promise<T>

export interface DiskFile {
  /** Bytes in the file; those of a running append do not count yet. */
  readonly size: number
  /** Writes all of it at the end. The chunks must not change afterwards: memory keeps them as they are. */
  append(chunks: readonly Buffer[]): Eventually<void>
  /** Exactly these bytes, or an error. */
  read(at: number, length: number): Eventually<Buffer>
  /** The bytes from here on as they lie in memory, each piece beginning where an append did or at `at`. No copy. */
  view?(at: number, length: number): readonly Buffer[]
  /** Writes over bytes that are there. Only recovery does, with the very same bytes. */
  overwrite(at: number, chunk: Buffer): Eventually<void>
  truncate(size: number): Eventually<void>
  /** Everything appended before the call is on the disk when it returns. */
  sync(): Eventually<void>
  close(): Eventually<void>
}

export interface Disk {
  /** Nothing survives the process: syncs, indexes on disk and checkpoints are pointless. */
  readonly isVolatile: boolean
  /** To read and to append; `create` makes an empty file where there is none. */
  open(path: string, mode: 'existing' | 'create'): Eventually<DiskFile>
  size(path: string): Eventually<number>
  /** The whole of a small file; undefined if there is none. */
  readFile(path: string): Eventually<Buffer | undefined>
  /** With the directories above it; no error if it is there. */
  makeDirectory(path: string): Eventually<void>
  /** Names in a directory, in no order; empty if there is no such directory. */
  list(directory: string): Eventually<readonly string[]>
  /** Takes the place of what has that name. */
  rename(from: string, to: string): Eventually<void>
  /** No error if it is gone already. */
  remove(path: string): Eventually<void>
  removeDirectory(path: string): Eventually<void>
  syncDirectory(path: string): Eventually<void>
}

const temporarySuffix = '.tmp'

export const isTemporary = (name: string): boolean => name.endsWith(temporarySuffix)

/** After a crash the file is as before or as after, never in between; when this returns it is as after for good. */
export async function writeFileAtomically(disk: Disk, directory: string, name: string, bytes: Buffer): Promise<void> {
  const path = `${directory}/${name}`
  const temporary = path + temporarySuffix
  await disk.remove(temporary)
  const file = await disk.open(temporary, 'create')
  try {
    await file.append([bytes])
    await file.sync()
  } finally {
    await file.close()
  }
  await disk.rename(temporary, path)
  await disk.syncDirectory(directory)
}

/** A file that ends before the bytes that ought to be in it. */
export function shortRead(path: string, at: number, length: number, got: number): FanlaneError {
  return new FanlaneError(
    'DISK_SHORT_READ',
    `${path} ends early: ${length} bytes were wanted at ${at}, ${got} are there. Something else has shortened the file: stop that, and restore it from a backup.`,
  )
}

/** Whatever the system said, with the file and the deed in the message; ENOSPC and the like stay readable as the cause. */
export function diskError(deed: string, path: string, cause: unknown): FanlaneError {
  const system = cause as { code?: string; message?: string }
  const hint = hints[system.code ?? ''] ?? 'Look at the health of the disk and at the permissions of the directory.'
  return new FanlaneError('DISK_FAILED', `Cannot ${deed} ${path}: ${system.message ?? String(cause)}. ${hint}`, {
    cause,
  })
}

const hints: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full: make room or shorten the retention, then start again.',
  EDQUOT: 'The disk quota is used up: make room or raise it, then start again.',
  EACCES: 'Give the user that runs the broker read and write permission there.',
  EPERM: 'Give the user that runs the broker read and write permission there.',
  EROFS: 'The file system is read-only: choose another data directory.',
  EMFILE: 'Too many open files: raise the limit (ulimit -n).',
}
