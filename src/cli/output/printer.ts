/**
 * Where commands write. With `--json`, stdout has one JSON object as its last line and nothing else that is no JSON; without, it
 * has lines for people. Colours only where the stream takes them (a terminal, no NO_COLOR).
 */
import { styleText } from 'node:util'
import { type Column, table } from './table.ts'
import { columnsOf } from './width.ts'

export type Shade = 'good' | 'bad' | 'warn' | 'faint' | 'strong'

const shades = { good: 'green', bad: 'red', warn: 'yellow', faint: 'gray', strong: 'bold' } as const

export function shaded(shade: Shade, text: string): string {
  return styleText(shades[shade], text, { stream: process.stdout })
}

export class Printer {
  readonly isJson: boolean
  readonly width: number

  constructor(isJson: boolean) {
    this.isJson = isJson
    this.width = columnsOf(process.stdout)
  }

  /** For people only. */
  line(text = ''): void {
    if (!this.isJson) console.log(text)
  }

  /** `nothing`: what is said where there are no rows. */
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], nothing?: string): void {
    if (this.isJson) return
    if (rows.length === 0 && nothing !== undefined) return this.line(nothing)
    const [head = '', ...body] = table(columns, rows, this.width)
    console.log(shaded('strong', head))
    for (const each of body) console.log(each)
  }

  /** The one object that programs read. */
  result(value: object): void {
    if (this.isJson) console.log(JSON.stringify(value))
  }

  /** What is about the work and not its result: never mixed into it. */
  note(text: string): void {
    console.error(text)
  }
}
