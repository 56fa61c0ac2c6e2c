/**
 * Tables for people: numbers to the right, everything else to the left, and never wider than the terminal. Where the room is
 * short, the columns that say least are left out first, then the widest texts are cut.
 */
import { harmless } from './harmless.ts'
import { cut, padded, widthOf } from './width.ts'

export interface Column<Row> {
  readonly title: string
  readonly of: (row: Row) => string | number | null
  /** Left out first where the room is short; 0 (default) stays to the end. */
  readonly spare?: number
  /** A name that people copy, or a time: cut, it says nothing. Others give way first. */
  readonly isWhole?: boolean
  readonly style?: (text: string, row: Row) => string
}

const GAP = '  '
/** Narrower than this a column says nothing. */
const LEAST = 6

const grouped = new Intl.NumberFormat('en-US')

export function number(value: number): string {
  return grouped.format(value)
}

/** `1 record`, `2 records`. */
export function counted(count: number, what: string): string {
  return `${number(count)} ${what}${count === 1 ? '' : 's'}`
}

export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): string[] {
  const cells = new Map(columns.map((column) => [column, rows.map((row) => textOf(column.of(row)))]))
  const naturals = new Map(
    columns.map((column) => [column, Math.max(widthOf(column.title), ...(cells.get(column) ?? []).map(widthOf))]),
  )
  const natural = (column: Column<Row>): number => naturals.get(column) ?? 0
  const shown = fitting(columns, natural, width)
  const widths = narrowed(
    shown.map(natural),
    shown.map(({ isWhole = false }) => isWhole),
    width,
  )
  const isNumber = (column: Column<Row>): boolean => rows.some((row) => typeof column.of(row) === 'number')
  const line = (of: (column: Column<Row>, at: number) => string): string => shown.map(of).join(GAP).trimEnd()
  const head = line((column, at) => padded(cut(column.title, widths[at] ?? 0), widths[at] ?? 0, isNumber(column)))
  const body = rows.map((row, index) =>
    line((column, at) => {
      const text = padded(cut(cells.get(column)?.[index] ?? '', widths[at] ?? 0), widths[at] ?? 0, isNumber(column))
      return column.style === undefined ? text : column.style(text, row)
    }),
  )
  return [head, ...body]
}

function textOf(value: string | number | null): string {
  if (value === null) return '–'
  return typeof value === 'number' ? number(value) : harmless(value)
}

function leastOf<Row>({ isWhole = false }: Column<Row>, natural: number): number {
  return isWhole ? natural : Math.min(natural, LEAST * 2)
}

/** Without the columns that are spared where there is no room for them. */
function fitting<Row>(
  columns: readonly Column<Row>[],
  natural: (column: Column<Row>) => number,
  width: number,
): readonly Column<Row>[] {
  let shown = [...columns]
  const least = (): number =>
    shown.reduce((sum, column) => sum + leastOf(column, natural(column)), GAP.length * (shown.length - 1))
  while (least() > width) {
    const spare = Math.max(...shown.map((column) => column.spare ?? 0))
    if (spare === 0) break
    shown = shown.filter((column) => (column.spare ?? 0) < spare)
  }
  return shown
}

/** The widest give first, down to what is still readable; those that are to stay whole only when nobody else can. */
function narrowed(naturals: readonly number[], isWhole: readonly boolean[], width: number): number[] {
  const widths = [...naturals]
  let over = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1) - width
  for (const mayGive of [(at: number) => isWhole[at] !== true, () => true]) {
    while (over > 0) {
      const giving = widths.map((each, at) => (mayGive(at) ? each : 0))
      const widest = Math.max(...giving)
      if (widest <= LEAST) break
      const next = Math.max(LEAST, ...giving.filter((each) => each < widest))
      const at = giving.indexOf(widest)
      const less = Math.min(over, widest - Math.min(next, widest - 1))
      widths[at] = widest - less
      over -= less
    }
  }
  return widths
}
