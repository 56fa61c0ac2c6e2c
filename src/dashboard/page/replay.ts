/**
 * Looking back: the slider goes through the last minutes as the server remembers them. They are fetched when it is touched, and
 * again when it is touched after having been live.
 */

import { useEffect, useRef, useState } from 'preact/hooks'
import type { History, HistoryFrame } from '../frames.ts'
import { get } from './api.ts'
import { age, timeOfDay } from './format.ts'
import { h, type View } from './h.ts'

export interface Replay {
  /** Null: live, or the past is not here yet. */
  readonly moment: HistoryFrame | null
  /** The moment that is wanted, by the server's clock; null: live. */
  readonly at: number | null
  readonly playing: boolean
  readonly problem: string | null
  goTo(at: number): void
  /** Somebody is about to look back. */
  touch(): void
  live(): void
  play(on: boolean): void
}

const playEveryMs = 200

export function useReplay(group: string): Replay {
  const [frames, setFrames] = useState<readonly HistoryFrame[]>([])
  const [at, setAt] = useState<number | null>(null)
  const [playing, setPlaying] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const asking = useRef(false)

  const live = (): void => {
    setAt(null)
    setPlaying(false)
  }
  const fetchFrames = async (): Promise<void> => {
    const answer = await get<History>('api/history', { group })
    asking.current = false
    setProblem(answer.ok ? null : answer.message)
    if (answer.ok) setFrames(answer.value.frames)
    else live()
  }
  const touch = (): void => {
    if (asking.current || at !== null) return
    asking.current = true
    void fetchFrames()
  }
  useEffect(() => {
    live()
    setFrames([])
  }, [group])
  useEffect(() => {
    if (!playing) return
    const ticking = setInterval(() => {
      setAt((shown) => (shown === null ? null : (frames.find((frame) => frame.at > shown)?.at ?? null)))
    }, playEveryMs)
    return () => clearInterval(ticking)
  }, [playing, frames])
  useEffect(() => {
    if (at === null) setPlaying(false)
  }, [at])

  return {
    moment: at === null ? null : nearest(frames, at),
    at,
    playing,
    problem,
    goTo: setAt,
    touch,
    live,
    play: setPlaying,
  }
}

/** The last one that is not after `at`, else the first. */
function nearest(frames: readonly HistoryFrame[], at: number): HistoryFrame | null {
  return frames.findLast((frame) => frame.at <= at) ?? frames[0] ?? null
}

/** `now`: of the server, when it was last heard of. */
export function ReplayBar(props: { readonly replay: Replay; readonly now: number; readonly historyMs: number }): View {
  const { replay, now, historyMs } = props
  const { moment, at } = replay
  const isLive = at === null
  const shownAt = moment?.at ?? at ?? now
  const words = isLive ? 'live' : `${age(now - shownAt)} ago`
  return h(
    'div',
    { class: `replay${isLive ? '' : ' replay-past'}` },
    h('span', { class: 'replay-state' }, h('span', { class: 'dot', 'aria-hidden': 'true' }), words),
    h('input', {
      type: 'range',
      class: 'replay-slider',
      'aria-label': 'Time: the last minutes, the right end is now',
      'aria-valuetext': isLive ? 'live' : `${words}, ${timeOfDay(shownAt, now)}`,
      min: -historyMs,
      max: 0,
      step: 2_000,
      value: isLive ? 0 : Math.max(-historyMs, at - now),
      onPointerDown: replay.touch,
      onFocus: replay.touch,
      onInput: (event: Event) => {
        if (!(event.target instanceof HTMLInputElement)) return
        const ago = Number(event.target.value)
        if (ago >= 0) return replay.live()
        replay.touch()
        replay.goTo(now + ago)
      },
    }),
    h('span', { class: 'replay-clock' }, isLive ? (replay.problem ?? '') : timeOfDay(shownAt, now)),
    h(
      'button',
      { type: 'button', class: 'quiet', disabled: isLive, onClick: () => replay.play(!replay.playing) },
      replay.playing ? 'Stop' : 'Play',
    ),
    h('button', { type: 'button', class: 'quiet', disabled: isLive, onClick: replay.live }, 'Live'),
  )
}
