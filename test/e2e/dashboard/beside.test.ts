/** What is compared, on the dashboard: nothing for who compares nothing, and the race of the demo while it is under way. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { holdDashboard } from '../../../src/cli/demo/dashboard.ts'
import { demo } from '../../../src/cli/demo/demo.ts'
import type { Racer } from '../../../src/cli/demo/racer.ts'
import { noScreen } from '../../../src/cli/demo/screen.ts'
import { SideBySide } from '../../../src/cli/demo/side-by-side.ts'
import type { Frame } from '../../../src/dashboard/frames.ts'
import { consume } from '../../../src/index.ts'
import { MemoryLog } from '../../../src/testing/index.ts'
import { until } from '../../support/wait.ts'
import { notebook } from '../support.ts'
import { ask, frame } from './support.ts'

const ordinary = { topics: ['t'], logger: notebook(), handle: () => undefined }

function raced(records: number, ms: number, outOfOrder: number) {
  return { racer: { checker: { outOfOrder } } as Racer, records, ms }
}

describe('what is compared', () => {
  test('an ordinary consumer compares nothing', async () => {
    await using consumer = await consume({
      ...ordinary,
      log: new MemoryLog({ t: 1 }),
      group: 'g',
      dashboard: { port: 0 },
    })
    assert.equal((await frame(consumer.dashboard?.url ?? '', 'page=overview')).beside, null)
  })

  test('the first one, then both, with the speed-up; one order that was not kept is told', () => {
    const race = new SideBySide()
    assert.deepEqual(
      race.frame().runs.map(({ perSecond }) => perSecond),
      [null, null],
    )
    const first = raced(400, 2_000, 0)
    race.tell(first, null)
    assert.deepEqual(race.frame().runs, [
      { name: 'one at a time', records: 400, perSecond: 200, isOver: false },
      { name: 'fanlane', records: 0, perSecond: null, isOver: false },
    ])
    assert.equal(race.frame().ratio, null)
    race.tell(raced(6_000, 2_000, 0), first)
    assert.deepEqual(race.frame().runs, [
      { name: 'one at a time', records: 400, perSecond: 200, isOver: true },
      { name: 'fanlane', records: 6_000, perSecond: 3_000, isOver: false },
    ])
    assert.equal(race.frame().ratio, 15)
    assert.deepEqual(race.frame().check, { ok: true, words: 'order ok' })
    race.tell(raced(6_000, 2_000, 3), first)
    assert.deepEqual(race.frame().check, { ok: false, words: '3 out of order' })
  })

  test('the demo is on its dashboard while it runs: both rates, the speed-up, and the order', async () => {
    const sideBySide = new SideBySide()
    const dashboard = await holdDashboard(0, () => sideBySide.frame())
    const stop = new AbortController()
    const ending = demo({
      seconds: 20,
      screen: noScreen,
      stop: stop.signal,
      dashboardPort: dashboard.port,
      sideBySide,
      keys: null,
    })
    const shown = async (group: string, wanted: (told: Frame) => boolean): Promise<Frame> => {
      await until(`${group} is there`, async () =>
        JSON.parse((await ask(`${dashboard.url}api/hello`)).body).groups.includes(group),
      )
      return frame(dashboard.url, `group=${group}&page=overview`, wanted)
    }
    try {
      const alone = await shown('one-at-a-time', ({ beside }) => (beside?.runs[0]?.perSecond ?? 0) > 0)
      assert.deepEqual([alone.beside?.runs[1]?.perSecond, alone.beside?.ratio], [null, null])
      const both = await shown('fanlane', ({ beside }) => beside?.ratio !== null)
      const [first, second] = both.beside?.runs ?? []
      assert.deepEqual(
        [first?.name, first?.isOver, second?.name, second?.isOver],
        ['one at a time', true, 'fanlane', false],
      )
      assert.ok((second?.perSecond ?? 0) > 0)
      assert.deepEqual(both.beside?.check, { ok: true, words: 'order ok' })
      const remembered = await until('the time slider has it', async () => {
        const { frames } = JSON.parse((await ask(`${dashboard.url}api/history?group=fanlane`)).body)
        return frames.length > 0 && frames
      })
      assert.equal(remembered[0].beside.runs.length, 2)
    } finally {
      stop.abort()
      await ending
      await dashboard.close()
    }
  })
})

describe('a group that ends', () => {
  test('whoever looks at it is told, and the others stay', async () => {
    const first = await consume({ ...ordinary, log: new MemoryLog({ t: 1 }), group: 'z', dashboard: { port: 0 } })
    const port = Number(new URL(first.dashboard?.url ?? '').port)
    await first.close()
    const shared = { ...ordinary, dashboard: { port } }
    const a = await consume({ ...shared, log: new MemoryLog({ t: 1 }), group: 'a' })
    await using b = await consume({ ...shared, log: new MemoryLog({ t: 1 }), group: 'b' })
    const url = b.dashboard?.url ?? ''
    const response = await fetch(`${url}api/stream?group=a&page=overview`)
    const seen = response.text()
    await frame(url, 'group=a&page=overview')
    await a.close()
    assert.match(await seen, /event: gone\ndata: \{\}\n\n$/)
    assert.equal((await ask(`${url}api/stream?group=a`)).status, 404)
    assert.equal((await frame(url, 'group=b&page=overview')).group, 'b')
  })
})
