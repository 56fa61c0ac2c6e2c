/** What the charts show: the last minutes, first from the server's memory, then from every second of the stream. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Beside, Frame, History, OverviewFrame } from '../frames.ts'
import { get } from './api.ts'

export interface Point {
  readonly at: number
  readonly overview: OverviewFrame
  readonly beside: Beside | null
}

export const spanMs: number = 5 * 60_000
const everyMs = 1_000

export function useSeries(group: string, frame: Frame | null): readonly Point[] {
  const [points, setPoints] = useState<readonly Point[]>([])
  const asked = useRef('')
  useEffect(() => {
    if (group === '' || asked.current === group) return
    asked.current = group
    setPoints([])
    const remember = async (): Promise<void> => {
      const answer = await get<History>('api/history', { group })
      // Without it the charts begin now.
      if (answer.ok && asked.current === group) setPoints((known) => joined(answer.value.frames, known))
    }
    void remember()
  }, [group])
  useEffect(() => {
    if (frame === null || frame.group !== group) return
    setPoints((known) => {
      const last = known.at(-1)?.at ?? 0
      return frame.at - last < everyMs ? known : joined(known, [frame])
    })
  }, [frame, group])
  return points
}

function joined(older: readonly Point[], newer: readonly Point[]): readonly Point[] {
  const end = older.at(-1)?.at ?? 0
  const all = [...older, ...newer.filter(({ at }) => at > end)]
  const from = (all.at(-1)?.at ?? 0) - spanMs
  return all.filter(({ at }) => at >= from).map(({ at, overview, beside }) => ({ at, overview, beside }))
}
