/** What commands print with, by itself: tables that fit, text that is shown and not obeyed, pictures of maps, lines of input. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { harmless, readable } from '../../src/cli/output/harmless.ts'
import { linesOf } from '../../src/cli/output/lines.ts'
import { signs, strip } from '../../src/cli/output/strip.ts'
import { type Column, table } from '../../src/cli/output/table.ts'
import { cut, widthOf } from '../../src/cli/output/width.ts'
import { type Recipe, toRecord } from '../../src/cli/records-in.ts'

describe('tables', () => {
  const columns: readonly Column<readonly [string, number, string]>[] = [
    { title: 'NAME', of: ([name]) => name },
    { title: 'COUNT', of: ([, count]) => count },
    { title: 'MORE', of: ([, , more]) => more, spare: 1 },
  ]

  test('numbers stand to the right, all else to the left', () => {
    const rows = [
      ['a', 5, 'x'],
      ['bcd', 1_234_567, 'y'],
    ] as const
    assert.deepEqual(table(columns, rows, Number.POSITIVE_INFINITY), [
      'NAME      COUNT  MORE',
      'a             5  x',
      'bcd   1,234,567  y',
    ])
  })

  test('never wider than there is room, whatever is in it; what says least goes first', () => {
    const row = fc.tuple(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.nat(), fc.string({ maxLength: 60 }))
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), fc.integer({ min: 24, max: 120 }), (rows, width) => {
        for (const line of table(columns, rows, width)) assert.ok(widthOf(line) <= width, `${widthOf(line)}: ${line}`)
      }),
    )
    assert.ok(
      !table(columns, [['a long name that is longer', 1, 'more and more']], 24)
        .join()
        .includes('MORE'),
    )
  })

  test('a name that people copy stays whole as long as anything else can give way', () => {
    const letters: readonly Column<readonly [string, number, string]>[] = [
      { title: 'LETTER', of: ([name]) => name, isWhole: true },
      { title: 'ERROR', of: ([, , error]) => error },
      { title: 'WHEN', of: ([, count]) => count, spare: 1 },
    ]
    const row = ['orders.dlq-12@1041', 20_260_131, 'a rather long error'] as const
    assert.deepEqual(table(letters, [row], 30)[1], 'orders.dlq-12@1041  a rather …')
    assert.ok(widthOf(table(letters, [row], 12)[1] ?? '') <= 14, 'where nothing else is left, it is cut too')
  })

  test('what is cut shows it, and letters that take two columns count as two', () => {
    assert.equal(cut('abcdef', 4), 'abc…')
    assert.equal(widthOf('日本'), 4)
    assert.equal(cut('日本語', 4), '日…')
    assert.equal(cut('abc', 3), 'abc')
  })
})

describe('text of others', () => {
  test('nothing in it moves a cursor, changes a colour, or turns the direction of writing', () => {
    assert.equal(harmless('a\u{1b}[31mb\r\nc\u{7f}\u{9b}d\u{202e}e'), 'a␛[31mb␍␊c␡\ufffdd\ufffde')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
        assert.ok(!/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(harmless(text)))
      }),
    )
  })

  test('bytes that are no text are base64, and come back as they were', () => {
    assert.equal(readable(Buffer.from('ä')), 'ä')
    const recipe: Recipe = {
      topic: 't',
      format: 'json',
      separator: null,
      key: null,
      headers: [],
      partition: null,
      isEmptyNull: false,
    }
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = readable(Buffer.from(bytes))
        // A text that begins like base64 by itself is the one thing that two readings share.
        fc.pre(!Buffer.from(bytes).toString().startsWith('base64:'))
        const line = Buffer.from(JSON.stringify({ value: text }))
        assert.deepEqual(Buffer.from(toRecord(line, 1, recipe).value as string), Buffer.from(bytes))
      }),
    )
  })
})

describe('the picture of a map', () => {
  test('every cell tells the truth about its offsets, in as many columns as there are', () => {
    const runs = fc
      .array(fc.integer({ min: 1, max: 30 }), { maxLength: 12 })
      .map((all) => all.slice(0, all.length - (all.length % 2)))
    fc.assert(
      fc.property(runs, fc.nat(500), fc.integer({ min: 1, max: 60 }), (lengths, rest, columns) => {
        const finished = lengths.flatMap((length, at) => Array.from({ length }, () => at % 2 === 1))
        const { cells, perCell, to, from } = strip(
          { position: 100, logEnd: 100 + finished.length + rest, runs: lengths },
          columns,
        )
        assert.ok(cells.length <= columns)
        for (const [at, cell] of [...cells].entries()) {
          const own = finished.slice(at * perCell, Math.min((at + 1) * perCell, to - from))
          if (to === from) assert.equal(cell, signs.finished)
          else if (own.length === 0) assert.equal(cell, signs.beyond)
          else {
            assert.equal(
              cell === signs.none,
              own.every((each) => !each),
            )
            if (cell === signs.finished) assert.ok(own.every((each) => each))
          }
        }
      }),
    )
  })
})

describe('lines of input', () => {
  test('however the bytes come, the lines are the same', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.stringMatching(/^[a-zé ]{0,8}$/)),
        fc.array(fc.integer({ min: 1, max: 7 })),
        async (lines, sizes) => {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
          async function* pieces(): AsyncGenerator<Buffer> {
            let from = 0
            for (const size of sizes) {
              yield bytes.subarray(from, from + size)
              from += size
            }
            yield bytes.subarray(from)
          }
          const read: string[] = []
          for await (const line of linesOf(pieces())) read.push(line.toString())
          assert.deepEqual(read, lines)
        },
      ),
    )
  })

  test('\\r\\n ends a line as well, and a last line needs no end', async () => {
    const read: string[] = []
    for await (const line of linesOf(
      (async function* () {
        yield Buffer.from('a\r\n\r\nb')
      })(),
    ))
      read.push(line.toString())
    assert.deepEqual(read, ['a', '', 'b'])
  })

  test('what is no record says why, with its line', () => {
    const recipe: Recipe = {
      topic: 't',
      format: 'json',
      separator: null,
      key: 'k',
      headers: [],
      partition: null,
      isEmptyNull: true,
    }
    for (const [line, said] of [
      ['[]', /Line 3 is no object/],
      ['{"key":1}', /Line 3 has no "value"/],
      ['{"value":1,"vlaue":2}', /Line 3 has an unknown field 'vlaue'/],
      ['{"value":1,"headers":[5]}', /Line 3 has headers that are no list/],
    ] as const) {
      assert.throws(() => toRecord(Buffer.from(line), 3, recipe), { code: 'INPUT_INVALID', message: said })
    }
    const text = { ...recipe, format: 'text', separator: '::' } as const
    assert.throws(() => toRecord(Buffer.from('a:b'), 1, text), { message: /Line 1 has no '::'/ })
    const { key, value } = toRecord(Buffer.from('a::'), 1, text)
    assert.deepEqual([String(key), value], ['a', null])
  })
})
