/**
 * The dashboard in a real browser, on a running consumer: somebody asks why nothing is committed, and must see it, in words, at
 * once; and nobody else may read or steer.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../support/wait.ts'
import { assertQuiet, onChromium, openWindow, turnTo } from './browser.ts'
import { openShop } from './shop.ts'

const label = (page: Page): Promise<string | null> => page.locator('.strip canvas').first().getAttribute('aria-label')
const picture = (page: Page): Promise<string> => page.evaluate("document.querySelector('.strip canvas').toDataURL()")
const sentence = (page: Page): Promise<string> => page.locator('.partition .sentence').first().innerText()

await onChromium((browser) => {
  test('P9 · the map moves while records finish behind one that does not', async () => {
    await using shop = await openShop()
    await shop.send('finish', 'a', 'b')
    await shop.send('wait', 'slow')
    await using window = await openWindow(browser, `${shop.url}#/partitions`)
    const { page } = window
    await page.waitForSelector('.partition')
    await until('the record that blocks is on the strip', async () => (await label(page))?.includes('blocked at 2'))
    assert.match((await label(page)) ?? '', /^orders-0: 0 finished after position 2, blocked at 2, running 1, queued 0/)
    const before = await picture(page)
    await shop.send('finish', ...Array.from({ length: 20 }, (_, i) => `k${i}`))
    await until('twenty are finished after it', async () =>
      (await label(page))?.includes('20 finished after position 2'),
    )
    await until('the picture has changed', async () => (await picture(page)) !== before)
    shop.release('slow')
    await until('nothing blocks any more', async () => (await label(page))?.includes('position 23, nothing blocks'))
    await assertQuiet(window)
  })

  test('P9 · a stuck record is named with its key and the reason, on the first page and in its row', async (t) => {
    await using shop = await openShop()
    await using window = await openWindow(browser, shop.url)
    const { page } = window
    await page.waitForSelector('.health')
    await shop.send('finish', 'a')
    const failed = new Promise<number>((resolve) => shop.consumer.once('retry', () => resolve(performance.now())))
    await shop.send({ fail: '503 from payments' }, 'acme')
    await shop.send('finish', 'b', 'c')
    const failedAt = await failed
    await page.locator('.health-because', { hasText: 'offset 1 (key acme)' }).waitFor()
    t.diagnostic(`named ${Math.round(performance.now() - failedAt)} ms after it failed`)
    const because = await page.locator('.health-because').innerText()
    assert.match(
      because,
      /^orders-0: offset 1 \(key acme\) has held this back for \d+ s: waiting for attempt 2, due in/,
    )
    assert.match(because, /HttpError: 503 from payments$/)
    await turnTo(page, 'partitions')
    await page.locator('.sentence', { hasText: 'has held this back' }).waitFor()
    assert.match(await sentence(page), /offset 1 \(key acme\) .*waiting for attempt 2, due in \d+ s: HttpError: 503/)
    await turnTo(page, 'retries')
    const row = page.locator('tr', { hasText: 'orders-0@1' })
    await row.waitFor()
    assert.match(await row.innerText(), /acme[\s\S]*HttpError: 503 from payments/)
    await assertQuiet(window)
  })

  test('the blocking record is skipped from the page, in so many words, and that is written down', async () => {
    await using shop = await openShop({ stalledAfterMs: 500 })
    await shop.send({ fail: 'no' }, 'acme')
    await shop.send('finish', 'b')
    await using window = await openWindow(browser, shop.link)
    const { page } = window
    await page.locator('.health-head', { hasText: '1 of 1 partition is held back' }).waitFor()
    assert.equal(new URL(page.url()).search, '', 'the token is not left in the address')
    await turnTo(page, 'partitions')
    const skip = page.getByRole('button', { name: 'Skip record…' })
    await skip.click()
    const dialog = page.getByRole('dialog')
    assert.match(
      await dialog.innerText(),
      /The record orders-0@0 will count as finished and is not handled\.[\s\S]*This cannot be undone\./,
    )
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip record…', 'the focus is back')
    assert.equal(shop.consumer.snapshot().partitions[0]?.position, 0, 'Escape does nothing')

    await skip.click()
    await dialog.getByRole('button', { name: 'Skip the record' }).click()
    await page.locator('.outcome', { hasText: 'Done: skip orders-0@0: done.' }).waitFor()
    await until('the position has passed it', () => shop.consumer.snapshot().partitions[0]?.position === 2)
    await page.locator('.sentence', { hasText: 'Everything is finished.' }).waitFor()
    await turnTo(page, 'errors')
    const row = page.locator('tr', { hasText: 'skip orders-0@0' })
    await row.waitFor()
    assert.match(await row.innerText(), /done[\s\S]*127\.0\.0\.1/)
    await assertQuiet(window)
  })

  test('partition, topic, key and concurrency are steered from the page', async () => {
    await using shop = await openShop()
    await shop.send('wait', 'slow')
    await using window = await openWindow(browser, shop.link)
    const { page } = window
    const confirm = async (button: string, verb: string): Promise<void> => {
      await page.getByRole('button', { name: button, exact: true }).first().click()
      await page.getByRole('dialog').getByRole('button', { name: verb, exact: true }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    const paused = (): readonly string[] => shop.consumer.snapshot().partitions[0]?.paused ?? []
    await turnTo(page, 'partitions')
    await confirm('Pause…', 'Pause')
    await until('it is paused', () => paused().includes('user'))
    await page.locator('.partition .tag', { hasText: 'user' }).waitFor()
    await confirm('Resume…', 'Resume')
    await until('it reads on', () => !paused().includes('user'))
    await confirm('Pause topic…', 'Pause')
    await until('it is paused with its topic', () => paused().includes('user'))
    await confirm('Resume topic…', 'Resume')
    await until('it reads on', () => !paused().includes('user'))
    await turnTo(page, 'lanes')
    await confirm('Pause…', 'Pause')
    await page.locator('.outcome', { hasText: 'pause key "slow" of orders-0' }).waitFor()
    const lane = page.locator('.lane', { hasText: 'slow' })
    await lane.locator('.tag', { hasText: 'paused' }).waitFor()
    assert.equal(await lane.getByRole('button', { name: 'Pause…' }).count(), 0, 'what is paused can be resumed only')
    await confirm('Resume…', 'Resume')
    await lane.getByRole('button', { name: 'Pause…' }).waitFor()
    assert.equal(await lane.locator('.tag').count(), 0)
    assert.equal(await lane.getByRole('button', { name: 'Resume…' }).count(), 0)
    await turnTo(page, 'overview')
    await page.getByRole('button', { name: 'Change…' }).click()
    await page.getByLabel('Handlers at once').fill('7')
    await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click()
    await until('the limit is another one', () => shop.consumer.snapshot().engine.limit === 7)
    await page.locator('.tile', { hasText: 'of 7' }).waitFor()
    await assertQuiet(window)
  })

  test('R5 · dead letters are listed without their contents, shown on demand as text, and redriven', async () => {
    const html = '<img src=x onerror="alert(1)">'
    await using shop = await openShop()
    await shop.send({ die: `no such order ${html}` }, `acme${html}\u001b[31m`)
    await shop.send({ die: 'another one' }, 'globex')
    await using window = await openWindow(browser, shop.link)
    const { page } = window
    await turnTo(page, 'dead-letters')
    const row = page.locator('tr', { hasText: 'no such order' })
    await row.waitFor()
    assert.match(await row.innerText(), /orders-0@0\s+acme<img src=x/)
    assert.equal(await page.getByText('"die"').count(), 0, 'contents are not shown')
    await row.getByRole('button', { name: 'Show' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.locator('.payload').waitFor()
    assert.equal(await dialog.locator('.payload').innerText(), JSON.stringify({ die: `no such order ${html}` }))
    assert.equal(await dialog.locator('pre').first().innerText(), `acme${html}␛[31m`)
    assert.equal(await page.locator('#app img').count(), 0)
    await page.keyboard.press('Escape')
    await row.getByRole('button', { name: 'Redrive…' }).click()
    assert.match(await dialog.innerText(), /written to orders again/)
    await dialog.getByRole('button', { name: 'Redrive' }).click()
    await page.locator('.outcome', { hasText: 'Done' }).waitFor()
    await until('it has run again', () => (shop.consumer.snapshot().totals.exhausted ?? 0) >= 3)
    await page.getByRole('button', { name: 'Redrive all…' }).click()
    await dialog.getByRole('button', { name: 'Redrive all' }).click()
    await dialog.waitFor({ state: 'detached' })
    await until('the others have, too', () => (shop.consumer.snapshot().totals.exhausted ?? 0) >= 5)
    await turnTo(page, 'errors')
    await page.locator('tr', { hasText: 'redrive all of orders.dlq' }).waitFor()
    await assertQuiet(window)
  })

  test('without the token the page looks and does not touch; without allowActions nobody does', async () => {
    await using shop = await openShop()
    await shop.send({ fail: 'no' }, 'acme')
    await using window = await openWindow(browser, `${shop.url}#/partitions`)
    await window.page.locator('.sentence', { hasText: 'has held this back' }).waitFor()
    assert.equal(await window.page.getByRole('button', { name: /Skip|Pause/ }).count(), 0)
    assert.match(await window.page.locator('.note').innerText(), /Actions are locked in this browser/)
    const asked =
      "fetch('/api/actions', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{\"kind\":\"pause\",\"topic\":\"orders\"}' }).then((r) => r.status)"
    assert.equal(await window.page.evaluate(asked), 403)

    await using closed = await openShop({ allowActions: false })
    await closed.send({ fail: 'no' }, 'acme')
    await using other = await openWindow(browser, `${closed.link}#/partitions`)
    await other.page.locator('.sentence', { hasText: 'has held this back' }).waitFor()
    assert.equal(await other.page.getByRole('button', { name: /Skip|Pause/ }).count(), 0)
    assert.equal(await other.page.locator('.note').count(), 0)
    await assertQuiet(other)
    assert.equal(await other.page.evaluate(asked), 403)
  })
})
