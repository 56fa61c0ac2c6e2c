/** The dead-letter box: what it shows, and that every letter goes back once, in order, whatever happens in between. */
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { after, before, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createProducer } from '../../src/create-producer.ts'
import { type DeadLetterBox, type Letter, openDeadLetterBox } from '../../src/dead-letters/box.ts'
import { FanlaneError, PermanentError } from '../../src/errors.ts'
import type { RawRecord } from '../../src/ports/log-client.ts'
import type { Producer, ProducerRecord } from '../../src/producer/index.ts'
import { type Target, unique } from '../support/targets.ts'
import { until, within } from '../support/wait.ts'
import { cleanUp } from './support/cleanup.ts'
import { committedAtLeast } from './support/committed.ts'
import { RawKafka } from './support/raw-kafka.ts'
import { run } from './support/runner.ts'

const main = fileURLToPath(new URL('support/redrive-main.ts', import.meta.url))

export function deadLetterBox(target: Target): void {
  const { brokers } = target
  let raw: RawKafka
  let producer: Producer
  let box: DeadLetterBox
  before(async () => {
    raw = await RawKafka.connect(brokers)
    producer = await createProducer({ brokers })
    box = await openDeadLetterBox({ brokers })
  })
  after(async () => {
    await box.close()
    await producer.close()
    await raw[Symbol.asyncDispose]()
  })

  /** A source topic and its dead-letter topic. */
  async function stage(partitions = 2): Promise<{ readonly topic: string; readonly dlq: string }> {
    const topic = unique('orders')
    await raw.createTopic(topic, partitions)
    await raw.createTopic(`${topic}.dlq`, partitions)
    return { topic, dlq: `${topic}.dlq` }
  }

  /** Letters as a consumer writes them, without the consumer. */
  function letter(topic: string, partition: number, offset: number, key: string, more: object = {}): ProducerRecord {
    return {
      topic: `${topic}.dlq`,
      key,
      value: `${key}:${offset}`,
      headers: [
        ['own', 'kept'],
        ...Object.entries({
          'fanlane-source-topic': topic,
          'fanlane-source-partition': String(partition),
          'fanlane-source-offset': String(offset),
          'fanlane-source-timestamp': '1',
          'fanlane-error-code': 'E',
          'fanlane-error-message': 'no',
          'fanlane-attempts': '3',
          'fanlane-group': 'g',
          ...more,
        }),
      ],
    }
  }

  /** What a reader of committed records sees, partition by partition, in the order of the log. */
  async function readAll(t: TestContext, topic: string, count: number, partitions = 2): Promise<RawRecord[]> {
    // The markers of a transaction come a moment after its end.
    await committedAtLeast(raw, topic, count)
    const records: RawRecord[] = []
    const { consumer } = await run(t, {
      brokers,
      partitions: Array.from({ length: partitions }, (_, partition) => ({ topic, partition, offset: 0 })),
      order: 'partition',
      handle: (record) => {
        records.push(record as RawRecord)
      },
    })
    await within('all is read', consumer.idle())
    await consumer.close()
    return records.sort((a, b) => a.partition - b.partition || a.offset - b.offset)
  }

  const values = (records: readonly RawRecord[]): string[] => records.map(({ value }) => String(value))

  test('R5 · letters of a consumer: topics, newest first in pages, one as a whole; nothing of them is hidden or invented', async (t) => {
    const { topic, dlq } = await stage()
    const sent = await producer.send(
      Array.from({ length: 7 }, (_, at) => ({ topic, key: `k${at % 3}`, value: `v${at}`, headers: { own: 'kept' } })),
    )
    const { consumer } = await run(t, {
      brokers,
      group: unique('g'),
      topics: [topic],
      handle: () => {
        throw new PermanentError('refused', { code: 'NO_WAY' })
      },
    })
    await within('all are letters', consumer.idle())
    await consumer.close()
    const mine = (await box.topics()).find((each) => each.topic === dlq)
    assert.equal(mine?.letters, 7)
    const seen: Letter[] = []
    let before: string | null | undefined
    do {
      const page = await box.list({ topic: dlq, count: 3, ...(before ? { before } : {}) })
      assert.ok(page.letters.length <= 3)
      seen.push(...page.letters)
      before = page.before
    } while (before !== null)
    assert.equal(seen.length, 7)
    assert.deepEqual(
      seen.map(({ at }) => at),
      seen.map(({ at }) => at).toSorted((a, b) => b - a),
    )
    const sources = seen.map(({ source }) => `${source?.partition}@${source?.offset}`).toSorted()
    assert.deepEqual(sources, sent.map(({ partition, offset }) => `${partition}@${offset}`).toSorted())
    for (const each of seen) {
      assert.deepEqual(
        [each.errorCode, each.errorMessage, each.attempts, each.redriven],
        ['NO_WAY', 'refused', 1, false],
      )
    }
    const [first] = seen
    const content = await box.show(first!)
    assert.match(content?.value ?? '', /^v\d$/)
    assert.ok(content?.headers.some(({ key, value }) => key === 'own' && value === 'kept'))
    assert.equal(await box.show({ ...first!, offset: 1_000_000 }), null)
    assert.equal((await box.list({ topic: dlq, count: 10, group: 'nobody' })).letters.length, 0)
  })

  test('R5 · redrive: source order within a key, behind what is there, our headers gone; a second run and a single letter again do nothing', async (t) => {
    const { topic, dlq } = await stage()
    await producer.send({ topic, partition: 1, key: 'a', value: 'later', headers: {} })
    // Out of order, as letters of an unordered consumer may be.
    await producer.send([5, 3, 4].map((offset) => letter(topic, 1, offset, 'a', { 'fanlane-redriven': 'once before' })))
    const first = (await box.list({ topic: dlq, count: 10 })).letters.at(-1)
    const dry = await box.redrive({ topic: dlq, dryRun: true })
    assert.deepEqual([dry.redriven, dry.letters?.length], [3, 3])
    assert.deepEqual(values(await readAll(t, topic, 1)), ['later'], 'a dry run writes nothing')
    const progress: number[] = []
    const done = await box.redrive({ topic: dlq, progress: (count) => progress.push(count) })
    assert.deepEqual([done.redriven, done.skipped, done.left, progress.at(-1)], [3, 0, [], 3])
    const back = await readAll(t, topic, 4)
    assert.deepEqual(values(back), ['later', 'a:3', 'a:4', 'a:5'])
    assert.ok(back.slice(1).every(({ partition, key }) => partition === 1 && String(key) === 'a'))
    for (const { headers } of back.slice(1)) {
      assert.deepEqual(
        headers.map(({ key }) => key),
        ['own', 'fanlane-redriven'],
      )
      assert.match(String(headers[1]?.value), new RegExp(`^${dlq.replaceAll('.', '\\.')}-\\d@\\d+$`))
    }
    assert.equal((await box.redrive({ topic: dlq })).redriven, 0)
    const again = await box.redrive({ topic: dlq, at: first! })
    assert.deepEqual([again.redriven, again.skipped, again.left[0]?.why], [0, 1, 'it has been redriven already'])
    await until('all are marked', async () => {
      const { letters } = await box.list({ topic: dlq, count: 10 })
      return letters.length === 3 && letters.every(({ redriven }) => redriven)
    })
    await producer.send(letter(topic, 0, 9, 'b'))
    assert.equal((await box.redrive({ topic: dlq })).redriven, 1, 'a new letter goes alone')
    assert.equal((await readAll(t, topic, 5)).length, 5)
  })

  test('R5 · a single letter goes before others, once: the rest follows without it', async (t) => {
    const { topic, dlq } = await stage(1)
    await producer.send([0, 1, 2, 3].map((offset) => letter(topic, 0, offset, `k${offset}`)))
    assert.equal((await box.redrive({ topic: dlq, at: { partition: 0, offset: 2 } })).redriven, 1)
    await until('it is marked, and no other', async () => {
      const { letters } = await box.list({ topic: dlq, count: 10 })
      const marked = letters.filter(({ redriven }) => redriven).map(({ offset }) => offset)
      return marked.length === 1 && marked[0] === 2
    })
    assert.equal((await box.redrive({ topic: dlq, at: { partition: 0, offset: 2 } })).redriven, 0)
    assert.equal((await box.redrive({ topic: dlq })).redriven, 3)
    assert.deepEqual(values(await readAll(t, topic, 4, 1)), ['k2:2', 'k0:0', 'k1:1', 'k3:3'])
    await assert.rejects(box.redrive({ topic: dlq, at: { partition: 0, offset: 99 } }), { code: 'LETTER_UNKNOWN' })
    await assert.rejects(box.redrive({ topic: dlq, at: { partition: 7, offset: 0 } }), { code: 'LETTER_UNKNOWN' })
  })

  test('R5 · letters that say nothing, or nonsense, stay and are named; when their topic is there, they go', async (t) => {
    const { topic, dlq } = await stage(1)
    const lost = unique('lost')
    const junk = Buffer.from([0xff, 0xfe, 0x00])
    await producer.send([
      { topic: dlq, key: null, value: null },
      { topic: dlq, key: junk, value: junk, headers: [['fanlane-source-topic', junk]] },
      letter(topic, 0, 0, 'bad', { 'fanlane-source-offset': '-1' }),
      letter(topic, 0, 0, 'bad', { 'fanlane-source-partition': '99999999999999999999' }),
      letter(topic, 0, 0, 'bad', { 'fanlane-source-topic': '../../etc/passwd' }),
      letter(topic, 0, 0, 'bad', { 'fanlane-source-topic': '__consumer_offsets' }),
      letter(topic, 0, 0, 'bad', { 'fanlane-source-topic': dlq }),
      letter(topic, 7, 0, 'bad'),
      { ...letter(lost, 0, 0, 'lost'), topic: dlq },
      letter(topic, 0, 1, 'good', { 'fanlane-attempts': 'many', 'fanlane-error-message': 'x'.repeat(100_000) }),
    ])
    const { letters } = await box.list({ topic: dlq, count: 100 })
    assert.equal(letters.length, 10)
    assert.ok(letters.every(({ errorMessage }) => (errorMessage?.length ?? 0) <= 2_001))
    assert.equal((await box.show({ topic: dlq, partition: 0, offset: 1 }))?.value, `base64:${junk.toString('base64')}`)
    const done = await box.redrive({ topic: dlq })
    assert.deepEqual([done.redriven, done.skipped, done.left.length], [1, 9, 9])
    assert.match(done.left.at(-1)?.why ?? '', new RegExp(`no topic '${lost}'`))
    await raw.createTopic(lost, 1)
    const after = await box.redrive({ topic: dlq })
    assert.deepEqual([after.redriven, after.skipped], [1, 8])
    assert.deepEqual(values(await readAll(t, topic, 1, 1)), ['good:1'])
    assert.deepEqual(values(await readAll(t, lost, 1, 1)), ['lost:0'])
    await assert.rejects(box.list({ topic: dlq, count: 5, before: 'rubbish' }), { code: 'CURSOR_INVALID' })
    await assert.rejects(box.list({ topic: unique('absent'), count: 5 }), { code: 'UNKNOWN_TOPIC_OR_PARTITION' })
  })

  /** Every letter once, and each key in the order of its source. */
  function assertOnce(records: readonly RawRecord[], count: number): void {
    const byKey = Map.groupBy(records, ({ key }) => String(key))
    for (const [key, own] of byKey) {
      const offsets = own.map(({ value }) => Number(String(value).split(':')[1]))
      assert.deepEqual(
        offsets,
        offsets.toSorted((a, b) => a - b),
        `${key} is in order`,
      )
    }
    assert.equal(new Set(values(records)).size, records.length, 'no letter twice')
    assert.equal(records.length, count, 'no letter lost')
  }

  async function manyLetters(count: number): Promise<{ readonly topic: string; readonly dlq: string }> {
    const staged = await stage()
    const padding = 'x'.repeat(500)
    const letters = Array.from({ length: count }, (_, at) => {
      const key = `k${at % 10}`
      return {
        ...letter(staged.topic, at % 2, at, key),
        headers: [...(letter(staged.topic, at % 2, at, key).headers as []), ['pad', padding] as const],
      }
    })
    for (let at = 0; at < letters.length; at += 1_000) await producer.send(letters.slice(at, at + 1_000))
    return staged
  }

  test('R5 I9 · killed with -9 in the middle of a redrive, again and again: every letter goes once, in order', async (t) => {
    const count = 6_000
    const { topic, dlq } = await manyLetters(count)
    let kills = 0
    for (let round = 0; round < 20; round++) {
      const child = fork(main, [JSON.stringify({ brokers, topic: dlq })], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      })
      const ended = once(child, 'exit')
      cleanUp(t, async () => {
        child.kill('SIGKILL')
        await ended
      })
      let reports = 0
      child.on('message', (news: { readonly done?: number }) => {
        if (news.done !== undefined && ++reports === 2 && round < 3) child.kill('SIGKILL')
      })
      const [, signal] = (await within('the redrive ends', ended)) as [number | null, string | null]
      if (signal === null) break
      kills++
    }
    assert.equal(kills, 3)
    assertOnce(await readAll(t, topic, count), count)
  })

  test('R5 I9 X3 · two redrives at once: one takes over from the other, and no letter goes twice', async (t) => {
    const count = 3_000
    const { topic, dlq } = await manyLetters(count)
    const other = await openDeadLetterBox({ brokers })
    cleanUp(t, () => other.close())
    const second = Promise.withResolvers<unknown>()
    let hasBegun = false
    const outcomeOf = (redrive: Promise<{ readonly redriven: number }>): Promise<unknown> =>
      redrive.then(
        ({ redriven }) => redriven,
        (error: unknown) => (error instanceof FanlaneError ? error.code : error),
      )
    const first = outcomeOf(
      box.redrive({
        topic: dlq,
        progress: (done) => {
          if (hasBegun || done === 0) return
          hasBegun = true
          second.resolve(outcomeOf(other.redrive({ topic: dlq })))
        },
      }),
    )
    const outcomes = await within('both end', Promise.all([first, second.promise]))
    // The one that is fenced does not say how many went: whoever comes last finds nothing left.
    assert.equal(outcomes[0], 'REDRIVE_TAKEN_OVER')
    assert.ok(typeof outcomes[1] === 'number' && outcomes[1] > 0, String(outcomes[1]))
    assert.equal((await box.redrive({ topic: dlq })).redriven, 0)
    assertOnce(await readAll(t, topic, count), count)
  })

  test('R5 · an interrupt ends between two transactions; the next run goes on', async (t) => {
    const { topic, dlq } = await manyLetters(1_500)
    const stop = new AbortController()
    const some = await box.redrive({ topic: dlq, signal: stop.signal, progress: () => stop.abort() })
    assert.ok(some.redriven > 0 && some.redriven < 1_500)
    const rest = await box.redrive({ topic: dlq })
    assert.equal(some.redriven + rest.redriven, 1_500)
    assertOnce(await readAll(t, topic, 1_500), 1_500)
  })

  test('X6 · letters of transactions that are open or were aborted are not there', async () => {
    const { topic, dlq } = await stage(1)
    const writer = await createProducer({ brokers, transactionalId: unique('tx') })
    const gone = writer.transaction(async (tx) => {
      await tx.send(letter(topic, 0, 0, 'aborted'))
      throw new Error('no')
    })
    await assert.rejects(gone, /no/)
    await writer.transaction((tx) => tx.send(letter(topic, 0, 1, 'fine')))
    await writer.close()
    await until('the marker is there', async () => (await box.list({ topic: dlq, count: 10 })).letters.length === 1)
    const done = await box.redrive({ topic: dlq })
    assert.deepEqual([done.redriven, done.skipped], [1, 0])
    assert.equal((await box.redrive({ topic: dlq })).redriven, 0)
  })
}
