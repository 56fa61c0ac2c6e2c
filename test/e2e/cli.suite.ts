/** Commands that look at a cluster and write to it, as processes, on any cluster. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { consume } from '../../src/consume.ts'
import { PermanentError } from '../../src/errors.ts'
import { type Target, unique } from '../support/targets.ts'
import { until, within } from '../support/wait.ts'
import { directory, type Ended, fanlane, type RunOptions } from './cli-support.ts'
import { notebook } from './support.ts'

export function commands(target: Target): void {
  const brokers = target.brokers.join(',')
  const env = { KAFKA_BROKERS: brokers }
  const run = (args: readonly string[], options: RunOptions = {}): Promise<Ended> =>
    fanlane(args, { ...options, env: { ...env, ...options.env } })
  const must = async (args: readonly string[], options: RunOptions = {}): Promise<Ended> => {
    const ended = await run(args, options)
    assert.equal(ended.code, 0, `${args.join(' ')}\n${ended.out}${ended.err}`)
    return ended
  }

  test('Q1 Q2 · a topic is made, written to, read in all formats, described, changed and deleted', async () => {
    const topic = unique('cli')
    const created = await must([
      'topics',
      'create',
      topic,
      '--partitions',
      '2',
      '--set',
      'retention.ms=3600000',
      '--json',
    ])
    assert.equal(created.json<{ created: { name: string } }>().created.name, topic)
    const wrote = await must(['produce', topic, '--key-separator', ':', '--header', 'a=b', '--json'], {
      input: 'ada:1\r\nbob:2\nada:\u{1b}[31mred',
    })
    assert.equal(wrote.json<{ records: number }>().records, 3)
    const read = await must(['consume', topic, '--json'])
    const lines = read.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { key: string; value: string; headers: [] })
    assert.deepEqual(lines.at(-1), { topics: [topic], records: 3 })
    const ada = lines.filter(({ key }) => key === 'ada')
    assert.deepEqual(
      ada.map(({ value }) => value),
      ['1', '\u{1b}[31mred'],
    )
    assert.deepEqual(ada[0]?.headers, [{ key: 'a', value: 'b' }])
    assert.equal((await must(['consume', topic, '--key', 'ada', '--max', '1', '--format', 'key=value'])).out, 'ada=1\n')
    assert.match(
      (await must(['consume', topic, '--key', 'bob', '--format', 'hex'])).out,
      /value: 1 bytes\n {2}00000000 {2}32 /,
    )
    const listed = await must(['topics', '--json'])
    assert.ok(listed.json<{ topics: { name: string }[] }>().topics.some(({ name }) => name === topic))
    const described = await must(['topics', 'describe', topic])
    assert.match(described.out, /PARTITION +FROM +TO +RECORDS/)
    const config = await must(['topics', 'config', topic, '--set', 'retention.ms=7200000', '--json'])
    assert.equal(config.json<{ configs: Record<string, string> }>().configs['retention.ms'], '7200000')
    assert.equal((await run(['topics', 'delete', topic])).code, 2, 'not without --yes')
    await must(['topics', 'delete', topic, '--yes'])
  })

  test('produce: JSON lines from a file, a rate; a line that is none says which', async (t) => {
    const topic = unique('cli')
    await must(['topics', 'create', topic, '--partitions', '1'])
    const file = join(directory(t), 'in.jsonl')
    writeFileSync(
      file,
      '{"key":"a","value":{"n":1},"headers":{"h":"1"}}\n{"key":null,"value":null}\n{"value":"base64:/w=="}\n',
    )
    await must(['produce', topic, '--format', 'json', '--file', file, '--rate', '1000'])
    const read = await must(['consume', topic, '--json'])
    const values = read.out
      .trimEnd()
      .split('\n')
      .slice(0, 3)
      .map((line) => (JSON.parse(line) as { value: unknown }).value)
    assert.deepEqual(values, ['{"n":1}', null, 'base64:/w=='])
    const bad = await run(['produce', topic, '--format', 'json', '--json'], { input: '{"value":"x"}\nnot json\n' })
    assert.equal(bad.code, 1)
    assert.deepEqual(bad.json(), { error: { code: 'INPUT_INVALID', message: 'Line 2 is no JSON.' } })
  })

  test('P6 P9 · groups, lag, offsets with the map, reset with a dry run, delete', async () => {
    const topic = unique('cli')
    const group = unique('g')
    await must(['topics', 'create', topic, '--partitions', '1'])
    await must(['produce', topic, '--key-separator', ':'], {
      input: Array.from({ length: 40 }, (_, at) => `k${at}:${at}`).join('\n'),
    })
    const never = new Promise<void>(() => undefined)
    const consumer = await consume({
      brokers: target.brokers,
      group,
      topics: [topic],
      logger: notebook(),
      commit: { everyMs: 50 },
      closeMs: 200,
      // Two records hold the position back; the others are finished after it.
      handle: ({ offset }) => (offset === 3 || offset === 20 ? never : undefined),
    })
    await until('the map is committed', () => consumer.snapshot().partitions[0]?.map.entries === 35)
    await consumer.commit()
    const described = await must(['groups', 'describe', group, '--json'])
    assert.equal(described.json<{ members: unknown[] }>().members.length, 1)
    await consumer.close()
    const offsets = await must(['offsets', '--group', group, '--json'])
    const [partition] = offsets.json<{
      partitions: { position: number; lag: number; ahead: number; map: { runs: number[] } }[]
    }>().partitions
    assert.deepEqual([partition?.position, partition?.lag, partition?.ahead], [3, 37, 35])
    assert.deepEqual(partition?.map.runs, [1, 16, 1, 19])
    const picture = await must(['offsets', '--group', group], { env: { COLUMNS: '40' } })
    assert.match(picture.out, /█+/)
    assert.match(picture.out, /░ not finished/)
    for (const line of picture.out.split('\n')) assert.ok(line.length <= 40, line)
    assert.ok(!picture.out.includes('\u{1b}'), 'no colours where there is no terminal')
    const lag = await must(['lag', '--group', group, '--json'])
    assert.deepEqual([lag.json<{ lag: number; left: number }>().lag, lag.json<{ left: number }>().left], [37, 2])
    const top = await must(['top', '--looks', '1', '--json'], { env: { KAFKA_GROUP_ID: group } })
    assert.equal(top.json<{ lag: number }>().lag, 37)
    const dry = await must(['groups', 'reset', group, '--to', 'earliest', '--dry-run', '--json'])
    assert.deepEqual(dry.json<{ moves: unknown }>().moves, [{ topic, partition: 0, from: 3, to: 0 }])
    await must(['groups', 'reset', group, '--to', '+5', '--yes'])
    const moved = await must(['offsets', '--group', group, '--json'])
    const after = moved.json<{ partitions: { position: number; map: null }[] }>().partitions[0]
    assert.deepEqual([after?.position, after?.map], [8, null], 'the map of the old position is gone')
    await must(['groups', 'delete', group, '--yes'])
    const gone = await run(['offsets', '--group', group, '--json'])
    assert.deepEqual([gone.code, gone.json<{ error: { code: string } }>().error.code], [1, 'GROUP_UNKNOWN'])
  })

  test('R5 · dlq: ls, show, a dry run, redrive, and again', async () => {
    const topic = unique('cli')
    await must(['topics', 'create', topic, '--partitions', '1'])
    await must(['produce', topic, '--key', 'evil\u{1b}[2J'], { input: 'a\nb\n' })
    const consumer = await consume({
      brokers: target.brokers,
      group: unique('g'),
      topics: [topic],
      logger: notebook(),
      handle: () => {
        throw new PermanentError('no', { code: 'NO' })
      },
    })
    await within('letters', consumer.idle())
    await consumer.close()
    const dlq = `${topic}.dlq`
    const list = await must(['dlq', 'ls', dlq])
    assert.match(list.out, new RegExp(`${dlq}-0@0 .*evil␛\\[2J`))
    const shown = await must(['dlq', 'show', `${dlq}-0@1`, '--json'])
    assert.equal(shown.json<{ value: string }>().value, 'b')
    assert.equal((await run(['dlq', 'redrive', dlq])).code, 2, 'not without --yes')
    assert.equal((await must(['dlq', 'redrive', dlq, '--dry-run', '--json'])).json<{ redriven: number }>().redriven, 2)
    assert.equal(
      (await must(['dlq', 'redrive', `${dlq}-0@1`, '--yes', '--json'])).json<{ redriven: number }>().redriven,
      1,
    )
    assert.equal((await must(['dlq', 'redrive', dlq, '--yes', '--json'])).json<{ redriven: number }>().redriven, 1)
    assert.match((await must(['dlq', 'redrive', dlq, '--yes'])).out, /^0 redriven/m)
    await until('the markers are there', async () => {
      const read = await must(['consume', topic])
      return read.out === 'a\nb\nb\na\n' || undefined
    })
  })

  test('doctor: fine is 0; a topic that is missing and a map that is too large are wrong, and say what to change', async () => {
    const fine = await run(['doctor', '--json'])
    assert.equal(fine.code, 0, fine.out)
    const findings = fine.json<{ findings: { check: string; state: string }[] }>().findings
    for (const check of ['brokers', 'offset map', 'permissions', 'transactions', 'clock']) {
      assert.ok(
        findings.some((each) => each.check === check),
        check,
      )
    }
    const ill = await run(['doctor', '--topic', unique('absent')], { env: { FANLANE_COMMIT_MAP_MAX_CHARS: '100000' } })
    assert.equal(ill.code, 1)
    assert.match(ill.out, /WRONG topic .*\n +→ fanlane topics create/)
    assert.match(ill.out, /WRONG offset map.*\n +→ set commit.mapMaxChars to \d+/)
    const none = await run(['doctor', '--json'], { env: { KAFKA_BROKERS: '127.0.0.1:1' } })
    assert.equal(none.code, 1)
    assert.match(none.out, /BROKERS_UNREACHABLE/)
  })
}
