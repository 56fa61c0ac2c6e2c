/**
 * Pictures of every page of the dashboard, in docs/images/: a real consumer with something to show, in a real browser. Wide in
 * light colours, some in dark ones too, and as narrow as a telephone. And of the demo's race, on its first page.
 * `shop` or `demo` as an argument makes only these.
 */
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, Page } from 'playwright-core'
import { launchChromium } from './browser/chromium.ts'
import { openRace } from './browser/race.ts'
import { openStage } from './browser/stage.ts'
import { root } from './files.ts'

const images = process.env.FANLANE_IMAGES ?? join(root, 'docs/images')
const pages = ['overview', 'partitions', 'lanes', 'retries', 'dead-letters', 'group', 'errors', 'config'] as const
type Name = (typeof pages)[number]
/** Long enough for charts with a shape, retries with a few attempts, and letters. */
const playMs = Number(process.env.FANLANE_PLAY_MS ?? 45_000)

/** What is on a page when it has got its figures. */
const ready: Readonly<Record<Name, string>> = {
  overview: '.partition',
  partitions: '.partition',
  lanes: '.lane',
  retries: 'td',
  'dead-letters': 'td, .empty',
  group: 'td',
  errors: 'td',
  config: 'td',
}

const wide = { width: 1280, height: 860 }
const narrow = { width: 390, height: 844 }

const browser = await launchChromium({ fonts: true })
try {
  const only = process.argv[2]
  if (only !== 'demo') await shootShop()
  if (only !== 'shop') await shootDemo()
} finally {
  await browser.close()
}

async function shootShop(): Promise<void> {
  const stage = await openStage()
  await sleep(playMs)
  for (const [ending, viewport, colorScheme, wanted] of [
    ['', wide, 'light', pages],
    ['-dark', wide, 'dark', ['overview', 'partitions']],
    ['-narrow', narrow, 'light', pages],
  ] as const) {
    const context = await browser.newContext({ viewport, colorScheme })
    await shootAll(context, stage.link, wanted, ending)
    await context.close()
  }
  await stage.close()
}

/** While the second one runs, and its chart has a shape. */
async function shootDemo(): Promise<void> {
  const race = await openRace()
  for (const [ending, viewport] of [
    ['', wide],
    ['-narrow', narrow],
  ] as const) {
    const context = await browser.newContext({ viewport, colorScheme: 'light' })
    const page = await context.newPage()
    await page.goto(race.url)
    await page.locator('.beside-ratio', { hasText: '×' }).waitFor({ timeout: 60_000 })
    await sleep(Math.max(1_200, race.shapeMs()))
    await shoot(page, `dashboard-demo${ending}`)
    await context.close()
  }
  await race.close()
}

async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync(images, { recursive: true })
  const file = join(images, `${name}.png`)
  await page.screenshot({ path: file })
  console.log(`${file.slice(root.length + 1)} ${Math.round(statSync(file).size / 1_024)} kB`)
}

async function shootAll(context: BrowserContext, link: string, wanted: readonly Name[], ending: string): Promise<void> {
  const page = await context.newPage()
  await page.goto(link)
  await page.waitForSelector('.health')
  if (ending === '') await act(page)
  for (const name of wanted) {
    await page.goto(`${new URL(page.url()).origin}/#/${name}`)
    await page.waitForSelector(ready[name])
    // Two frames, so that everything has its size.
    await sleep(1_200)
    await shoot(page, `dashboard-${name}${ending}`)
  }
}

/** So that the audit log has something to tell. */
async function act(page: Page): Promise<void> {
  await page.locator('.tile').getByRole('button', { name: 'Change…' }).click()
  await page.getByLabel('Handlers at once').fill('64')
  await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click()
  await page.locator('.outcome').getByRole('button').click()
}
