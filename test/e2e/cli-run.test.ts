/** From nothing to a running consumer: init, run, run --watch, dev, bench, sim. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { root } from '../../scripts/files.ts'
import { type RunningBroker, startBroker } from '../../src/broker/index.ts'
import { createAdmin } from '../../src/create-admin.ts'
import { createProducer } from '../../src/create-producer.ts'
import type { Producer } from '../../src/producer/index.ts'
import { until } from '../support/wait.ts'
import { directory, fanlane, start } from './cli-support.ts'

/** `import 'fanlane'` in that directory is what is here. */
function installInto(where: string): void {
  const home = join(where, 'node_modules/fanlane')
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'package.json'), '{ "name": "fanlane", "type": "module", "exports": "./index.js" }')
  writeFileSync(join(home, 'index.js'), `export * from '${pathToFileURL(join(root, 'src/index.ts')).href}'\n`)
}

describe('consumers from the command line', { concurrency: 2 }, () => {
  let broker: RunningBroker
  let producer: Producer
  let env: { readonly KAFKA_BROKERS: string }
  before(async () => {
    broker = await startBroker({ topics: { orders: 2, watched: 1, work: 2 } })
    producer = await createProducer({ brokers: broker.brokers })
    env = { KAFKA_BROKERS: broker.brokers.join(',') }
  })
  after(async () => {
    await producer.close()
    await broker.close()
  })

  test('init: what it writes runs; it overwrites nothing unless told to', async (t) => {
    const where = join(directory(t), 'billing')
    const made = await fanlane(['init', where, '--json'])
    assert.equal(made.code, 0, made.err)
    installInto(where)
    await producer.send([{ topic: 'orders', key: 'ada', value: '{"total":3}' }])
    const ran = await fanlane(['run', 'handler.ts', '--until-idle', '--json'], { cwd: where, env })
    assert.equal(ran.code, 0, ran.err)
    assert.equal(ran.json<{ totals: { done: number } }>().totals.done, 1)
    assert.match(ran.err, /handled .*"key":"ada"/)
    const script = (JSON.parse(readFileSync(join(where, 'package.json'), 'utf8')) as { scripts: object }).scripts
    assert.deepEqual(script, { consume: 'fanlane run handler.ts' })
    writeFileSync(join(where, 'handler.ts'), 'mine')
    const again = await fanlane(['init', where, '--json'])
    assert.equal(again.code, 1)
    assert.equal(again.json<{ error: { code: string } }>().error.code, 'FILE_EXISTS')
    assert.equal(readFileSync(join(where, 'handler.ts'), 'utf8'), 'mine')
    assert.equal((await fanlane(['init', where, '--force'])).code, 0)
  })

  test('R7 G6 · run: flags over environment over file; threads; an interrupt drains, commits and leaves', async (t) => {
    const where = directory(t)
    writeFileSync(
      join(where, 'slow.mjs'),
      "export default async () => { console.log('began'); await new Promise((r) => setTimeout(r, 300)); console.log('ended') }\n",
    )
    writeFileSync(
      join(where, 'fanlane.config.json'),
      '{ "group": "from-file", "concurrency": 3, "limits": { "records": 50 } }',
    )
    await producer.send([{ topic: 'work', key: 'a', value: '1' }])
    const flags = ['run', 'slow.mjs', '--topic', 'work', '--engine', 'threads', '--workers', '1', '--json']
    const running = start(flags, { cwd: where, env: { ...env, KAFKA_GROUP_ID: 'from-env' } })
    await running.says(/began/)
    running.child.kill('SIGINT')
    const ended = await running.ended
    assert.equal(ended.code, 0, ended.err)
    assert.match(ended.out, /ended/)
    assert.equal(ended.json<{ totals: { done: number } }>().totals.done, 1)
    const admin = await createAdmin({ brokers: broker.brokers })
    t.after(() => admin.close())
    const committed = await admin.committed('from-env')
    assert.equal(
      committed.reduce((sum, { offset }) => sum + (offset ?? 0), 0),
      1,
    )
    const [group] = await admin.describeGroups(['from-env'])
    assert.deepEqual(group?.members, [])
  })

  test('run --watch: a broken module changes nothing and is shown; a good one takes over, and nothing runs twice', async (t) => {
    const where = directory(t)
    const handler = join(where, 'handler.mjs')
    const version = (name: string): string => `export default ({ value }) => { console.log('${name} ' + value) }\n`
    writeFileSync(handler, version('one'))
    const running = start(['run', 'handler.mjs', '--watch', '--topic', 'watched', '--group', 'watched'], {
      cwd: where,
      env,
    })
    t.after(() => running.child.kill('SIGKILL'))
    await producer.send({ topic: 'watched', value: 'a' })
    await running.says(/one a/)
    writeFileSync(handler, 'export default (')
    await running.says(/the old one goes on/)
    await producer.send({ topic: 'watched', value: 'b' })
    await running.says(/one b/)
    writeFileSync(handler, version('two'))
    await running.says(/starting anew/)
    await producer.send({ topic: 'watched', value: 'c' })
    await running.says(/two c/)
    running.child.kill('SIGINT')
    const { code, out } = await running.ended
    assert.equal(code, 0)
    assert.deepEqual(out.match(/^(one|two) \w$/gm), ['one a', 'one b', 'two c'])
  })

  test('dev: a broker that keeps its data, and the dashboard of whatever runs on it', async (t) => {
    const where = directory(t)
    const dev = (): ReturnType<typeof start> =>
      start(['dev', '--port', '0', '--dashboard', '0', '--topic', 'kept', '--json'], { cwd: where })
    const first = dev()
    const [line] = await first.says(/\{"brokers".*\}/)
    const ready = JSON.parse(line) as { brokers: string[]; dashboard: { url: string } }
    const writer = await createProducer({ brokers: ready.brokers })
    await writer.send({ topic: 'kept', value: 'still here' })
    await writer.close()
    const page = await fetch(ready.dashboard.url)
    assert.equal(page.status, 200)
    assert.match(await page.text(), /<html/i)
    first.child.kill('SIGINT')
    assert.equal((await first.ended).code, 0)
    const second = dev()
    const [again] = await second.says(/\{"brokers".*\}/)
    const brokers = (JSON.parse(again) as { brokers: string[] }).brokers.join(',')
    const read = await fanlane(['consume', 'kept', '--brokers', brokers])
    assert.equal(read.out, 'still here\n')
    second.child.kill('SIGINT')
    assert.equal((await second.ended).code, 0)
  })

  test('ui: the groups of a cluster on a page', async (t) => {
    const running = start(['ui', '--port', '0', '--json'], { env })
    t.after(() => running.child.kill('SIGKILL'))
    const [line] = await running.says(/\{"url".*\}/)
    const { url } = JSON.parse(line) as { url: string }
    await until('the page has groups', async () => {
      const hello = (await (await fetch(new URL('/api/hello', url))).json()) as { groups?: string[] }
      return (hello.groups?.length ?? 0) > 0
    })
    running.child.kill('SIGINT')
    assert.equal((await running.ended).code, 0)
  })

  test('bench and sim: one JSON object, and an exit code that means it', async () => {
    const bench = await fanlane(['bench', '--records', '300', '--seconds', '1', '--keys', '50', '--json'], { env })
    assert.equal(bench.code, 0, bench.err)
    const result = bench.json<{ factor: number; fanlane: { outOfOrder: number; records: number } }>()
    assert.deepEqual([result.fanlane.outOfOrder, result.fanlane.records], [0, 300])
    const sim = await fanlane(['sim', '--seed', '7', '--json'])
    assert.equal(sim.code, 0, sim.out)
    assert.equal(sim.json<{ ok: boolean }>().ok, true)
    const topics = await fanlane(['topics', '--json'], { env })
    assert.ok(!topics.out.includes('fanlane-bench'), 'it tidies up')
  })
})
