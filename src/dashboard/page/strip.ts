/**
 * The offset map of a partition, drawn as it is. Whoever does not see it hears it: its label says it in words, and the arrow
 * keys walk from one stretch of equal cells to the next, each read out with its offsets.
 */

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { PartitionFrame } from '../frames.ts'
import { count } from './format.ts'
import { h, type View } from './h.ts'
import { cellAt, middle, paintStrip, paintSwatch } from './strip-paint.ts'
import { useTheme } from './theme.ts'
import { type CellState, cellOf, cellWords, isHeld, stateNames, stripLabel } from './words.ts'

const height = 30

export function StripView({ partition }: { readonly partition: PartitionFrame }): View {
  const { strip, blocking } = partition
  const theme = useTheme()
  const canvas = useRef<HTMLCanvasElement>(null)
  const [width, setWidth] = useState(0)
  const [pointed, setPointed] = useState(-1)
  const cells = strip.cells.length
  const cursor = pointed >= cells ? -1 : pointed
  const blockingOffset = blocking?.offset ?? null

  useEffect(() => {
    const element = canvas.current
    if (element === null) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.floor(entry.contentRect.width))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    if (canvas.current !== null && width > 0) {
      paintStrip(canvas.current, width, height, { strip, blockingOffset, isHeld: isHeld(blocking), cursor, theme })
    }
  }, [strip.cells, strip.from, strip.to, strip.perCell, blockingOffset, isHeld(blocking), cursor, theme, width])

  const walk = (event: KeyboardEvent): void => {
    const to = walked(strip.cells, cursor, event.key, blockingOffset === null ? -1 : cellOf(strip, blockingOffset))
    if (to === null) return
    event.preventDefault()
    setPointed(to)
  }
  const point = (event: PointerEvent): void => {
    const box = canvas.current?.getBoundingClientRect()
    if (box !== undefined) setPointed(cellAt(event.clientX - box.left, box.width, cells))
  }
  const isBlocking = blockingOffset !== null && cursor !== -1 && cellOf(strip, blockingOffset) === cursor
  return h(
    'div',
    { class: 'strip' },
    h('canvas', {
      ref: canvas,
      role: 'img',
      'aria-label': stripLabel(partition),
      tabIndex: 0,
      onPointerMove: point,
      onPointerLeave: () => setPointed(-1),
      onKeyDown: walk,
      onBlur: () => setPointed(-1),
      onFocus: () => setPointed((at) => (at === -1 ? Math.max(0, cellOf(strip, blockingOffset ?? -1)) : at)),
    }),
    h(
      'div',
      { class: 'strip-scale', 'aria-hidden': 'true' },
      h('span', null, count(strip.from)),
      h('span', null, strip.perCell > 1 ? `${count(strip.perCell)} offsets per cell` : ''),
      h('span', null, count(strip.to)),
    ),
    cursor === -1
      ? null
      : h(
          'div',
          {
            class: 'tip',
            role: 'status',
            style: { left: `${Math.max(70, Math.min(width - 70, middle(cursor, cells, width)))}px` },
          },
          `${cellWords(strip, cursor)}${isBlocking ? ' · holds the position back' : ''}`,
        ),
  )
}

/** Where a key leads from `at`; null: it is none of ours. */
export function walked(cells: string, at: number, key: string, blocked: number): number | null {
  const last = cells.length - 1
  if (last < 0) return null
  const here = Math.max(0, Math.min(last, at))
  if (key === 'Home') return 0
  if (key === 'End') return last
  if (key === 'b') return blocked === -1 ? null : blocked
  if (key === 'Escape') return -1
  if (key === 'ArrowRight') {
    let to = here
    while (to < last && cells[to] === cells[here]) to++
    return to
  }
  if (key === 'ArrowLeft') {
    let to = here
    while (to > 0 && cells[to - 1] === cells[here]) to--
    if (to === here && to > 0) {
      to--
      while (to > 0 && cells[to - 1] === cells[to]) to--
    }
    return to
  }
  return null
}

export function Legend(): View {
  return h(
    'ul',
    { class: 'legend', 'aria-label': 'What the cells mean' },
    (Object.keys(stateNames) as CellState[]).map((state) =>
      h('li', { key: state }, h(Swatch, { state }), stateNames[state]),
    ),
    h('li', null, h('span', { class: 'marker-sign', 'aria-hidden': 'true' }, '▼'), 'holds the position back'),
  )
}

function Swatch({ state }: { readonly state: CellState }): View {
  const theme = useTheme()
  const canvas = useRef<HTMLCanvasElement>(null)
  useLayoutEffect(() => {
    if (canvas.current !== null) paintSwatch(canvas.current, state, theme)
  }, [state, theme])
  return h('canvas', { ref: canvas, class: 'swatch', 'aria-hidden': 'true' })
}
