/** Brokers that are away for a while, for ever, or do not let us in. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type BrokerOptions, type RunningBroker, startBroker } from '../../src/broker/index.ts'
import { PausableProxy } from '../support/pausable-proxy.ts'
import { until, within } from '../support/wait.ts'
import { cleanUp } from './support/cleanup.ts'
import { Ledger } from './support/ledger.ts'
import { RawKafka } from './support/raw-kafka.ts'
import { read } from './support/reader.ts'

const topic = 'orders'
const group = 'g'
const client = { heartbeatMs: 100, sessionTimeoutMs: 2_000, requestTimeoutMs: 1_000 }
const config = { 'group.initial.rebalance.delay.ms': '0', 'group.min.session.timeout.ms': '100' }

/** A broker with a disk: what is stopped can be started again. */
async function durable(t: TestContext): Promise<{ start: (port?: number) => Promise<RunningBroker> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fanlane-outage-'))
  cleanUp(t, async () => rmSync(dataDir, { recursive: true, force: true }))
  return {
    async start(port = 0) {
      const options: BrokerOptions = { dataDir, port, config, topics: { [topic]: 2 } }
      const broker = await startBroker(options)
      cleanUp(t, () => broker.close())
      return broker
    },
  }
}

test('Q12 I1 I7 · the only broker is down for a while: the consumer says so, waits, and goes on where it was', async (t) => {
  const { start } = await durable(t)
  const first = await start()
  let raw = await RawKafka.connect(first.brokers)
  for (const partition of [0, 1]) await raw.fill(topic, partition, 30)
  const ledger = new Ledger()
  const held = Promise.withResolvers<void>()
  const { consumer, notes } = await read(t, ledger, {
    brokers: first.brokers,
    group,
    topics: [topic],
    client,
    // One handler is still busy when the broker goes, and ends while it is away.
    work: ({ offset, partition }) => (offset === 29 && partition === 0 ? held.promise : undefined),
  })
  await until('59 are done', () => ledger.of('end').length === 59)
  await raw[Symbol.asyncDispose]()
  await first.close()
  await until('it says so', () => notes.lines.some(({ message }) => message.startsWith('cannot reach a broker')))
  held.resolve()
  await until('60 are done', () => ledger.of('end').length >= 60)
  assert.ok(notes.lines.filter(({ message }) => message.startsWith('cannot reach')).length <= 4, 'and not every time')
  const second = await start(first.port)
  raw = await RawKafka.connect(second.brokers)
  for (const partition of [0, 1]) await raw.fill(topic, partition, 30, 10, 30)
  await until('all is done', () => ledger.hasAll(topic, [60, 60]))
  await within('idle', consumer.idle())
  await consumer.close()
  ledger.assertComplete(topic, [60, 60])
  ledger.assertKeyOrder()
  for (const { position } of await raw.stored(group)) assert.equal(position, 60)
  await raw[Symbol.asyncDispose]()
})

test('I7 · nobody is there at first: consume() resolves, and reads when somebody comes', async (t) => {
  const { start } = await durable(t)
  const { port, brokers, close } = await start()
  await close()
  const ledger = new Ledger()
  const { consumer } = await read(t, ledger, { brokers, group, topics: [topic], client })
  const second = await start(port)
  const raw = await RawKafka.connect(second.brokers)
  await raw.fill(topic, 0, 10)
  await until('it is read', () => ledger.hasAll(topic, [10]))
  await consumer.close()
  await raw[Symbol.asyncDispose]()
})

for (const [how, isSilent] of [
  ['does not answer', true],
  ['is gone', false],
] as const) {
  test(`R7 · close() returns within closeMs while the broker ${how}, with work that is not committed`, async (t) => {
    const port = await freePort()
    const proxy = await PausableProxy.start(port)
    cleanUp(t, () => proxy.stop())
    // The broker sends its clients to the proxy.
    const broker = await startBroker({ config, topics: { [topic]: 1 }, advertised: { port } })
    cleanUp(t, () => broker.close())
    const address = `127.0.0.1:${broker.port}`
    proxy.target = address
    const raw = await RawKafka.connect([address])
    await raw.fill(topic, 0, 10)
    await raw[Symbol.asyncDispose]()
    const ledger = new Ledger()
    const held = Promise.withResolvers<void>()
    const { consumer } = await read(t, ledger, {
      brokers: [`127.0.0.1:${port}`],
      group,
      topics: [topic],
      client: { ...client, requestTimeoutMs: 2_500 },
      closeMs: 1_500,
      work: ({ offset }) => (offset === 9 ? held.promise : undefined),
    })
    await until('nine are done', () => ledger.of('end').length === 9)
    if (isSilent) proxy.pause()
    else await proxy.stop()
    held.resolve()
    await until('ten are done', () => ledger.of('end').length === 10)
    const startMs = performance.now()
    await within('close', consumer.close(), 4_000)
    const tookMs = performance.now() - startMs
    assert.ok(tookMs < 1_500 + 1_000, `${tookMs} ms`)
  })
}

test('G6 · a wrong password: the consumer stops with an error that says it', async (t) => {
  const { broker } = await embeddedWithLogin(t)
  const ledger = new Ledger()
  const sasl = { mechanism: 'scram-sha-256', username: 'alice', password: 'guess-me-not' } as const
  const { consumer, notes } = await read(t, ledger, {
    brokers: broker.brokers,
    group,
    topics: [topic],
    client: { ...client, sasl },
  })
  await within(
    'it stops',
    assert.rejects(consumer.closed, (error: Error & { code: string }) => {
      assert.equal(error.code, 'AUTHENTICATION_FAILED')
      assert.match(error.message, /password|alice|SCRAM/)
      return true
    }),
  )
  assert.doesNotMatch(
    JSON.stringify(notes.lines, (_, value) => (value instanceof Error ? value.message : value)),
    /guess-me-not/,
  )
})

test('G6 · the right password, and none at all', async (t) => {
  const { broker } = await embeddedWithLogin(t)
  const ledger = new Ledger()
  const sasl = { mechanism: 'scram-sha-256', username: 'alice', password: 'wonderland' } as const
  const right = await read(t, ledger, { brokers: broker.brokers, group, topics: [topic], client: { ...client, sasl } })
  await within('idle', right.consumer.idle())
  const none = await read(t, ledger, { brokers: broker.brokers, group: 'other', topics: [topic], client })
  await until('it says what may be missing', () =>
    none.notes.lines.some(({ fields }) => /sasl|login/.test(String((fields.error as Error | undefined)?.message))),
  )
})

async function embeddedWithLogin(t: TestContext): Promise<{ broker: RunningBroker }> {
  const broker = await startBroker({ config, topics: { [topic]: 1 }, sasl: { users: { alice: 'wonderland' } } })
  cleanUp(t, () => broker.close())
  return { broker }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
