/** Dead letters as lines on stdout: whoever reads them has the whole record, and without a reader nothing is given up. */
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { after, before, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Target, unique } from '../support/targets.ts'
import { until } from '../support/wait.ts'
import { cleanUp } from './support/cleanup.ts'
import type { PoisonNews, PoisonSpec } from './support/poison-main.ts'
import { RawKafka } from './support/raw-kafka.ts'

const main = fileURLToPath(new URL('support/poison-main.ts', import.meta.url))

interface Line {
  readonly event_type: string
  readonly severity: string
  readonly id: string
  readonly source: { readonly topic: string; readonly partition: number; readonly offset: number }
  readonly error: { readonly code: string; readonly message: string }
  readonly part?: number
  readonly parts?: number
  readonly payload?: Payload
  readonly payload_part?: string
}

interface Payload {
  readonly key: { readonly data: string }
  readonly value: { readonly encoding: BufferEncoding; readonly data: string }
}

interface Printer {
  readonly child: ChildProcess
  readonly news: readonly PoisonNews[]
  /** What it has printed so far. */
  lines(): readonly Line[]
}

function start(t: TestContext, spec: PoisonSpec): Printer {
  const child = fork(main, [JSON.stringify(spec)], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const ended = once(child, 'exit')
  cleanUp(t, async () => {
    child.kill('SIGKILL')
    await ended
  })
  const news: PoisonNews[] = []
  let text = ''
  child.on('message', (each: PoisonNews) => news.push(each))
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  const lines = (): readonly Line[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line)
  return { child, news, lines }
}

function payloadOf(lines: readonly Line[]): Payload {
  const [first] = lines
  return first?.payload ?? (JSON.parse(lines.map(({ payload_part }) => payload_part).join('')) as Payload)
}

export function poisonLog(target: Target): void {
  let raw: RawKafka
  before(async () => {
    raw = await RawKafka.connect(target.brokers)
  })
  after(() => raw[Symbol.asyncDispose]())

  async function stage(): Promise<PoisonSpec> {
    const topic = unique('orders')
    await raw.createTopic(topic, 1)
    return { brokers: target.brokers, group: unique('group'), topic }
  }

  test('R5 R3 · lines on stdout have the whole record, in parts where it is long; the gap closes after them', async (t) => {
    const spec = await stage()
    const long = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 7) % 256))
    await raw.produce(spec.topic, 0, [
      { key: 'fine', value: 'x' },
      { key: 'poison', value: '{"a":1}' },
      { key: 'poison', value: long },
      { key: 'fine', value: 'y' },
    ])
    const { lines } = start(t, spec)
    await until('all is committed', async () => (await raw.position(spec.group, spec.topic, 0)) === 4)
    const byOffset = Map.groupBy(lines(), ({ source }) => source.offset)
    assert.deepEqual([...byOffset.keys()], [1, 2])
    const short = byOffset.get(1) ?? []
    assert.equal(short.length, 1)
    assert.deepEqual(
      [short[0]?.event_type, short[0]?.severity, short[0]?.error],
      ['POISON_PILL', 'ERROR', { code: 'REFUSED', message: 'password=[redacted] was refused' }],
    )
    assert.deepEqual([payloadOf(short).key.data, payloadOf(short).value.data], ['poison', '{"a":1}'])
    const parts = byOffset.get(2) ?? []
    assert.ok(parts.length > 5)
    assert.deepEqual(
      parts.map(({ part, parts: of, id }) => [part, of, id]),
      parts.map((_, at) => [at + 1, parts.length, parts[0]?.id]),
    )
    const { encoding, data } = payloadOf(parts).value
    assert.deepEqual(Buffer.from(data, encoding), long)
  })

  test('R5 I1 · nobody reads stdout any more: the record stays pending, visibly, and the next process writes it', async (t) => {
    const spec = await stage()
    await raw.produce(spec.topic, 0, [{ key: 'fine', value: 'x' }])
    const deaf = start(t, spec)
    await until('it runs', async () => (await raw.position(spec.group, spec.topic, 0)) === 1)
    deaf.child.stdout?.destroy()
    await raw.produce(spec.topic, 0, [
      { key: 'poison', value: 'p' },
      { key: 'fine', value: 'y' },
    ])
    await until(
      'it says that it tries again',
      () => deaf.news.filter(({ kind }) => kind === 'dead-letter-retry').length >= 3,
    )
    assert.ok(deaf.news.every(({ kind, code }) => kind === 'dead-letter-retry' && code === 'EPIPE'))
    assert.equal(await raw.position(spec.group, spec.topic, 0), 1)
    assert.equal(deaf.child.exitCode, null, 'and it lives')
    deaf.child.disconnect()
    await once(deaf.child, 'exit')
    const heard = start(t, spec)
    await until('all is committed', async () => (await raw.position(spec.group, spec.topic, 0)) === 3)
    assert.deepEqual(
      heard.lines().map(({ source }) => source.offset),
      [1],
    )
  })
}
