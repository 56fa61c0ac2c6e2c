/**
 * Writes the checkpoint of one partition: everything it says is taken at one moment, then the log is synced up to there,
 * and only then the file is replaced. One at a time, and none if nothing has changed.
 */
import type { FanlaneError } from '../../errors.ts'
import { type Checkpoint, encodeCheckpoint } from './checkpoint.ts'
import { type Disk, writeFileAtomically } from './disk.ts'
import type { LeaderEpochs } from './leader-epochs.ts'
import { checkpointName } from './names.ts'
import { OneAtATime } from './one-at-a-time.ts'
import type { ProducerStates } from './producer-state.ts'
import type { Segment } from './segment.ts'

/** What a checkpoint says, read off the log in one go. */
export interface CheckpointedLog {
  readonly segments: readonly Segment[]
  readonly logStartOffset: number
  readonly logEndOffset: number
  readonly epochs: LeaderEpochs
  readonly producers: ProducerStates
  readonly dense: boolean
}

export interface CheckpointHooks {
  /** Everything below this offset is on the disk, and the indexes are written as far as they go. */
  settle(offset: number): Promise<void>
  /** The disk refused it. */
  fail(error: unknown): FanlaneError
}

/** What the file says, as far as is needed to know that nothing has changed. */
export type Saved = Pick<Checkpoint, 'logStartOffset' | 'dense'> & { readonly offset: number }

export class CheckpointKeeper {
  readonly #disk: Disk
  readonly #directory: string
  readonly #log: CheckpointedLog
  readonly #hooks: CheckpointHooks
  readonly #saving: OneAtATime
  #saved: Saved
  /** Bytes that were written since. */
  bytesSince: number

  constructor(
    disk: Disk,
    directory: string,
    log: CheckpointedLog,
    hooks: CheckpointHooks,
    saved: Saved,
    bytesSince: number,
  ) {
    this.#disk = disk
    this.#directory = directory
    this.#log = log
    this.#hooks = hooks
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
      throw this.#hooks.fail(error)
    }
  }

  /** None is being written. */
  idle(): Promise<void> {
    return this.#saving.idle()
  }

  async #save(): Promise<void> {
    const checkpoint = checkpointOf(this.#log)
    const { logStartOffset, dense, recoveryPoint } = checkpoint
    const { offset } = recoveryPoint
    const saved = this.#saved
    if (offset === saved.offset && logStartOffset === saved.logStartOffset && dense === saved.dense) return
    this.bytesSince = 0
    const bytes = encodeCheckpoint(checkpoint)
    await this.#hooks.settle(offset)
    await writeFileAtomically(this.#disk, this.#directory, checkpointName, bytes)
    this.#saved = { offset, logStartOffset, dense }
  }
}

function checkpointOf({
  segments,
  logStartOffset,
  logEndOffset,
  epochs,
  producers,
  dense,
}: CheckpointedLog): Checkpoint {
  const active = segments.at(-1) as Segment
  const { firstTimestampMs, maxTimestampMs, maxTimestampOffset } = active
  return {
    logStartOffset,
    recoveryPoint: { offset: logEndOffset, segment: active.baseOffset, position: active.size },
    times: { firstTimestampMs, maxTimestampMs, maxTimestampOffset },
    leaderEpochs: epochs.entries,
    dense,
    producers: producers.snapshot(),
  }
}
