/**
 * Frames as they come. A stream that breaks is opened again; meanwhile the last frame stays, marked as old. Frames are taken
 * once per animation frame at most: a page in the background does no work.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Frame } from '../frames.ts'

export interface Live {
  readonly frame: Frame | null
  /** False while there is no connection, or no frame has come for longer than is usual. */
  readonly connected: boolean
  /** By the clock of the browser: when the last frame came. */
  readonly seenAt: number | null
}

/** Frames come every half second; more seldom where a look is expensive, up to ten seconds. */
const silentAfterMs = 4_000
const reopenAfterMs = 2_000

/** A new query opens a new stream. Null: nothing to ask yet. */
export function useStream(query: string | null): Live {
  const [live, setLive] = useState<Live>({ frame: null, connected: false, seenAt: null })
  const seenAt = useRef(0)
  const usualMs = useRef(0)
  useEffect(() => {
    if (query === null) return
    let source: EventSource | null = null
    let reopening: ReturnType<typeof setTimeout> | undefined
    let painting = 0
    let openedAt = 0
    let next: Frame | null = null

    const show = (): void => {
      painting = 0
      if (next === null) return
      const frame = next
      next = null
      setLive({ frame, connected: true, seenAt: seenAt.current })
    }
    const lost = (): void => setLive((known) => (known.connected ? { ...known, connected: false } : known))
    const open = (): void => {
      openedAt = Date.now()
      source = new EventSource(`api/stream?${query}`)
      source.addEventListener('frame', (event: MessageEvent<string>) => {
        next = JSON.parse(event.data) as Frame
        const now = Date.now()
        if (seenAt.current !== 0) usualMs.current = Math.min(10_000, now - seenAt.current)
        seenAt.current = now
        if (painting === 0) painting = requestAnimationFrame(show)
      })
      // The group has ended. Whether there is another one, the page asks; this one may come back as well.
      source.addEventListener('gone', () => {
        source?.close()
        lost()
        clearTimeout(reopening)
        reopening = setTimeout(open, reopenAfterMs)
      })
      source.addEventListener('error', () => {
        lost()
        // The browser tries again by itself, except after an answer that was no stream.
        if (source?.readyState !== EventSource.CLOSED) return
        clearTimeout(reopening)
        reopening = setTimeout(open, reopenAfterMs)
      })
    }
    // Nobody looks at a page in the background: its stream is for others.
    const look = (): void => {
      source?.close()
      clearTimeout(reopening)
      if (!document.hidden) open()
    }
    look()
    document.addEventListener('visibilitychange', look)
    const watch = setInterval(() => {
      if (!document.hidden && Date.now() - Math.max(seenAt.current, openedAt) > silentAfterMs + 2 * usualMs.current)
        lost()
    }, 1_000)
    return () => {
      document.removeEventListener('visibilitychange', look)
      source?.close()
      clearTimeout(reopening)
      clearInterval(watch)
      cancelAnimationFrame(painting)
    }
  }, [query])
  return live
}

/** The clock of the browser, looked at every second while `running`. */
export function useNow(running: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!running) return
    setNow(Date.now())
    const ticking = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(ticking)
  }, [running])
  return now
}
