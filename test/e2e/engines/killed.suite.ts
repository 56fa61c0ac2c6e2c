/** Workers are killed at random under load, on a broker: nothing is lost, no key is out of order, no commit claims too much. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { consume } from '../../../src/consume.ts'
import { type Target, unique } from '../../support/targets.ts'
import { until, within } from '../../support/wait.ts'
import { cleanUp } from '../../wire/support/cleanup.ts'
import { Ledger } from '../../wire/support/ledger.ts'
import { RawKafka } from '../../wire/support/raw-kafka.ts'
import { watchCommits } from '../../wire/support/watch.ts'
import { notebook } from '../support.ts'
import { handlerFile, KINDS } from './support.ts'

const partitions = 4
const perPartition = 500
const keys = 40

export function killed(target: Target): void {
  const folder = mkdtempSync(join(tmpdir(), 'fanlane-killed-'))
  let raw: RawKafka
  before(async () => {
    raw = await RawKafka.connect(target.brokers)
  })
  after(async () => {
    await raw[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  for (const kind of KINDS) {
    test(`P1 X2 I9 · workers killed under load, exactly-once, ${kind}: every record has its output once`, async (t) => {
      const [topic, out, group] = [unique('orders'), unique('out'), unique('group')]
      await raw.createTopic(topic, 2)
      await raw.createTopic(out, 2)
      for (const partition of [0, 1]) await raw.fill(topic, partition, 200, keys)
      const file = join(folder, `once-${kind}`)
      writeFileSync(file, '')
      process.env.FANLANE_TEST_LEDGER = file
      process.env.FANLANE_TEST_OUT = out
      const ledger = new Ledger()
      ledger.include(file)
      const notes = notebook()
      const consumer = await consume({
        brokers: target.brokers,
        group,
        topics: [topic],
        delivery: 'exactly-once',
        engine: { kind, workers: 2 },
        handler: handlerFile('mortal'),
        retry: { attempts: 1_000, initialMs: 1, maxMs: 20 },
        logger: notes,
      })
      cleanUp(t, () => consumer.close())
      if (kind === 'processes') await killSome(ledger, () => ledger.hasAll(topic, [200, 200]), 4)
      await within('everything is committed', consumer.idle())
      delete process.env.FANLANE_TEST_OUT
      const wanted = [0, 1].flatMap((partition) => Array.from({ length: 200 }, (_, offset) => `${partition}@${offset}`))
      assert.deepEqual((await valuesOf(t, target.brokers, out)).toSorted(), wanted.sort())
      assert.ok(notes.lines.some(({ message }) => message.startsWith('a worker died')))
    })

    test(`P1 I1 I2 I2b I3 I8 · workers killed at random under load, ${kind}: nothing is lost, nothing is out of order`, async (t) => {
      const topic = unique('orders')
      const group = unique('group')
      const counts = Array.from({ length: partitions }, () => perPartition)
      await raw.createTopic(topic, partitions)
      for (const partition of counts.keys()) await raw.fill(topic, partition, perPartition, keys)
      const file = join(folder, kind)
      writeFileSync(file, '')
      process.env.FANLANE_TEST_LEDGER = file
      const ledger = new Ledger()
      ledger.include(file)
      const watch = watchCommits(raw, group, ledger)
      const notes = notebook()
      const consumer = await consume({
        brokers: target.brokers,
        group,
        topics: [topic],
        engine: { kind, workers: 3 },
        handler: handlerFile('mortal'),
        retry: { attempts: 1_000, initialMs: 1, maxMs: 20 },
        commit: { everyMs: 50 },
        concurrency: 60,
        logger: notes,
      })
      cleanUp(t, () => consumer.close())
      const isDone = (): boolean => ledger.hasAll(topic, counts)
      if (kind === 'processes') await killSome(ledger, isDone)
      await until('every record has ended', isDone)
      await within('everything is committed', consumer.idle())
      await watch.stop()
      const deaths = notes.lines.filter(({ message }) => message.startsWith('a worker died'))
      assert.ok(deaths.length >= 3, `${deaths.length} workers died`)
      ledger.assertComplete(topic, counts)
      ledger.assertKeyOrder(deaths.map(({ fields }) => String(fields.worker)))
      assert.equal(consumer.snapshot().totals.exhausted, 0)
      for (const partition of counts.keys()) {
        assert.equal(await raw.position(group, topic, partition), perPartition)
      }
    })
  }
}

/** Everything that was written to a topic, as a reader of committed records sees it. */
async function valuesOf(t: TestContext, brokers: readonly string[], topic: string): Promise<readonly string[]> {
  const values: string[] = []
  const consumer = await consume({
    brokers,
    group: unique('readers'),
    topics: [topic],
    logger: notebook(),
    handle: ({ value }) => values.push(String(value)),
  })
  cleanUp(t, () => consumer.close())
  await within('everything is read', consumer.idle())
  return values
}

/** kill -9 of a worker that has done something since the last time, again and again. */
async function killSome(ledger: Ledger, isDone: () => boolean, times = 12): Promise<void> {
  const gone = new Set<string>()
  while (gone.size < times && !isDone()) {
    await sleep(Math.random() * 60)
    const alive = [...new Set(ledger.of('end').map(({ member }) => member))].filter((member) => !gone.has(member))
    const victim = alive[Math.floor(Math.random() * alive.length)]
    if (victim === undefined) continue
    gone.add(victim)
    kill(Number(victim.replace('process ', '')))
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It may have ended by itself.
    assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH')
  }
}
