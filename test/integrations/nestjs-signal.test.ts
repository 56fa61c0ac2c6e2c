/** SIGTERM to a Nest process in the middle of work, as an orchestrator sends it: nothing is lost and nothing runs twice. */
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { startBroker } from '../../src/broker/index.ts'
import { consume, createProducer } from '../../src/index.ts'
import { notebook } from '../e2e/support.ts'
import { until, within } from '../support/wait.ts'

const COUNT = 40

test('R7 I1 · NestJS: a signal drains and commits before onApplicationShutdown', { timeout: 120_000 }, async (t) => {
  const broker = await startBroker({ topics: { orders: 4 } })
  t.after(() => broker.close())
  const brokers = broker.brokers
  const producer = await createProducer({ brokers })
  t.after(() => producer.close())
  await producer.send(
    Array.from({ length: COUNT }, (_, at) => ({ topic: 'orders', key: `k${at % 8}`, value: String(at) })),
  )
  const said: { begun?: number; ended?: number; shutDown?: boolean }[] = []
  const child = fork(new URL('./nest-main.ts', import.meta.url), [brokers.join(), 'billing', 'orders'], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  child.on('message', (message) => said.push(message as object))
  t.after(() => child.kill('SIGKILL'))
  const exit = once(child, 'exit')
  await until('four handlers are in the middle of it', () => said.filter((each) => 'begun' in each).length === 4)
  child.kill('SIGTERM')
  child.send('go')
  const [, signal] = await within('it ends', exit)
  assert.equal(signal, 'SIGTERM', 'Nest ends by the signal that it was given')
  const ended = said.flatMap((each) => (each.ended === undefined ? [] : [each.ended]))
  assert.equal(said.filter((each) => 'begun' in each).length, ended.length, 'what began has ended')
  const shutDown = said.findIndex((each) => 'shutDown' in each)
  assert.equal(shutDown, said.length - 1, 'handlers end before onApplicationShutdown')

  const rest: number[] = []
  const next = await consume({
    brokers,
    group: 'billing',
    topics: ['orders'],
    logger: notebook(),
    handle: ({ value }) => void rest.push(Number(value)),
  })
  await next.idle()
  await next.close()
  assert.deepEqual(
    [...ended, ...rest].toSorted((a, b) => a - b),
    Array.from({ length: COUNT }, (_, at) => at),
  )
})
