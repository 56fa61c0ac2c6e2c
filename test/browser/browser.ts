/** A real Chromium for tests of the dashboard's page. Where there can be none, one skipped test says so, loudly. */
import assert from 'node:assert/strict'
import { after, describe } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { launchChromium } from '../../scripts/browser/chromium.ts'
import { ServerUnavailable } from '../../scripts/servers/debian.ts'
import { loudly } from '../support/targets.ts'

const suiteTimeoutMs = 180_000

export async function onChromium(suite: (browser: Browser) => void): Promise<void> {
  const browser = await launched()
  if (browser === null) return
  describe(`in Chromium ${browser.version()}`, { timeout: suiteTimeoutMs }, () => {
    suite(browser)
    // Behind those of the suite, which run first.
    after(() => browser.close())
  })
}

async function launched(): Promise<Browser | null> {
  try {
    return await launchChromium()
  } catch (error) {
    if (!(error instanceof ServerUnavailable)) throw error
    loudly(`NOT RUN IN CHROMIUM: ${error.message}`)
    return null
  }
}

export interface Window {
  readonly page: Page
  /** Everything that a page must not do: errors, violations of its policy, dialogs. */
  readonly complaints: string[]
  [Symbol.asyncDispose](): Promise<void>
}

/** A browser of its own for one test: no cookie and no choice of another one. */
export async function openWindow(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Window> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options })
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.addInitScript(`
    globalThis.violations = []
    addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective + ' ' + event.blockedURI))
    globalThis.frames = 0
    globalThis.EventSource = class extends EventSource {
      constructor(url) {
        super(url)
        globalThis.source = this
        this.addEventListener('frame', (event) => {
          frames++
          globalThis.lastFrame = event.data
        })
      }
    }
    globalThis.shifts = 0
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) shifts += entry.value
    }).observe({ type: 'layout-shift', buffered: true })
  `)
  await page.goto(url)
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() }
}

/** Another page of the same dashboard, without loading it anew. */
export async function turnTo(page: Page, name: string): Promise<void> {
  await page.evaluate(`location.hash = '#/${name}'`)
  await page.waitForSelector(`nav a[aria-current][href^="#/${name}"]`)
  await page.waitForSelector('main .page')
}

export async function assertQuiet({ page, complaints }: Window): Promise<void> {
  assert.deepEqual(await page.evaluate('globalThis.violations'), [])
  assert.deepEqual(complaints, [])
}
