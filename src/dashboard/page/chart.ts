/** A small chart of the last minutes. The figures are in the tiles as text: to who does not see it, the chart is one sentence. */

import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { h, type View } from './h.ts'
import { palettes } from './palette.ts'
import { type Theme, useTheme } from './theme.ts'

export interface Line {
  readonly label: string
  /** Null: a gap. */
  readonly values: readonly (number | null)[]
}

export interface ChartProps {
  readonly title: string
  /** Milliseconds since 1970, rising. */
  readonly times: readonly number[]
  readonly lines: readonly Line[]
  readonly format: (value: number) => string
  readonly spanMs: number
  /** For a mark at a moment of the past; null: live. */
  readonly at: number | null
}

const height = 132

export function Chart(props: ChartProps): View {
  const theme = useTheme()
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const latest = useRef(props)
  latest.current = props

  useEffect(() => {
    const element = place.current
    if (element === null) return
    const made = new uPlot(
      options(() => latest.current, theme, element.clientWidth),
      dataOf(latest.current),
      element,
    )
    plot.current = made
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      made.destroy()
      plot.current = null
    }
  }, [theme])
  useEffect(() => {
    plot.current?.setData(dataOf(props))
  }, [props.times, props.lines, props.at])

  const [first, second] = palettes[theme].lines
  return h(
    'figure',
    { class: 'chart' },
    h(
      'figcaption',
      null,
      h('span', { class: 'chart-title' }, props.title),
      props.lines.map((line, i) =>
        h(
          'span',
          { key: line.label, class: 'chart-key' },
          h('span', { class: 'chart-line', style: { background: i === 0 ? first : second }, 'aria-hidden': 'true' }),
          line.label,
        ),
      ),
    ),
    h('div', { class: 'chart-place', ref: place, role: 'img', 'aria-label': spoken(props) }),
  )
}

function spoken({ title, lines, format, spanMs }: ChartProps): string {
  const parts = lines.map(({ label, values }) => {
    const known = values.filter((value) => value !== null)
    if (known.length === 0) return `${label}: nothing yet`
    return `${label}: from ${format(Math.min(...known))} to ${format(Math.max(...known))}, now ${format(known.at(-1) ?? 0)}`
  })
  return `${title}, last ${Math.round(spanMs / 60_000)} minutes. ${parts.join('; ')}`
}

function dataOf({ times, lines }: ChartProps): uPlot.AlignedData {
  return [times.map((at) => at / 1_000), ...lines.map(({ values }) => [...values])]
}

function options(props: () => ChartProps, theme: Theme, width: number): uPlot.Options {
  const palette = palettes[theme]
  const axis: uPlot.Axis = {
    stroke: palette.axis,
    font: `11px ${getComputedStyle(document.body).fontFamily}`,
    grid: { stroke: palette.grid, width: 1 },
    ticks: { show: false },
  }
  return {
    width: Math.max(1, width),
    height,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 8, 0, 0],
    scales: {
      x: {
        time: true,
        range: (): [number, number] => {
          const { times, spanMs } = props()
          const end = times.at(-1) ?? Date.now()
          // A young consumer has no five minutes yet.
          const known = end - (times[0] ?? end)
          return [(end - Math.min(spanMs, Math.max(60_000, known))) / 1_000, end / 1_000]
        },
      },
      // From zero, so that a small change looks small.
      y: { range: (_, __, max): [number, number] => [0, Math.max(4, (max ?? 0) * 1.15)] },
    },
    axes: [
      { ...axis, space: 70, size: 22, values: (_, ticks) => ticks.map((at) => clock.format(at * 1_000)) },
      { ...axis, size: 54, space: 34, values: (_, ticks) => ticks.map((value) => props().format(value)) },
    ],
    series: [
      {},
      ...props().lines.map(({ label }, i) => ({
        label,
        stroke: palette.lines[i === 0 ? 0 : 1],
        width: 1.5,
        points: { show: false },
        ...(i === 0 ? { fill: `${palette.lines[0]}22` } : { dash: [5, 3] }),
      })),
    ],
    hooks: { draw: [(u) => mark(u, props().at, palette.marker)] },
  }
}

/** The moment that the slider stands at. */
function mark(plot: uPlot, at: number | null, colour: string): void {
  if (at === null) return
  const x = Math.round(plot.valToPos(at / 1_000, 'x', true))
  const { ctx, bbox } = plot
  ctx.save()
  ctx.strokeStyle = colour
  ctx.lineWidth = 2
  ctx.setLineDash([])
  ctx.beginPath()
  ctx.moveTo(x, bbox.top)
  ctx.lineTo(x, bbox.top + bbox.height)
  ctx.stroke()
  ctx.restore()
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
