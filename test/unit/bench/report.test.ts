/** From results to the table, the page, its pictures and the aims: failures have no times, losses are told, nothing is invented. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aimsOf, lossesOf } from '../../../bench/core/aims.ts'
import { flameSvg, framesOf, hottest } from '../../../bench/core/flame.ts'
import { optionsOf } from '../../../bench/core/options.ts'
import { pageOf } from '../../../bench/core/page.ts'
import { barChart, figure } from '../../../bench/core/plots.ts'
import {
  type ContenderResult,
  type GoodRound,
  mergeResults,
  type Results,
  type Round,
  shareOfIdeal,
  type VariantResult,
} from '../../../bench/core/results.ts'
import { speedOf, whyBroken } from '../../../bench/core/stage.ts'
import { tableOf, textOf, whyNone } from '../../../bench/core/table.ts'
import { workloads } from '../../../bench/workloads/index.ts'

function round(rate: number | null, more: Partial<GoodRound> = {}): Round {
  return {
    rate,
    steadyRate: rate,
    cpuSeconds: 1,
    peakRssMb: 100,
    lost: 0,
    reordered: 0,
    duplicated: 0,
    more: {},
    broken: null,
    ...more,
  }
}

const one = (name: string, rounds: readonly Round[], more: Partial<ContenderResult> = {}): ContenderResult => ({
  name,
  title: name,
  note: null,
  records: 1_000,
  rounds,
  absent: null,
  ...more,
})

const variant = (contenders: readonly ContenderResult[], more: Partial<VariantResult> = {}): VariantResult => ({
  workload: 'W1',
  variant: 'c100',
  title: 'a title',
  broker: 'kafka',
  order: 'key',
  idealRate: 1_000,
  about: { records: 1_000 },
  contenders,
  taken: { date: '2026-01-01', commit: 'abc', changed: false, command: 'npm run bench' },
  ...more,
})

const results = (variants: readonly VariantResult[], quick = false, machine = 'm'): Results => ({
  format: 1,
  about: {
    date: '2026-11-16T10:00:00.000Z',
    commit: '0123456789abcdef',
    changed: false,
    command: 'npm run bench',
    quick,
    rounds: 3,
    minutes: 5,
    machine,
    system: 'Linux',
    versions: { node: '24' },
  },
  variants,
})

const lossy = round(9_999, { lost: 3, broken: '3 records lost' })

describe('the table', () => {
  test('median and spread, share of the ideal, ours against the others', () => {
    const table = tableOf(
      variant([one('ours', [round(900), round(950), round(800)]), one('pc', [round(300), round(500), round(400)])]),
    )
    assert.deepEqual(table.heads.slice(0, 3), ['records/s', 'steady records/s', 'of the ideal'])
    assert.deepEqual(table.rows[0]?.cells.slice(0, 3), ['900 (800–950)', '900 (800–950)', '90 %'])
    assert.equal(table.rows[1]?.cells.at(-1), '2 (1.9–3)')
  })

  test('a result with losses is a failure and not a time', () => {
    const bad = one('pc', [round(300), lossy])
    assert.equal(whyNone(bad), 'FAILED in 1 of 2 rounds: 3 records lost')
    const text = textOf(variant([one('ours', [round(900)]), bad]))
    assert.match(text, /pc +FAILED in 1 of 2 rounds: 3 records lost/)
    assert.ok(!text.includes('9,999') && !text.includes('300'))
  })

  test('who was not there is named', () => {
    assert.equal(whyNone(one('confluent', [], { absent: 'does not install here' })), 'not run: does not install here')
  })

  test('what a workload measures besides has columns of its own; without rates CPU is not divided', () => {
    const table = tableOf(
      variant([one('ours', [round(null, { more: { 'p99 ms': 2 }, steadyRate: null })])], { idealRate: null }),
    )
    assert.deepEqual(table.heads, ['p99 ms', 'CPU s', 'peak MB', 'lost', 'reordered', 'duplicated'])
    assert.deepEqual(table.rows[0]?.cells, ['2', '1', '100', '0', '0', '0'])
  })
})

describe('aims and losses', () => {
  test('met, missed, and not measured', () => {
    const found = aimsOf(results([variant([one('ours', [round(950)]), one('pc', [round(990, { cpuSeconds: 2 })])])]))
    const of = (text: string): boolean | null | undefined =>
      found.find((aim) => aim.workload === 'W1' && aim.text.startsWith(text))?.met
    assert.equal(of('c100: at least 90 %'), true)
    assert.equal(of('c100: ahead'), false)
    assert.equal(of('c100: at most ⅓'), false)
    assert.equal(of('c1000: ahead'), null)
    assert.ok(found.filter(({ workload }) => workload === 'W9').every(({ met }) => met === null))
  })

  test('W5: nothing never processed is an aim of its own, and a loss misses it', () => {
    const rounds = [
      round(null, { more: { 'done twice %': 0.5 } }),
      round(null, { lost: 2, broken: 'x', more: { 'done twice %': 0.5 } }),
    ]
    const found = aimsOf(results([variant([one('ours', rounds)], { workload: 'W5', variant: 'mid-flight' })]))
    const w5 = found.filter(({ workload }) => workload === 'W5')
    assert.deepEqual(
      w5.map(({ met }) => met),
      [false, null],
    )
    assert.match(w5[0]?.measured ?? '', /^2 in 2 rounds/)
  })

  test('where another one is faster or smaller, it is said; of one that lost records it is not', () => {
    const faster = one('java', [round(2_000, { peakRssMb: 50, cpuSeconds: 0.5 })])
    const found = lossesOf(results([variant([one('ours', [round(1_000)]), faster, one('pc', [lossy])])]))
    assert.deepEqual(
      found.map(({ text }) => text),
      ['java: 2 × as fast, 0.5 × our CPU for a record, 0.5 × our peak memory'],
    )
    assert.deepEqual(lossesOf(results([variant([one('ours', [round(10)]), one('pc', [round(5)])])])), [])
    const quick = results([variant([one('ours', [round(1_000)]), faster])], true)
    assert.deepEqual(lossesOf(quick), [])
    assert.ok(aimsOf(quick).every(({ met }) => met === null))
  })
})

describe('the page', () => {
  test('names machine, commit and command, shows aims, losses, tables and a picture; failures have no bar', () => {
    const { markdown, images } = pageOf(results([variant([one('ours', [round(900)]), one('pc', [lossy])])]), workloads)
    const texts = [
      '0123456789ab',
      'npm run bench',
      '## Aims',
      '## Where we lose',
      '## W1',
      'bench-w1.svg',
      '3 records lost',
    ]
    for (const text of texts) assert.ok(markdown.includes(text), text)
    const svg = images.get('bench-w1.svg') ?? ''
    assert.ok(svg.includes('>ours<') && !svg.includes('>pc<'))
    assert.ok(!markdown.includes('quick run'))
    assert.ok(pageOf(results([], true), workloads).markdown.includes('quick run'))
  })

  test('bars: as long as their median, with a spread, safe against markup, for light and dark', () => {
    const svg = barChart({
      title: 'a < b',
      unit: 'records/s',
      bars: [
        { label: 'x & y', median: 50, min: 40, max: 100, isOurs: true },
        { label: 'z', median: 100, min: 100, max: 100, isOurs: false },
      ],
      mark: { value: 80, label: 'ideal' },
    })
    assert.ok(svg.includes('a &lt; b') && svg.includes('x &amp; y') && svg.includes('prefers-color-scheme: dark'))
    const widths = [...svg.matchAll(/<rect class="(?:ours|bar)"[^>]* width="([\d.]+)"/g)].map((match) =>
      Number(match[1]),
    )
    assert.equal(widths[1], widths[0]! * 2)
    assert.equal([...svg.matchAll(/class="spread"/g)].length, 1)
    assert.deepEqual([1_234_567, 45_678, 789, 0.123, 2e9].map(figure), ['1.23 M', '45.7 k', '789', '0.12', '2 G'])
  })
})

describe('results', () => {
  test('a later measurement replaces that of its variant and keeps the rest; not over machines, not over a quick look', () => {
    const old = results([variant([], { title: 'old' }), variant([], { workload: 'W4', title: 'kept' })])
    const titles = (merged: Results): string[] => merged.variants.map(({ title }) => title)
    const later = results([variant([], { title: 'new' })])
    assert.deepEqual(titles(mergeResults(old, later)), ['new', 'kept'])
    assert.deepEqual(titles(mergeResults(results(old.variants, true), later)), ['new'])
    assert.deepEqual(titles(mergeResults(results(old.variants, false, 'other'), later)), ['new'])
    assert.deepEqual(titles(mergeResults(null, later)), ['new'])
  })

  test('a rate ends with the commit or with the last handler, whichever is later', () => {
    const times = { firstMs: 100, lastMs: 1_100, committedMs: 1_000, cpuSeconds: 1, peakRssMb: 1 }
    assert.equal(speedOf(times, 1_100).rate, 1_000)
    assert.equal(speedOf(times, 1_000).steadyRate, 1_000)
    assert.equal(speedOf({ ...times, lastMs: null, committedMs: null }, 1).rate, null)
    assert.equal(whyBroken({ lost: 0, reordered: 0 }), null)
    assert.equal(whyBroken({ lost: 0, reordered: 2 }), '2 records out of order')
  })

  test('the ideal is that of handlers as slow as they were, not as they were asked to be', () => {
    const asked = variant([], { about: { 'handler ms': 5 } })
    const measured = (more: Partial<GoodRound>) => shareOfIdeal(asked, round(800, more) as GoodRound)
    assert.equal(measured({ more: { 'handler ms': 6 } }), 0.96)
    assert.equal(measured({}), 0.8, 'not measured: as asked')
    assert.equal(measured({ steadyRate: null }), null)
  })
})

test('options: what is unknown is named, with what there is', () => {
  assert.throws(() => optionsOf(['--only', 'W11']), /no W11; there are W1/)
  assert.throws(() => optionsOf(['--contenders', 'x']), /no x; there are ours/)
  assert.throws(() => optionsOf(['--broker', 'redis']), /no redis/)
  assert.throws(() => optionsOf(['--rounds', '0']), /whole number/)
  assert.throws(() => optionsOf(['--fast']), /--fast/)
  const { only, rounds, quick } = optionsOf(['--only', 'w1,W4', '--quick'])
  assert.deepEqual([only, rounds, quick], [['W1', 'W4'], 1, true])
})

test('every workload has variants in both sizes, with names of their own, known contenders and an end in sight', () => {
  assert.deepEqual(
    workloads.map(({ id }) => id),
    [...Array.from({ length: 10 }, (_, n) => `W${n + 1}`), 'P1'],
  )
  for (const workload of workloads) {
    for (const quick of [true, false]) {
      const variants = workload.variants({ quick, handlerUs: [0, 1_000] })
      assert.equal(new Set(variants.map(({ name }) => name)).size, variants.length)
      for (const { contenders, seconds, records } of variants) {
        assert.ok(contenders.length > 0 && seconds > 0 && records > 0, workload.id)
        assert.ok(contenders[0]?.name.startsWith('ours'))
      }
    }
  }
})

test('a flame graph adds up: a box is as wide as itself and what it called', () => {
  const frame = (functionName: string) => ({ functionName, url: 'file:///x/kernel/lanes.js', lineNumber: 4 })
  const frames = framesOf({
    nodes: [
      { id: 1, callFrame: frame('(root)'), children: [2, 3] },
      { id: 2, callFrame: frame('a'), children: [4] },
      { id: 3, callFrame: frame('a') },
      { id: 4, callFrame: frame('<b>') },
    ],
    samples: [2, 3, 4, 4],
    timeDeltas: [10, 20, 30, 40],
  })
  assert.equal(frames.totalUs, 100)
  assert.deepEqual(
    frames.children.map(({ name, selfUs, totalUs }) => [name, selfUs, totalUs]),
    [['a kernel/lanes.js:5', 30, 100]],
  )
  assert.deepEqual(hottest(frames, 1), [{ name: '<b> kernel/lanes.js:5', share: 0.7 }])
  assert.ok(flameSvg(frames, 't').includes('&lt;b&gt;'))
})
