/**
 * What consumers did, written down apart from everything that is tested: one file for each process, one line for each event.
 *
 * What always holds: a line is written before the call returns, by one write to a file that was opened for appending, so it
 * outlives a kill -9 of its process. Times come from the machine's monotonic clock, which is the same one in every process.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export interface Run {
  readonly partition: number
  readonly offset: number
  readonly key: string
  /** The how-manieth record of its key. */
  readonly seq: number
  /** 1, 2, 3 …; from 1 again with every lease. */
  readonly attempt: number
}

/** What a line says, beside who and when. */
export type Fact =
  | ({ readonly kind: 'start' | 'end' | 'failed' } & Run)
  /** Its dead letter was taken. */
  | { readonly kind: 'letter'; readonly partition: number; readonly offset: number }
  | { readonly kind: 'assigned' | 'revoked'; readonly partitions: readonly number[] }
  /** The broker has acknowledged it. */
  | { readonly kind: 'committed'; readonly partition: number; readonly position: number; readonly metadata: string }
  /** Nobody knows what became of a transaction: every lease begins again at what is committed. */
  | { readonly kind: 'renewed' }
  /** The consumer has given up, or the process ends in good order. */
  | { readonly kind: 'stopped' | 'closed'; readonly why: string }

export type Entry = Fact & { readonly member: string; readonly atNs: number }

export type CommitEntry = Extract<Entry, { readonly kind: 'committed' }>
/** A start or an end of a handler. */
export type RunEntry = Extract<Entry, Run>

/** Of the machine: comparable between processes. Exact for a hundred days after boot. */
export const nowNs = (): number => Number(process.hrtime.bigint())

export class LedgerFile {
  readonly #descriptor: number
  readonly #member: string

  /** `file`: one for each process and thread that writes. */
  constructor(directory: string, member: string, file: string = member) {
    this.#descriptor = openSync(join(directory, `${file}.ledger`), 'a')
    this.#member = member
  }

  write(fact: Fact): void {
    writeSync(this.#descriptor, `${JSON.stringify({ member: this.#member, atNs: nowNs(), ...fact })}\n`)
  }
}

/** All lines of all files, in the order of time; lines of one process stay in the order in which it wrote them. */
export function readLedger(directory: string): Entry[] {
  return inOrder(ledgersIn(directory).flatMap((file) => entriesOf(readFileSync(join(directory, file), 'utf8'))))
}

export function inOrder(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((a, b) => a.atNs - b.atNs)
}

const ledgersIn = (directory: string): string[] => readdirSync(directory).filter((name) => name.endsWith('.ledger'))

function entriesOf(text: string): Entry[] {
  // Behind the last line end is what a process was writing when it was killed.
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Entry)
}

/** Reads what was added since the last time, of all files, also of those that came since. */
export class LedgerTail {
  readonly #directory: string
  readonly #files: Map<string, { readonly descriptor: number; at: number; rest: Buffer }> = new Map()

  constructor(directory: string) {
    this.#directory = directory
  }

  next(): Entry[] {
    const fresh: Entry[] = []
    for (const name of ledgersIn(this.#directory)) {
      const file = this.#files.get(name) ?? {
        descriptor: openSync(join(this.#directory, name), 'r'),
        at: 0,
        rest: Buffer.alloc(0),
      }
      this.#files.set(name, file)
      const chunk = Buffer.allocUnsafe(1 << 20)
      for (;;) {
        const length = readSync(file.descriptor, chunk, 0, chunk.length, file.at)
        if (length === 0) break
        file.at += length
        const bytes = Buffer.concat([file.rest, chunk.subarray(0, length)])
        const end = bytes.lastIndexOf(10) + 1
        file.rest = Buffer.from(bytes.subarray(end))
        fresh.push(...entriesOf(bytes.toString('utf8', 0, end)))
      }
    }
    return fresh
  }

  close(): void {
    for (const { descriptor } of this.#files.values()) closeSync(descriptor)
    this.#files.clear()
  }
}
