/** Bars as SVG, made by hand: readable on light and dark pages, no script, no font but the reader's. */

export interface Bar {
  readonly label: string
  readonly median: number
  readonly min: number
  readonly max: number
  readonly isOurs: boolean
}

export interface Chart {
  readonly title: string
  /** What the length of a bar means. */
  readonly unit: string
  readonly bars: readonly Bar[]
  /** A line across: an ideal. */
  readonly mark?: { readonly value: number; readonly label: string }
}

const width = 760
const left = 270
const right = 110
const row = 26
const top = 54

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const style = `
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600; font-size: 15px }
  .small { font-size: 12px; fill: #57606a }
  .bar { fill: #8c959f }
  .ours { fill: #0969da }
  .spread { stroke: #24292f; stroke-width: 1.5 }
  .mark { stroke: #cf222e; stroke-width: 1.5; stroke-dasharray: 4 3 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .small { fill: #9198a1 }
    .bar { fill: #656c76 }
    .ours { fill: #4493f8 }
    .spread { stroke: #e6edf3 }
    .mark { stroke: #f85149 }
  }`

export function barChart({ title, unit, bars, mark }: Chart): string {
  const most = Math.max(...bars.map(({ max }) => max), mark?.value ?? 0, Number.MIN_VALUE)
  const x = (value: number): number => left + (Math.max(0, value) / most) * (width - left - right)
  const at = (value: number): string => x(value).toFixed(1)
  const height = top + bars.length * row + (mark === undefined ? 12 : 30)
  const lines = bars.flatMap(({ label, median, min, max, isOurs }, index) => {
    const y = top + index * row
    const middle = y + 9
    return [
      `<text x="${left - 8}" y="${y + 14}" text-anchor="end">${escaped(label)}</text>`,
      `<rect class="${isOurs ? 'ours' : 'bar'}" x="${left}" y="${y}" width="${Math.max(1, x(median) - left).toFixed(1)}" height="18" rx="2"/>`,
      ...(min === max
        ? []
        : [
            `<path class="spread" d="M${at(min)} ${middle}H${at(max)}M${at(min)} ${middle - 4}v8M${at(max)} ${middle - 4}v8"/>`,
          ]),
      `<text x="${(x(max) + 6).toFixed(1)}" y="${y + 14}">${escaped(figure(median))}</text>`,
    ]
  })
  const marks =
    mark === undefined
      ? []
      : [
          `<path class="mark" d="M${at(mark.value)} ${top - 6}V${top + bars.length * row}"/>`,
          `<text class="small" x="${at(mark.value)}" y="${height - 8}" text-anchor="middle">${escaped(mark.label)}</text>`,
        ]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(`${title}: ${bars.map(({ label, median }) => `${label} ${figure(median)}`).join(', ')} ${unit}`)}</title>`,
    `<style>${style}\n</style>`,
    `<text class="title" x="12" y="22">${escaped(title)}</text>`,
    `<text class="small" x="12" y="40">${escaped(bars.every(({ min, max }) => min === max) ? unit : `${unit}; line: smallest to largest of the rounds`)}</text>`,
    ...lines,
    ...marks,
    '</svg>\n',
  ].join('\n')
}

/** Short: 1.23 G, 1.23 M, 45.6 k, 789, 0.12. */
export function figure(value: number): string {
  const size = Math.abs(value)
  const short = (by: number): number => Number((value / by).toPrecision(3))
  if (size >= 1e9) return `${short(1e9)} G`
  if (size >= 1e6) return `${short(1e6)} M`
  if (size >= 1e4) return `${short(1e3)} k`
  if (size >= 100) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(2)))
}
