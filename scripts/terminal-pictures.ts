/**
 * Pictures of the command line, in docs/images/terminal-*.svg: real commands on a real pseudo-terminal (`script`, of util-linux), drawn as
 * their last screen.
 */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStage } from './browser/stage.ts'
import { root } from './files.ts'

const COLUMNS = 80
const ROWS = 40
const CELL = { width: 8.4, height: 18 }

/** Foregrounds of a terminal, by their numbers. */
const colours: Readonly<Record<number, string>> = {
  30: '#484f58',
  31: '#ff7b72',
  32: '#3fb950',
  33: '#d29922',
  34: '#58a6ff',
  35: '#bc8cff',
  36: '#39c5cf',
  37: '#b1bac4',
  90: '#6e7681',
  91: '#ffa198',
  92: '#56d364',
  93: '#e3b341',
  94: '#79c0ff',
  95: '#d2a8ff',
  96: '#56d4dd',
  97: '#f0f6fc',
}
const plain = '#c9d1d9'

const esc = '\u{1b}'
/** A control sequence, or a character. */
const tokens = new RegExp(`${esc}\\[([0-9;?]*)([A-Za-z])|${esc}[=>]|([^])`, 'gu')

interface Cell {
  readonly text: string
  readonly colour: string
  readonly isBold: boolean
}

/** As much of a terminal as our commands use: lines, carriage returns, erasing, going home, colours. */
class Terminal {
  #lines: Cell[][] = [[]]
  #row = 0
  #column = 0
  #colour = plain
  #isBold = false

  write(text: string): void {
    const pieces = text.matchAll(tokens)
    for (const [, given = '', letter, character] of pieces) {
      if (letter !== undefined) this.#control(letter, given)
      else if (character === '\n') this.#to(this.#row + 1, this.#column)
      else if (character === '\r') this.#to(this.#row, 0)
      else if (character !== undefined && character >= ' ') this.#put(character)
    }
  }

  /** Without what was never written. */
  lines(): readonly (readonly Cell[])[] {
    const last = this.#lines.findLastIndex((line) => line.some(({ text }) => text.trim() !== ''))
    return this.#lines.slice(0, last + 1)
  }

  #control(letter: string, given: string): void {
    const numbers = given.split(';').map(Number)
    if (letter === 'H') this.#to((numbers[0] || 1) - 1, (numbers[1] || 1) - 1)
    else if (letter === 'J') this.#lines.length = given === '2' ? 0 : this.#row + 1
    else if (letter === 'K') this.#line().length = Math.min(this.#line().length, this.#column)
    else if (letter === 'm') for (const number of numbers) this.#style(number)
  }

  #style(number: number): void {
    if (number === 0) {
      this.#colour = plain
      this.#isBold = false
    } else if (number === 1) this.#isBold = true
    else if (number === 2) this.#colour = colours[90] ?? plain
    else if (number === 22) {
      this.#isBold = false
      this.#colour = plain
    } else if (number === 39) this.#colour = plain
    else this.#colour = colours[number] ?? this.#colour
  }

  #to(row: number, column: number): void {
    this.#row = row
    this.#column = column
    this.#line()
  }

  #line(): Cell[] {
    while (this.#lines.length <= this.#row) this.#lines.push([])
    return this.#lines[this.#row] as Cell[]
  }

  #put(text: string): void {
    const line = this.#line()
    while (line.length < this.#column) line.push({ text: ' ', colour: plain, isBold: false })
    line[this.#column] = { text, colour: this.#colour, isBold: this.#isBold }
    this.#column++
  }
}

function picture(title: string, lines: readonly (readonly Cell[])[]): string {
  const width = COLUMNS * CELL.width + 32
  const height = lines.length * CELL.height + 64
  const rows = lines.map((line, row) => {
    const y = 56 + row * CELL.height
    return runs(line)
      .map(({ from, text, colour, isBold }) => {
        const x = (16 + from * CELL.width).toFixed(1)
        const length = (text.length * CELL.width).toFixed(1)
        const weight = isBold ? ' font-weight="700"' : ''
        return `<text x="${x}" y="${y}" fill="${colour}"${weight} textLength="${length}" lengthAdjust="spacingAndGlyphs" xml:space="preserve">${escaped(text)}</text>`
      })
      .join('')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.ceil(width)}" height="${height}" viewBox="0 0 ${Math.ceil(width)} ${height}" role="img" aria-label="${escaped(title)}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<text x="16" y="26" fill="#8b949e">$ ${escaped(title)}</text>
${rows.join('\n')}
</svg>
`
}

interface Run extends Cell {
  readonly from: number
}

/** Cells of one style that follow each other. */
function runs(line: readonly Cell[]): readonly Run[] {
  const found: { from: number; text: string; colour: string; isBold: boolean }[] = []
  for (const [at, cell] of line.entries()) {
    const last = found.at(-1)
    if (last !== undefined && last.colour === cell.colour && last.isBold === cell.isBold) last.text += cell.text
    else found.push({ from: at, ...cell })
  }
  return found.filter(({ text }) => text.trim() !== '')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** Runs a command on a pseudo-terminal; `keys` are pressed at their time, in milliseconds. */
async function played(args: string, keys: readonly (readonly [ms: number, key: string])[] = []): Promise<Terminal> {
  const command = `stty cols ${COLUMNS} rows ${ROWS}; exec ${process.execPath} --disable-warning=ExperimentalWarning src/cli/main.ts ${args}`
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: root,
    env: { ...process.env, TERM: 'xterm-256color', FORCE_COLOR: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const terminal = new Terminal()
  child.stdout.setEncoding('utf8').on('data', (text: string) => terminal.write(text))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let waited = 0
  for (const [ms, key] of keys) {
    await sleep(ms - waited)
    waited = ms
    child.stdin.write(key)
  }
  await ended
  return terminal
}

function save(name: string, title: string, terminal: Terminal): void {
  const path = join(root, 'docs/images', `terminal-${name}.svg`)
  writeFileSync(path, picture(title, terminal.lines()))
  console.log(`docs/images/terminal-${name}.svg: ${terminal.lines().length} lines`)
}

const stage = await openStage()
try {
  // Long enough for a record to be stuck.
  await sleep(25_000)
  const where = `--brokers ${stage.brokers.join(',')} --group billing`
  save('offsets', 'fanlane offsets --group billing', await played(`offsets ${where}`))
  save('top', 'fanlane top --group billing', await played(`top ${where} --looks 5`))
} finally {
  await stage.close()
}
save(
  'demo',
  'fanlane demo',
  await played('demo --seconds 20', [
    [8_000, 'p'],
    [9_500, 's'],
    [11_000, 'r'],
  ]),
)
