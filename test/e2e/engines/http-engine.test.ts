/** The engine of examples/http-engine, which knows nothing but the port: it passes the suite, and a consumer runs on it. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { HttpEngine, type PostedRecord } from '../../../examples/http-engine/http-engine.ts'
import { type Service, startService } from '../../../examples/http-engine/service.ts'
import { consume } from '../../../src/consume.ts'
import { engineConformance, instructionOf, MemoryLog } from '../../../src/testing/index.ts'
import { notebook } from '../support.ts'

/** What `conformanceHandler` does, in the words of an HTTP service. */
async function obey(record: PostedRecord, signal: AbortSignal) {
  if (record.headers.length > 0) return { sends: [{ ...record, topic: 'echo' }] }
  const instruction = instructionOf(record.value === null ? null : Buffer.from(record.value, 'base64'))
  if (instruction.do === 'fail') throw new Error('told to fail')
  if (instruction.do === 'slow') await sleep(instruction.ms ?? 0)
  if (instruction.do === 'wait') await new Promise((resolve) => signal.addEventListener('abort', resolve))
  return undefined
}

describe('an engine that posts records to an HTTP service', { timeout: 240_000 }, () => {
  let service: Service
  before(async () => {
    service = await startService(obey)
  })
  after(() => service.close())

  for (const { name, run } of engineConformance({
    create: () => new HttpEngine({ url: service.url, connections: 4 }),
  })) {
    test(`P1 · over HTTP: ${name}`, run)
  }

  test('P1 R4 R6 · a consumer on it: every record once, in order for each key, over no more connections than allowed', async () => {
    const seen: string[] = []
    const own = await startService(({ key, value, attempt }) => {
      const text = Buffer.from(value ?? '', 'base64').toString()
      if (Number(text) % 11 === 0 && attempt === 1) throw new Error('once')
      seen.push(`${Buffer.from(key ?? '', 'base64')} ${text}`)
      return undefined
    })
    const log = new MemoryLog({ t: 3 })
    for (let at = 0; at < 120; at++) log.append('t', { key: `k${at % 7}`, value: String(at) })
    const consumer = await consume({
      log,
      group: 'g',
      topics: ['t'],
      engine: new HttpEngine({ url: own.url, connections: 3 }),
      retry: { initialMs: 1 },
      logger: notebook(),
    })
    await consumer.idle()
    await consumer.close()
    await own.close()
    assert.equal(seen.length, 120)
    for (let key = 0; key < 7; key++) {
      const values = seen.filter((each) => each.startsWith(`k${key} `)).map((each) => Number(each.split(' ')[1]))
      assert.deepEqual(
        values,
        values.toSorted((a, b) => a - b),
      )
    }
    assert.ok(own.connectionsMost() <= 3, `${own.connectionsMost()} connections`)
  })
})
