/**
 * The handler that burns CPU, wherever an engine runs it: so many rounds of hashing for each record. It writes its own file of
 * events, one for each thread and process: an engine that lost a record could not hide it.
 */
import { createHash } from 'node:crypto'
import { openSync, writeSync } from 'node:fs'
import { threadId } from 'node:worker_threads'
import { endBit } from '../../core/events.ts'
import { nowNs } from './ledger.ts'

const rounds = Number(process.env.FANLANE_BENCH_ROUNDS ?? 0)
const eventsFile = process.env.FANLANE_BENCH_EVENTS
const block = Buffer.alloc(1_024, 7)
const eventBytes = 12
const buffer = Buffer.alloc(1_024 * eventBytes)
/** No longer than this: a commit takes longer, and nobody looks before it. */
const flushMs = 5
let fd: number | null = null
let used = 0
let timer: NodeJS.Timeout | null = null

export function hash(value: Uint8Array | null, times: number = rounds): void {
  if (times === 0) return
  const sum = createHash('sha256')
  for (let round = 0; round < times; round++) sum.update(block)
  sum.update(value ?? block).digest()
}

function note(word: number): void {
  if (eventsFile === undefined) return
  buffer.writeUInt32LE(word, used)
  buffer.writeDoubleLE(nowNs(), used + 4)
  used += eventBytes
  if (used === buffer.length) flush()
  else timer ??= setTimeout(flush, flushMs)
}

export function flush(): void {
  if (timer !== null) clearTimeout(timer)
  timer = null
  if (used === 0) return
  fd ??= openSync(`${eventsFile}.${process.pid}-${threadId}`, 'a')
  writeSync(fd, buffer, 0, used)
  used = 0
}
process.on('exit', flush)

export function handle(value: Buffer): void {
  const id = value.readUInt32LE(0)
  note(id)
  hash(value)
  note((id | endBit) >>> 0)
}

export default ({ value }: { readonly value: Buffer | null }): void => {
  if (value === null) throw new Error('a record has no value')
  handle(value)
}
