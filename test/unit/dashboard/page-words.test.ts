/** What the page says: figures and sentences, without a browser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BlockingFrame, OverviewFrame, PartitionFrame, Strip } from '../../../src/dashboard/frames.ts'
import { age, bytes, count, cut, duration, rate, short, visible } from '../../../src/dashboard/page/format.ts'
import { cellOf, cellWords, healthOf, said, stripLabel, trendOf } from '../../../src/dashboard/page/words.ts'

test('figures are short, and always written the same way', () => {
  assert.deepEqual([0, 1_041, 9_999, 12_400, 3_100_000].map(short), ['0', '1,041', '9,999', '12.4 k', '3.1 M'])
  assert.deepEqual([0, 0.34, 9.96, 12_412].map(rate), ['0/s', '0.3/s', '10/s', '12.4 k/s'])
  assert.deepEqual([0, 4.21, 240, 1_230, 12_000, 72_000, 3_599_600, 7_500_000, 277_200_000].map(duration), [
    '0 ms',
    '4.2 ms',
    '240 ms',
    '1.2 s',
    '12 s',
    '1 min 12 s',
    '1 h 0 min',
    '2 h 5 min',
    '3 d 5 h',
  ])
  assert.deepEqual([0, 11_900, 130_000, -5].map(age), ['0 s', '12 s', '2 min 10 s', '0 s'])
  assert.deepEqual([512, 1_536, 5 * 2 ** 20].map(bytes), ['512 B', '1.5 KiB', '5.0 MiB'])
  assert.equal(count(1_234_567), '1,234,567')
})

test('what would hide, move the cursor or turn the text around is shown as a sign', () => {
  assert.equal(visible('\u001b[31mred\u0000\u007f'), '␛[31mred␀␡')
  assert.equal(visible('a\u202eb\u200bc\u009b'), 'a⟨202E⟩b⟨200B⟩c⟨009B⟩')
  assert.equal(visible('a\nb'), 'a␊b')
  assert.equal(visible('a\nb\tc\r', true), 'a\nb\tc␍')
  assert.equal(visible('<b>é漢😀</b>'), '<b>é漢😀</b>')
  assert.equal(cut('x'.repeat(100), 10), `${'x'.repeat(9)}…`)
})

const blocking: BlockingFrame = {
  offset: 1_041,
  key: 'acme',
  forMs: 12_000,
  doing: 'waiting',
  detail: 'waiting',
  attempt: 2,
  nextAttemptAt: 104_000,
  why: 'HttpError: 503',
  stalled: false,
}

test('P9 · a blocking record is told in one sentence', () => {
  assert.equal(
    said(blocking, 100_000),
    'offset 1,041 (key acme) has held this back for 12 s: waiting for attempt 3, due in 4 s: HttpError: 503',
  )
  const running: BlockingFrame = {
    ...blocking,
    doing: 'running',
    detail: 'running for 61000 ms',
    attempt: 1,
    why: null,
  }
  assert.equal(said({ ...running, key: null }, 0), 'offset 1,041 has held this back for 12 s: running for 1 min 1 s')
  assert.match(said({ ...running, attempt: 3 }, 0), /running for 1 min 1 s, attempt 3$/)
  assert.match(said({ ...running, forMs: 20 }, 0), /^offset 1,041 \(key acme\) is next: running/)
  const parked: BlockingFrame = { ...running, doing: 'queued', detail: 'queued', why: 'its key is parked' }
  assert.match(said(parked, 0), /for 12 s: queued: its key is parked$/)
  const exit: BlockingFrame = { ...blocking, detail: 'exhausting: its way out did not work, try 3 is due' }
  assert.match(said(exit, 104_000), /its way out did not work, try 3 is due, due now: HttpError: 503$/)
})

test('P9 · the map is said in words, cell by cell', () => {
  const strip: Strip = { from: 1_000, to: 1_010, perCell: 4, cells: 'cfr' }
  assert.equal(cellWords(strip, 0), 'offsets 1,000–1,003: committed')
  assert.equal(cellWords(strip, 1), 'offsets 1,004–1,007: some finished, not committed')
  assert.equal(cellWords(strip, 2), 'offsets 1,008–1,009: some running')
  assert.equal(cellWords({ ...strip, perCell: 1 }, 2), 'offset 1,002: running')
  assert.deepEqual(
    [999, 1_000, 1_007, 1_009, 1_010].map((offset) => cellOf(strip, offset)),
    [-1, 0, 1, 2, -1],
  )
  const partition = { topic: 'orders', partition: 3, position: 1_041, gap: 120, inFlight: 3, queued: 12, lag: 135 }
  assert.equal(
    stripLabel({ ...partition, blocking } as PartitionFrame),
    'orders-3: 120 finished after position 1,041, blocked at 1,041, running 3, queued 12, 135 behind',
  )
})

test('the first line says whether it is healthy', () => {
  const overview = { partitions: 12, stalled: 0, parked: 0, lag: 40, paused: {} } as unknown as OverviewFrame
  assert.deepEqual(healthOf(overview, 0), { mood: 'good', headline: 'Healthy: all 12 partitions move' })
  assert.equal(healthOf({ ...overview, lag: 0 }, 0).headline, 'Healthy: everything is finished')
  assert.deepEqual(healthOf({ ...overview, stalled: 1 }, 0), {
    mood: 'bad',
    headline: '1 of 12 partitions is held back',
  })
  assert.deepEqual(healthOf(overview, 2), { mood: 'bad', headline: '2 instances do not answer' })
  assert.equal(healthOf({ ...overview, parked: 1 }, 0).mood, 'busy')
  assert.equal(healthOf({ ...overview, paused: { user: 1 } }, 0).headline, '1 partition paused by hand')
  assert.equal(healthOf({ ...overview, partitions: 0 }, 0).headline, 'No partition is assigned')
  assert.deepEqual([trendOf(100, 99), trendOf(200, 100), trendOf(0, 100)], ['steady', 'rising', 'falling'])
})
