/**
 * The page itself, in a real browser: text of strangers stays text, strangers get nothing, and it can be used on a telephone,
 * with a keyboard, and while the process behind it is gone.
 */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { freePorts } from '../../scripts/kafka/cluster.ts'
import type { History } from '../../src/dashboard/frames.ts'
import { until } from '../support/wait.ts'
import { assertQuiet, onChromium, openWindow, turnTo } from './browser.ts'
import { openShop } from './shop.ts'

const pages = ['overview', 'partitions', 'lanes', 'retries', 'dead-letters', 'group', 'errors', 'config']
const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement.textContent')

await onChromium((browser) => {
  test('HTML, ANSI and signs that turn the text around, in keys, errors and names, are shown as text', async () => {
    const html = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
    await using shop = await openShop({ group: '<b onclick=alert(3)>group</b>' })
    await shop.send({ fail: `${html} \u001b[31mred\u001b[0m\u0007 \u202edetrever` }, `${html}\u001b[2J\u0000`)
    await shop.send({ die: `</td>${html}` }, `"><svg onload=alert(4)>`)
    await shop.send('wait', `javascript:alert(5)//${'x'.repeat(5_000)}`)
    await using window = await openWindow(browser, shop.link)
    const { page } = window
    await page.locator('.health-because', { hasText: html.slice(0, 20) }).waitFor()
    for (const name of pages) {
      await turnTo(page, name)
      await page.waitForSelector('.partition, .lane, td, .empty')
      assert.equal(await page.locator('#app img, #app script, #app svg[onload], #app b').count(), 0, name)
      assert.equal(
        await page.evaluate('document.documentElement.scrollWidth > innerWidth'),
        false,
        `${name} is too wide`,
      )
    }
    await turnTo(page, 'retries')
    const row = page.locator('tr', { hasText: 'orders-0@0' })
    await row.waitFor()
    const shown = await row.innerText()
    assert.ok(shown.includes('<img src=x onerror='), shown)
    const titles: string[] = await page.evaluate("[...document.querySelectorAll('tr code')].map((code) => code.title)")
    assert.ok(titles.includes(`${html}␛[2J␀`), titles.join('\n'))
    assert.ok(
      titles.some((title) => title.includes('␛[31mred␛[0m␇ ⟨202E⟩detrever')),
      titles.join('\n'),
    )
    await turnTo(page, 'partitions')
    await page.getByRole('button', { name: 'Pause key…' }).click()
    assert.ok((await page.getByRole('dialog').innerText()).includes('<img src=x'))
    await assertQuiet(window)
  })

  test('a foreign Host and a foreign Origin are refused', async () => {
    await using shop = await openShop()
    const { port } = new URL(shop.url)
    const cookie = `fanlane_${port}=${new URL(shop.link).searchParams.get('token')}`
    const ask = (method: string, path: string, headers: Record<string, string>): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const asked = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        asked.on('error', reject)
        asked.end(method === 'POST' ? '{"kind":"pause","topic":"orders"}' : undefined)
      })
    const json = { 'content-type': 'application/json', cookie }
    const own = `127.0.0.1:${port}`
    assert.equal(await ask('GET', '/api/hello', { host: own }), 200)
    for (const path of ['/', '/api/hello', '/api/history', '/page/main.js']) {
      assert.equal(await ask('GET', path, { host: `evil.example:${port}` }), 421, path)
    }
    assert.equal(await ask('POST', '/api/actions', { ...json, host: `evil.example:${port}` }), 421)
    assert.equal(await ask('POST', '/api/actions', { ...json, host: own, origin: 'http://evil.example' }), 403)
    assert.equal(await ask('POST', '/api/actions', { ...json, host: own, origin: `http://localhost:1` }), 403)
    assert.equal(await ask('POST', '/api/actions', { ...json, host: own, origin: `http://${own}` }), 200)
    for (const path of [
      '/page/../server.ts',
      '/page/%2e%2e/server.ts',
      '/page/tsconfig.json',
      '/lib/../package.json',
    ]) {
      assert.equal(await ask('GET', path, { host: own }), 404, path)
    }
  })

  test('as narrow as a telephone nothing is cut off, on every page', async () => {
    await using shop = await openShop({ partitions: 3 })
    await shop.send({ fail: `HTTP 503: ${'long '.repeat(60)}` }, `customer-${'long-'.repeat(40)}`)
    await shop.send('wait', 'slow')
    await using window = await openWindow(browser, shop.link, { viewport: { width: 390, height: 844 } })
    const { page } = window
    for (const name of pages) {
      await turnTo(page, name)
      await page.waitForSelector('.partition, .lane, td, .empty')
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390, name)
      const beyond = await page.evaluate(
        "[...document.querySelectorAll('main *')].filter((e) => e.getBoundingClientRect().right > 390.5).map((e) => e.className)",
      )
      assert.deepEqual(beyond, [], name)
    }
    await assertQuiet(window)
  })

  test('everything can be done with the keyboard', async () => {
    await using shop = await openShop()
    await shop.send('finish', 'a', 'b')
    await shop.send('wait', 'slow')
    await shop.send('finish', 'c')
    await using window = await openWindow(browser, `${shop.link}`)
    const { page } = window
    await page.waitForSelector('.health')
    const tabTo = async (what: string, isThere: () => Promise<boolean>): Promise<void> => {
      for (let presses = 0; presses < 60; presses++) {
        await page.keyboard.press('Tab')
        if (await isThere()) return
      }
      assert.fail(`Tab does not lead to ${what}`)
    }
    await page.keyboard.press('Tab')
    assert.equal(await focused(page), 'Skip to the content')
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate('document.activeElement.id'), 'main')
    await page.evaluate('document.activeElement.blur()')
    await tabTo('the link to the partitions', async () => (await focused(page)).startsWith('Partitions'))
    await page.keyboard.press('Enter')
    await page.locator('.sentence', { hasText: 'has held this back' }).waitFor()
    await tabTo('the strip', () => page.evaluate("document.activeElement.matches('.strip canvas')"))
    // The focus begins at the record that blocks.
    await page.locator('.tip', { hasText: 'offset 2: running · holds the position back' }).waitFor()
    await page.keyboard.press('ArrowRight')
    await page.locator('.tip', { hasText: 'offset 3: finished, not committed' }).waitFor()
    await page.keyboard.press('Home')
    await page.locator('.tip', { hasText: /offset 0: (committed|finished)/ }).waitFor()
    await tabTo('the button', async () => (await focused(page)) === 'Pause…')
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')
    assert.equal(outline, 'solid', 'the focus is seen')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    assert.equal(await focused(page), 'Cancel', 'Enter by mistake does nothing')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await until('it is paused', () => shop.consumer.snapshot().partitions[0]?.paused.includes('user'))
    await assertQuiet(window)
  })

  test('nothing moves on the screen while figures change', async (t) => {
    await using shop = await openShop({ partitions: 4 })
    await shop.send({ fail: '503' }, 'acme')
    await using window = await openWindow(browser, shop.link)
    const { page } = window
    const frames = async (): Promise<number> => Number(await page.evaluate('globalThis.frames'))
    for (const name of ['overview', 'partitions']) {
      await turnTo(page, name)
      await page.waitForSelector('.partition')
      const settled = (await frames()) + 2
      await until('everything has its size', async () => (await frames()) >= settled)
      await page.evaluate('globalThis.shifts = 0')
      for (let round = 0; round < 4; round++) {
        await shop.send('finish', ...Array.from({ length: 10 ** (round % 3) }, (_, i) => `k${i}`))
        await shop.send('wait', `w${name}${round}`)
        await until('a frame has come, with other figures', async () => (await frames()) > settled + round)
      }
      const shifts = Number(await page.evaluate('globalThis.shifts'))
      t.diagnostic(`${name}: layout shift ${shifts} in four frames`)
      assert.ok(shifts < 0.01, `${name}: layout shift ${shifts}`)
    }
    // The one who watches does see what moves.
    await page.evaluate(
      "document.querySelector('.page').prepend(Object.assign(document.createElement('h2'), { textContent: 'x' }))",
    )
    await until('the shift is counted', async () => Number(await page.evaluate('globalThis.shifts')) > 0.01)
    await assertQuiet(window)
  })

  test('a row that comes into sight says what is true now', async () => {
    await using shop = await openShop({ partitions: 20 })
    await using window = await openWindow(browser, `${shop.url}#/partitions?sort=name`)
    const { page } = window
    await page.locator('.partition').nth(19).waitFor({ state: 'attached' })
    const last = page.locator('.strip canvas').nth(19)
    const label = async (): Promise<string> => (await last.getAttribute('aria-label')) ?? ''
    assert.match(await label(), /^orders-19: .* nothing blocks/)
    await shop.send('wait', ...Array.from({ length: 200 }, (_, i) => `w${i}`))
    await page.locator('.strip canvas[aria-label*="blocked at 0"]').first().waitFor()
    await last.scrollIntoViewIfNeeded()
    await until('the last row has been told', async () => (await label()).includes('blocked at 0'))
    await assertQuiet(window)
  })

  test('while the process is gone the last figures stay, marked as old; when it is back, so is the page', async () => {
    const [port] = (await freePorts(1)) as [number]
    await using window = await (async () => {
      await using shop = await openShop({ port })
      await shop.send({ fail: '503' }, 'acme')
      const opened = await openWindow(browser, shop.url)
      await opened.page.locator('.health-because', { hasText: 'acme' }).waitFor()
      return opened
    })()
    const { page } = window
    await page.locator('.connection', { hasText: /connection lost, last seen \d+ s ago/ }).waitFor()
    assert.match(await page.locator('.health-because').innerText(), /acme/)
    assert.equal(await page.evaluate("getComputedStyle(document.querySelector('.page')).opacity"), '0.5')
    await using shop = await openShop({ port })
    await shop.send({ fail: '503' }, 'globex')
    await page.locator('.health-because', { hasText: 'globex' }).waitFor()
    await page.locator('.connection-live').waitFor()
    assert.equal(await page.evaluate("getComputedStyle(document.querySelector('.page')).opacity"), '1')
  })

  test('the slider shows the map of a moment ago, and Live the present again', async () => {
    await using shop = await openShop()
    await shop.send('wait', 'slow')
    await using window = await openWindow(browser, `${shop.link}#/partitions`)
    const { page } = window
    await until('the server remembers it', async () => {
      const answer = await fetch(`${shop.url}api/history?group=billing`)
      const { frames } = (await answer.json()) as History
      return frames.some(({ partitions }) => (partitions[0]?.blocking?.forMs ?? 0) > 1_000)
    })
    shop.release('slow')
    await page.locator('.sentence', { hasText: 'Everything is finished.' }).waitFor()
    const slider = page.getByRole('slider')
    await slider.focus()
    await page.keyboard.press('ArrowLeft')
    await page.locator('.replay-state', { hasText: /\d+ s ago/ }).waitFor()
    const held = page.locator('.sentence', { hasText: 'offset 0 (key slow) has held this back' })
    let seconds = 0
    await until('the slider has gone back to where it was held', async () => {
      seconds = (seconds + 2) % 60
      await slider.fill(String(-1_000 * seconds))
      return (await held.count()) > 0
    })
    assert.match((await slider.getAttribute('aria-valuetext')) ?? '', /s ago, \d\d:\d\d:\d\d/)
    assert.equal(await page.getByRole('button', { name: 'Pause…' }).count(), 0, 'the past is not steered')
    await page.getByRole('button', { name: 'Live' }).click()
    await page.locator('.sentence', { hasText: 'Everything is finished.' }).waitFor()
    await assertQuiet(window)
  })

  test('dark and light follow the system, until somebody chooses', async () => {
    await using shop = await openShop()
    await using window = await openWindow(browser, shop.url, { colorScheme: 'dark' })
    const { page } = window
    const ground = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor')
    await page.waitForSelector('.health')
    assert.equal(await ground(), 'rgb(14, 19, 26)')
    await page.emulateMedia({ colorScheme: 'light' })
    assert.equal(await ground(), 'rgb(246, 248, 250)')
    await page.getByRole('button', { name: 'Use dark colours' }).click()
    assert.equal(await ground(), 'rgb(14, 19, 26)')
    await page.reload()
    await page.waitForSelector('.health')
    assert.equal(await ground(), 'rgb(14, 19, 26)', 'the choice is kept')
    await assertQuiet(window)
  })
})
