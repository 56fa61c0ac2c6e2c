/** What is compared, in a real browser: the panel of `fanlane demo`, and the page that goes on when one consumer ends and another begins. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdDashboard } from '../../src/cli/demo/dashboard.ts'
import type { Beside } from '../../src/dashboard/frames.ts'
import { type Consumer, consume } from '../../src/index.ts'
import { MemoryLog } from '../../src/testing/index.ts'
import { notebook } from '../e2e/support.ts'
import { assertQuiet, onChromium, openWindow, turnTo } from './browser.ts'

const waiting: Beside = {
  title: 'Speed-up on the same <b>orders</b>',
  runs: [
    { name: 'one at a time', records: 400, perSecond: 180, isOver: false },
    { name: 'fanlane', records: 0, perSecond: null, isOver: false },
  ],
  ratio: null,
  check: { ok: true, words: 'order ok' },
}
const racing: Beside = {
  ...waiting,
  runs: [
    { name: 'one at a time', records: 900, perSecond: 180, isOver: true },
    { name: 'fanlane', records: 31_415, perSecond: 3_142, isOver: false },
  ],
  ratio: 17.4,
}

await onChromium((browser) => {
  for (const [words, viewport] of [
    ['wide', { width: 1280, height: 860 }],
    ['as narrow as a telephone', { width: 390, height: 844 }],
  ] as const) {
    test(`P9 · both rates, the speed-up and the order are on the first page, ${words}; it follows from group to group`, async () => {
      let told = waiting
      const dashboard = await holdDashboard(0, () => told)
      const join = (group: string): Promise<Consumer> =>
        consume({
          log: new MemoryLog({ t: 1 }),
          group,
          topics: ['t'],
          logger: notebook(),
          dashboard: { port: dashboard.port },
          handle: () => undefined,
        })
      const first = await join('one-at-a-time')
      try {
        await using window = await openWindow(browser, dashboard.url, { viewport })
        const { page } = window
        const panel = page.locator('.beside')
        await panel.waitFor()
        assert.match(
          await panel.innerText(),
          /^Speed-up on the same <b>orders<\/b>\s+–\s+order ok\s+one at a time\s+400 records\s+180\/s\s+fanlane\s+its turn comes\s+–/,
        )
        assert.equal(await panel.locator('.tag-good').count(), 1)
        await page.locator('.header', { hasText: 'one-at-a-time' }).waitFor()

        await first.close()
        await page.locator('main.is-old').waitFor()
        assert.equal(await panel.count(), 1, 'what was seen last stays')
        await using second = await join('fanlane')
        told = racing
        await page.locator('.beside-ratio', { hasText: '17 ×' }).waitFor()
        await page.locator('.header', { hasText: 'fanlane' }).waitFor()
        assert.match(
          await panel.innerText(),
          /one at a time\s+900 records, over\s+180\/s\s+fanlane\s+31,415 records\s+3,142\/s/,
        )
        const drawn = await panel.locator('.chart-place').getAttribute('aria-label')
        assert.match(drawn ?? '', /^Records a second, .* fanlane: from .* now 3,142\/s; one at a time: .* now 180\/s$/)

        told = { ...racing, check: { ok: false, words: '3 out of order' } }
        await panel.locator('.tag-bad', { hasText: '3 out of order' }).waitFor()
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), viewport.width)
        const beyond = await page.evaluate(
          `[...document.querySelectorAll('main *')].filter((e) => e.getBoundingClientRect().right > ${viewport.width}.5).map((e) => e.className)`,
        )
        assert.deepEqual(beyond, [])
        await turnTo(page, 'partitions')
        assert.equal(await panel.count(), 0)
        // That the first group is not here any more is what its stream was told.
        const refused = window.complaints.filter((complaint) => !/status of 404/.test(complaint))
        await assertQuiet({ ...window, complaints: refused })
        await second.close()
      } finally {
        await first.close()
        await dashboard.close()
      }
    })
  }
})
