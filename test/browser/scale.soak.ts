/** A thousand partitions and a hundred thousand lanes: the page stays usable. Figures are told, never judged: machines differ. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBroker } from '../../src/broker/index.ts'
import { consume, createProducer } from '../../src/index.ts'
import { notebook } from '../e2e/support.ts'
import { until } from '../support/wait.ts'
import { assertQuiet, onChromium, openWindow, turnTo } from './browser.ts'

const partitions = 1_000
const lanes = 100_000
const perSend = 5_000
const measureMs = 3_000
const frameEveryMs = 250

/**
 * Time from one picture to the next, while frames come four times a second. How often the server sends them depends on how busy
 * it is: so the last real one is given to the page again and again, each time with other figures and another map.
 */
const measure = `new Promise((resolve) => {
  const given = JSON.parse(lastFrame)
  let n = 0
  const sending = setInterval(() => {
    n++
    given.at += ${frameEveryMs}
    given.overview.lag += 7
    for (const one of given.detail.partitions ?? given.detail.stuck ?? []) {
      one.lag += 3
      one.strip.cells = one.strip.cells.slice(1) + 'cfrwqu'[n % 6]
    }
    for (const lane of given.detail.hottest ?? []) lane.depth = 1 + ((lane.depth + n) % 50)
    source.dispatchEvent(new MessageEvent('frame', { data: JSON.stringify(given) }))
  }, ${frameEveryMs})
  const deltas = []
  let last = performance.now()
  const end = last + ${measureMs}
  const step = () => {
    const now = performance.now()
    deltas.push(now - last)
    last = now
    if (now < end) return requestAnimationFrame(step)
    clearInterval(sending)
    resolve(deltas)
  }
  requestAnimationFrame(step)
})`

await onChromium((browser) => {
  test('a thousand partitions and a hundred thousand lanes', async (t) => {
    const broker = await startBroker({ port: 0, topics: { wide: partitions } })
    const producer = await createProducer({ brokers: broker.brokers, tune: 'throughput' })
    const ended = new AbortController()
    const forever = new Promise<void>((resolve) => ended.signal.addEventListener('abort', () => resolve()))
    const consumer = await consume({
      brokers: broker.brokers,
      group: 'scale',
      topics: ['wide'],
      concurrency: 500,
      limits: { records: lanes * 2, bytes: 2 ** 30 },
      closeMs: 500,
      logger: notebook(),
      dashboard: { port: 0 },
      // One in ten ends, so that maps have holes; the others fill the lanes.
      handle: (record) => (Number(String(record.value)) % 10 === 0 ? undefined : forever),
    })
    try {
      for (let n = 0; n < lanes * 1.2; n += perSend) {
        await producer.send(
          Array.from({ length: perSend }, (_, i) => ({ topic: 'wide', key: `key-${n + i}`, value: String(n + i) })),
        )
      }
      await until('all lanes are there', () => consumer.snapshot().lanes.count >= lanes)
      await using window = await openWindow(browser, consumer.dashboard?.url ?? '')
      const { page } = window
      for (const name of ['overview', 'partitions', 'lanes']) {
        await turnTo(page, name)
        if (name === 'partitions') {
          await page.getByLabel('Show').selectOption('200')
          await until('200 rows', async () => (await page.locator('.partition').count()) === 200)
          assert.match(await page.locator('.pager-words').innerText(), /^1–200 of 1,000$/)
        } else await page.waitForSelector('.tile, .lane')
        await until('it has a frame of its own', () =>
          page.evaluate(`JSON.parse(globalThis.lastFrame ?? '{"detail":{}}').detail.page === '${name}'`),
        )
        await page.evaluate('globalThis.frames = 0')
        const deltas: number[] = await page.evaluate(measure)
        const frames = Number(await page.evaluate('globalThis.frames'))
        deltas.sort((one, other) => one - other)
        const at = (part: number): string => (deltas[Math.floor((deltas.length - 1) * part)] ?? 0).toFixed(1)
        t.diagnostic(
          `${name}: ${frames} frames, ${deltas.length} pictures in ${measureMs} ms; ms between two: p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, max ${at(1)}`,
        )
      }
      await turnTo(page, 'partitions')
      await page.getByLabel('Find').fill('wide-77')
      await page.locator('.pager-words', { hasText: '1–11 of 11' }).waitFor()
      await assertQuiet(window)
    } finally {
      ended.abort()
      await consumer.close()
      await producer.close()
      await broker.close()
    }
  })
})
