/**
 * Writes the checkpoint of one partition: everything it says is taken at one moment, then the log is synced up to there,
 * and only then the file is replaced. One at a time, and none if nothing has changed.
 */
import { type Checkpoint, encodeCheckpoint } from './checkpoint.ts'
import { type Disk, writeFileAtomically } from './disk.ts'
import type { Flusher } from './flusher.ts'
import { checkpointName } from './names.ts'
import { OneAtATime } from './one-at-a-time.ts'

export interface CheckpointSource {
  /** As of now, all of it. */
  take(): Checkpoint
  /** Everything below this offset is on the disk, and the indexes are written as far as they go. */
  settle(offset: number): Promise<void>
}

/** What the file says, as far as is needed to know that nothing has changed. */
export type Saved = Pick<Checkpoint, 'logStartOffset' | 'dense'> & { readonly offset: number }

export class CheckpointKeeper {
  readonly #flusher: Flusher
  readonly #disk: Disk
  readonly #directory: string
  readonly #source: CheckpointSource
  readonly #saving: OneAtATime
  #saved: Saved
  /** Bytes that were written since. */
  bytesSince: number

  constructor(
    flusher: Flusher,
    disk: Disk,
    directory: string,
    source: CheckpointSource,
    saved: Saved,
    bytesSince: number,
  ) {
    this.#flusher = flusher
    this.#disk = disk
    this.#directory = directory
    this.#source = source
    this.#saved = saved
    this.bytesSince = bytesSince
    this.#saving = new OneAtATime(() => this.#save())
  }

  /** What holds now is on the disk when this returns. An error of the disk is the end, as in every other place. */
  async save(): Promise<void> {
    if (this.#disk.isVolatile) return
    try {
      await this.#saving.run()
    } catch (error) {
      throw this.#flusher.fail(error)
    }
  }

  async #save(): Promise<void> {
    const checkpoint = this.#source.take()
    const { logStartOffset, dense, recoveryPoint } = checkpoint
    const { offset } = recoveryPoint
    const saved = this.#saved
    if (offset === saved.offset && logStartOffset === saved.logStartOffset && dense === saved.dense) return
    this.bytesSince = 0
    const bytes = encodeCheckpoint(checkpoint)
    await this.#source.settle(offset)
    await writeFileAtomically(this.#disk, this.#directory, checkpointName, bytes)
    this.#saved = { offset, logStartOffset, dense }
  }
}
