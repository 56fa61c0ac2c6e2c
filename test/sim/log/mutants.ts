// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are pieces of source text
/** Faults that the crash checker must notice. `find` occurs exactly once in its file of src/broker/log/. */
export interface LogMutant {
  readonly name: string
  readonly edits: readonly { readonly file: string; readonly find: string; readonly replace: string }[]
  /** A seed that notices it, to save time. Any other start works as well, later. */
  readonly seed: number
}

const one = (name: string, file: string, find: string, replace: string, seed = 1): LogMutant => ({
  name,
  edits: [{ file, find, replace }],
  seed,
})

export const logMutants: readonly LogMutant[] = [
  one(
    'acknowledged before the sync',
    'log-writer.ts',
    "return this.#flusher.policy === 'always' ? this.durable : this.written",
    'return this.written',
    2,
  ),
  one('the tail is not checked', 'batch-check.ts', 'return header.crcMatches(buffer, at)', 'return true'),
  one(
    'the place of a batch is not checked',
    'batch-check.ts',
    'if (base < expected.offset || (expected.dense && base !== expected.offset)) return false',
    'if (base < 0) return false',
    3,
  ),
  one(
    'the log start is not kept',
    'checkpoint-keeper.ts',
    '    logStartOffset,\n    recoveryPoint',
    '    logStartOffset: 0,\n    recoveryPoint',
    3,
  ),
  one(
    'files go before the log start is kept',
    'trimmer.ts',
    '?? start))\n    await this.#hooks.checkpoint()',
    '?? start))',
    3,
  ),
  one(
    'names are not synced',
    'log-writer.ts',
    '...directories.map((path) => this.#disk.syncDirectory(path))',
    '...directories.slice(1).map((path) => this.#disk.syncDirectory(path))',
  ),
  one(
    'a segment begins before the one before it is on the disk',
    'log-writer.ts',
    'await this.sync()\n    if (this.#failure !== undefined) throw this.#failure',
    'if (this.#failure !== undefined) throw this.#failure',
  ),
  one(
    'what recovery found is shown before it is on the disk',
    'recovery.ts',
    'if (!isClean) await this.#makeDurable(segment, position, size)',
    'if (size > segment.size) await this.#makeDurable(segment, position, size)',
  ),
  one(
    'after a failed sync the tail is believed to be written',
    'recovery.ts',
    'await file.overwrite(at, await file.read(at, length))',
    'await file.read(at, length)',
    9,
  ),
  one(
    'a failed sync is tried again',
    'log-writer.ts',
    'throw this.#isAbandoned ? error : this.#flusher.fail(error)',
    'if (this.#isAbandoned) throw error',
    9,
  ),
  one(
    'a checkpoint is written before the log that it speaks of',
    'checkpoint-keeper.ts',
    '    await this.#hooks.settle(offset)\n',
    '',
  ),
  one(
    'a checkpoint is written in place',
    'disk.ts',
    'const temporary = path + temporarySuffix\n',
    'const temporary = path\n',
    3,
  ),
  one(
    'a replaced segment comes back',
    'replacement.ts',
    '  await disk.syncDirectory(directory)\n  await disk.rename(`${directory}/${swapName(from, to)}`, `${directory}/${logName(from)}`)',
    '  await disk.rename(`${directory}/${swapName(from, to)}`, `${directory}/${logName(from)}`)',
    34,
  ),
  one(
    'an interrupted replacement is not finished',
    'replacement.ts',
    "else if (name?.kind === 'swap') await finishReplacement(disk, directory, name.from, name.to, bases)",
    "else if (name?.kind === 'swap') await disk.remove(`${directory}/${names[index]}`)",
    11,
  ),
  one(
    'producers are not read from the tail',
    'recovery.ts',
    'this.#producers.apply(buffer.subarray(at, at + bytes), nowMs)\n',
    '\n',
    2,
  ),
  one(
    'leader epochs are not read from the tail',
    'recovery.ts',
    'this.#epochs.begin(partitionLeaderEpoch(buffer, at), baseOffset(buffer, at))\n',
    'baseOffset(buffer, at)\n',
  ),
]
