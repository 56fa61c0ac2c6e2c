/** `fanlane dev`: a broker that keeps its data, with the dashboard of all groups on it. */
import type { Command } from 'commander'
import { OptionError } from '../../errors.ts'
import { aborted, interruption, several, UsageError, whole } from '../command.ts'
import { contextOf } from '../context.ts'
import { serveDashboard } from '../dashboard.ts'
import { Printer } from '../output/printer.ts'
import { type Flags, withDashboardSettings } from '../settings.ts'
import { stderrLogger, topicOf } from './broker.ts'

const DATA_DEFAULT = './.fanlane'
const BROKER_PORT = 9_092
const DASHBOARD_PORT = 4_000

export function define(parent: Command): Command {
  return withDashboardSettings(parent.command('dev'))
    .option('--data <dir>', 'keep the log there', DATA_DEFAULT)
    .option('--port <p>', "the broker's; 0 takes any free one", whole(0, 65_535), BROKER_PORT)
    .option('--dashboard <p>', "the dashboard's; 0 takes any free one", whole(0, 65_535), DASHBOARD_PORT)
    .option('--no-dashboard', 'only the broker')
    .option('--topic <t[:n]>', 'create a topic with n partitions; repeatable', several)
    .option('--json', 'print one JSON object when it is ready')
    .addHelpText(
      'after',
      `
A Kafka of one node that keeps its data, and the dashboard of
all groups on it.

Example: fanlane dev --topic orders:8`,
    )
    .action(run)
}

async function run(flags: Flags): Promise<void> {
  const stop = interruption()
  const print = new Printer(flags.json === true)
  const dataDir = String(flags.data)
  const { startBroker } = await import('../../broker/start-broker.ts')
  const topics = Object.fromEntries(((flags.topic ?? []) as readonly string[]).map(topicOf))
  const broker = await startBroker({ port: flags.port as number, dataDir, topics, logger: stderrLogger }).catch(
    (error: unknown) => {
      throw error instanceof OptionError ? new UsageError(error.message) : error
    },
  )
  const ready = { brokers: broker.brokers, port: broker.port, dataDir, pid: process.pid }
  print.line(`broker     ${broker.brokers.join(', ')}  (${dataDir})`)
  try {
    if (flags.dashboard === false) {
      print.result({ ...ready, dashboard: null })
      await Promise.race([aborted(stop), broker.failed])
      return
    }
    const context = await contextOf({ ...flags, brokers: broker.brokers.join(','), topic: undefined })
    const wishes = { port: flags.dashboard as number, groups: [] }
    const served = serveDashboard(context, wishes, stop, ({ url, link }) => {
      print.line(`dashboard  ${link}`)
      print.result({ ...ready, dashboard: { url, link } })
    })
    const ending = await Promise.race([served, broker.failed])
    if (ending === undefined) return
    console.error(`fanlane: the broker has stopped by itself (${ending.code}).`)
    process.exitCode = 1
  } finally {
    await broker.close()
  }
}
