/** Draws offset maps on canvases: cells side by side, a marker over the record that holds the position back. */
import type { Strip } from '../frames.ts'
import { type CellStyle, palettes } from './palette.ts'
import type { Theme } from './theme.ts'
import { type CellState, cellOf, isCellState } from './words.ts'

export interface Painted {
  readonly strip: Strip
  readonly blockingOffset: number | null
  /** It has been in the way for a while. */
  readonly isHeld: boolean
  /** A cell that somebody points at; -1: none. */
  readonly cursor: number
  readonly theme: Theme
}

/** Room for the marker above the cells, in CSS pixels. */
const markerHeight = 7

export function paintStrip(canvas: HTMLCanvasElement, width: number, height: number, what: Painted): void {
  const context = prepare(canvas, width, height)
  if (context === null) return
  const palette = palettes[what.theme]
  const { cells } = what.strip
  const top = markerHeight
  const room = height - top
  context.fillStyle = palette.ground
  context.fillRect(0, top, width, room)
  // Neighbours of the same state are one rectangle: fewer calls, and no seams between them.
  for (let start = 0; start < cells.length; ) {
    let end = start + 1
    while (end < cells.length && cells[end] === cells[start]) end++
    const letter = cells[start] ?? 'u'
    const style = palette.cells[isCellState(letter) ? letter : 'u']
    paintRun(context, style, edge(start, cells.length, width), edge(end, cells.length, width), top, room)
    start = end
  }
  const blocked = what.blockingOffset === null ? -1 : cellOf(what.strip, what.blockingOffset)
  if (blocked !== -1)
    paintMarker(context, middle(blocked, cells.length, width), top, width, what.isHeld ? palette.marker : palette.axis)
  if (what.cursor !== -1) {
    context.strokeStyle = palette.cursor
    context.lineWidth = 1
    const left = edge(what.cursor, cells.length, width)
    const right = Math.max(left + 2, edge(what.cursor + 1, cells.length, width))
    context.strokeRect(left - 0.5, top + 0.5, right - left + 1, room - 1)
  }
}

/** One cell of a legend. */
export function paintSwatch(canvas: HTMLCanvasElement, state: CellState, theme: Theme): void {
  const context = prepare(canvas, 14, 14)
  if (context === null) return
  context.fillStyle = palettes[theme].ground
  context.fillRect(0, 0, 14, 14)
  paintRun(context, palettes[theme].cells[state], 0, 14, 0, 14)
}

/** Which cell is at `x`. */
export function cellAt(x: number, width: number, cells: number): number {
  if (width <= 0 || cells === 0) return -1
  return Math.max(0, Math.min(cells - 1, Math.floor((x / width) * cells)))
}

export const middle = (cell: number, cells: number, width: number): number => ((cell + 0.5) / cells) * width

/** On whole pixels, so that cells have sharp edges. */
const edge = (cell: number, cells: number, width: number): number => Math.round((cell / cells) * width)

function paintRun(
  context: CanvasRenderingContext2D,
  style: CellStyle,
  left: number,
  right: number,
  top: number,
  room: number,
): void {
  // A single record among thousands must still be seen.
  const width = Math.max(style.height === 1 ? 2 : 1, right - left)
  const height = Math.max(2, Math.round(room * style.height))
  const y = top + room - height
  context.fillStyle = style.colour
  context.fillRect(left, y, width, height)
  if (style.hatch === undefined) return
  context.save()
  context.beginPath()
  context.rect(left, y, width, height)
  context.clip()
  context.strokeStyle = style.hatch
  context.lineWidth = 1
  context.beginPath()
  for (let x = left - height; x < left + width; x += 5) {
    context.moveTo(x, y + height)
    context.lineTo(x + height, y)
  }
  context.stroke()
  context.restore()
}

function paintMarker(context: CanvasRenderingContext2D, at: number, top: number, width: number, colour: string): void {
  const x = Math.max(5, Math.min(width - 5, at))
  context.fillStyle = colour
  context.beginPath()
  context.moveTo(x - 5, 0)
  context.lineTo(x + 5, 0)
  context.lineTo(x, top)
  context.closePath()
  context.fill()
}

/** Sharp on every screen: the canvas has as many pixels as the screen has there. */
function prepare(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  const ratio = Math.max(1, Math.min(4, devicePixelRatio))
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)]
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide
    canvas.height = high
  }
  const context = canvas.getContext('2d')
  if (context === null) return null
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, width, height)
  return context
}
