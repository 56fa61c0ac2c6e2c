/** `fanlane bench`: the same records one at a time and with fanlane. What it made, it deletes. */
import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import type { RaceResult } from '../bench/race.ts'
import { interruption, whole } from '../command.ts'
import { type Context, contextOf } from '../context.ts'
import { progressOf } from '../output/progress.ts'
import { number } from '../output/table.ts'
import { type Flags, withConnection } from '../settings.ts'

const RECORDS = 20_000
const KEYS = 1_000
const PARTITIONS = 4
const HANDLER_MS = 5
const CONCURRENCY = 100
const SECONDS = 5

export function define(parent: Command): Command {
  return withConnection(parent.command('bench'))
    .option('--embedded', 'on an embedded broker; default where no brokers are given')
    .option('--records <n>', 'how many', whole(1, 10_000_000), RECORDS)
    .option('--keys <n>', 'of how many keys', whole(1, 10_000_000), KEYS)
    .option('--partitions <n>', 'in how many partitions', whole(1, 1_000), PARTITIONS)
    .option('--handler-ms <n>', 'how long a handler waits', whole(0, 60_000), HANDLER_MS)
    .option('--handlers <n>', 'how many handlers of fanlane at once', whole(1, 100_000), CONCURRENCY)
    .option('--seconds <n>', 'each of the two, at most', whole(1, 3_600), SECONDS)
    .addHelpText(
      'after',
      `
Writes records to a topic of its own, reads them one at a time
for each partition, then with fanlane, and deletes the topic.
Handlers wait and do nothing else: it shows what waiting costs,
not how fast your handler is.

Example: fanlane bench --handler-ms 20 --keys 100`,
    )
    .action(run)
}

async function run(flags: Flags): Promise<void> {
  const context = await contextOf(flags)
  const isEmbedded = flags.embedded === true || context.config.origins.get('brokers')?.kind === 'default'
  if (!isEmbedded) return measure(context, flags)
  const { startBroker } = await import('../../broker/index.ts')
  const broker = await startBroker({ isolate: true })
  try {
    await measure(await contextOf({ ...flags, brokers: broker.brokers.join(',') }), flags)
  } finally {
    await broker.close()
  }
}

async function measure(context: Context, flags: Flags): Promise<void> {
  const { print, brokers, client } = context
  const stop = interruption()
  const name = `fanlane-bench-${randomUUID().slice(0, 8)}`
  const admin = await context.admin()
  const groups = [`${name}-one`, `${name}-all`]
  try {
    await admin.createTopics([{ name, partitions: flags.partitions as number }])
    await fill(context, name, flags)
    const { race } = await import('../bench/race.ts')
    const common = {
      brokers,
      client,
      topic: name,
      handlerMs: flags.handlerMs as number,
      records: flags.records as number,
      secondsMax: flags.seconds as number,
      signal: stop,
    }
    const run = async (
      what: string,
      group: string,
      order: 'key' | 'partition',
      concurrency: number,
    ): Promise<RaceResult> => {
      const progress = progressOf(what)
      const show = (done: number): void => progress.show(done, common.records)
      const result = await race({ ...common, group, order, concurrency, progress: show })
      progress.end()
      print.line(
        `${what.padEnd(16)} ${number(result.perSecond).padStart(9)} records/s  (${number(result.records)} in ${result.seconds.toFixed(1)} s)`,
      )
      return result
    }
    const partitions = flags.partitions as number
    const serial = await run('one at a time', groups[0] ?? '', 'partition', partitions)
    if (stop.aborted) return
    const fanlane = await run('fanlane', groups[1] ?? '', 'key', flags.handlers as number)
    const factor = Number((fanlane.perSecond / Math.max(1, serial.perSecond)).toFixed(1))
    print.line(`${'ratio'.padEnd(16)} ${String(factor).padStart(9)} x; keys out of order: ${fanlane.outOfOrder}`)
    print.result({
      brokers,
      oneAtATime: serial,
      fanlane,
      factor,
      handlerMs: common.handlerMs,
      keys: flags.keys,
      partitions,
    })
    if (fanlane.outOfOrder > 0) process.exitCode = 1
  } finally {
    const { settled } = await import('../../admin/failures.ts')
    await settled(admin.deleteTopics([name]))
    await settled(admin.deleteGroups(groups))
    await admin.close()
  }
}

async function fill(context: Context, topic: string, flags: Flags): Promise<void> {
  const producer = await context.producer({ tune: 'throughput' })
  const [records, keys] = [flags.records as number, flags.keys as number]
  const value = Buffer.alloc(100, 'x')
  const LOT = 2_000
  for (let from = 0; from < records; from += LOT) {
    const lot = Array.from({ length: Math.min(LOT, records - from) }, (_, at) => ({
      topic,
      key: `k${(from + at) % keys}`,
      value,
    }))
    await producer.send(lot)
  }
  await producer.close()
}
