/**
 * Frames for whoever looks, as server-sent events, and one every two seconds for the time slider.
 *
 * What looking costs the consumer is bounded: the time that a round took decides how long the next one waits. A page that is
 * slow to read gets fewer frames, never a queue of old ones.
 */
import type { ServerResponse } from 'node:http'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { Board } from './board.ts'
import { HISTORY_EVERY_MS } from './history.ts'
import type { Question } from './instance.ts'

const FRAME_MS = 500
/** When the next round is. */
interface Pace {
  readonly soonestMs: number
  readonly latestMs: number
  /** A round may take one part in so many of the time until the next. As much again goes to waking up, sockets, the collector. */
  readonly share: number
}
/** A record that is stuck has to be seen within two seconds, however much there is to look at. */
const LOOKED_AT: Pace = { soonestMs: FRAME_MS, latestMs: 1_500, share: 500 }
const NOT_LOOKED_AT: Pace = { soonestMs: HISTORY_EVERY_MS, latestMs: 10_000, share: 1_000 }
/** Rounds that are looked at: one that was held up by other work, of this process or of others, says nothing. */
const ROUNDS = 5
const STREAMS_MAX = 32

interface Stream {
  readonly board: Board
  readonly question: Question
  readonly response: ServerResponse
}

export interface StreamsParts {
  readonly clock: Clock
  readonly logger: Logger
  readonly boards: () => Iterable<Board>
}

export class Streams {
  readonly #parts: StreamsParts
  readonly #streams: Set<Stream> = new Set()
  #cancel: (() => void) | null = null
  #historyDueMs = 0
  #isClosed = false
  /** What the last rounds took. */
  readonly #took: number[] = []
  /** Time that writing has taken. */
  #wroteMs = 0

  constructor(parts: StreamsParts) {
    this.#parts = parts
    this.#plan(FRAME_MS)
  }

  get isFull(): boolean {
    return this.#streams.size >= STREAMS_MAX
  }

  async open(board: Board, question: Question, response: ServerResponse): Promise<void> {
    const stream: Stream = { board, question, response }
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    response.write('retry: 1000\n\n')
    this.#streams.add(stream)
    response.on('close', () => this.#streams.delete(stream))
    await this.#send(stream)
    // Whoever comes first does not wait for a tick that was planned for nobody.
    if (this.#streams.size === 1) this.#plan(FRAME_MS)
  }

  /** Its group is here no more: whoever looked at it asks what there is now. */
  end(board: Board): void {
    for (const stream of this.#streams) {
      if (stream.board !== board) continue
      this.#streams.delete(stream)
      stream.response.end('event: gone\ndata: {}\n\n')
    }
  }

  close(): void {
    this.#isClosed = true
    this.#cancel?.()
    for (const { response } of this.#streams) response.end()
    this.#streams.clear()
  }

  #plan(afterMs: number): void {
    if (this.#isClosed) return
    this.#cancel?.()
    const { clock, logger } = this.#parts
    this.#cancel = clock.at(clock.now() + afterMs, () => {
      this.#cancel = null
      this.#round().then(
        (spentMs) => {
          if (this.#cancel !== null) return
          const { soonestMs, latestMs, share } = this.#streams.size > 0 ? LOOKED_AT : NOT_LOOKED_AT
          this.#plan(Math.max(soonestMs, Math.min(latestMs, this.#usual(spentMs) * share)))
        },
        (error) => {
          logger.error({ error }, 'the dashboard could not look')
          this.#plan(HISTORY_EVERY_MS)
        },
      )
    })
  }

  /** The quickest of the last rounds. */
  #usual(spentMs: number): number {
    this.#took.push(spentMs)
    if (this.#took.length > ROUNDS) this.#took.shift()
    return Math.min(...this.#took)
  }

  /** How long it took of this process, without what others took to answer. */
  async #round(): Promise<number> {
    const { clock, boards } = this.#parts
    const before = spentOf(boards()) + this.#wroteMs
    if (clock.now() >= this.#historyDueMs) {
      this.#historyDueMs = clock.now() + HISTORY_EVERY_MS
      for (const board of boards()) await board.remember()
    }
    await Promise.all([...this.#streams].map((stream) => this.#send(stream)))
    return spentOf(boards()) + this.#wroteMs - before
  }

  async #send(stream: Stream): Promise<void> {
    const { board, question, response } = stream
    if (response.writableNeedDrain) return
    const json = await board.frameJson(question)
    if (this.#isClosed || response.destroyed || response.writableEnded) return
    const startMs = this.#parts.clock.now()
    response.write(`event: frame\ndata: ${json}\n\n`)
    this.#wroteMs += this.#parts.clock.now() - startMs
  }
}

function spentOf(boards: Iterable<Board>): number {
  let spentMs = 0
  for (const board of boards) spentMs += board.spentMs
  return spentMs
}
