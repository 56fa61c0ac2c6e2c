/** `fanlane run`: a consumer from a module. Settings come from flags, environment and config file; an interrupt drains and commits. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Command, Option } from 'commander'
import { FanlaneError } from '../../errors.ts'
import { aborted, interruption, UsageError, whole } from '../command.ts'
import { type Context, contextOf } from '../context.ts'
import { number } from '../output/table.ts'
import { type Flags, withConnection, withConsumerSettings } from '../settings.ts'

const DASHBOARD_PORT = 4_000

export function define(parent: Command): Command {
  const command = parent
    .command('run [handler]')
    .option('--watch', 'load the module again when a file beside it changes')
    .option('--until-idle', 'end when all that is in the log is finished')
    .option('--dashboard [port]', `serve the dashboard (default port ${DASHBOARD_PORT})`, whole(0, 65_535))
    .addOption(new Option('--check', 'only load the module and the settings').hideHelp())
  withConnection(withConsumerSettings(command, (flag) => flag.startsWith('dashboard-port')))
  return command
    .addHelpText(
      'after',
      `
The module's default export is the handler:
  export default async (record, ctx) => { … }

Every setting is also one of the environment and of
fanlane.config.ts; secrets are only there. Ctrl-C drains,
commits and leaves; a second one leaves at once.

Example: fanlane run handler.ts --topic orders --group billing`,
    )
    .action(run)
}

async function run(given: string | undefined, flags: Flags): Promise<void> {
  const context = await contextOf(flags)
  const handler = given ?? (context.config.values.handler as string | undefined)
  if (handler === undefined) throw new UsageError('Which module has the handler? fanlane run handler.ts')
  const path = resolve(String(handler))
  if (!existsSync(path)) throw new FanlaneError('HANDLER_NOT_FOUND', `There is no module ${path}: check the path.`)
  const { consumerOptions } = await import('../run/consumer-options.ts')
  const options = {
    ...consumerOptions(withDashboard(context, flags), pathToFileURL(path).href),
  }
  if (flags.check === true) return check(options.handler as string, options.batch !== undefined)
  if (flags.watch === true) {
    const { runWatching } = await import('../run/watcher.ts')
    const [, , , ...args] = process.argv
    process.exitCode = await runWatching(
      path,
      args.filter((each) => each !== '--watch'),
    )
    return
  }
  await consumeUntilStopped(context, options, flags.untilIdle === true)
}

async function consumeUntilStopped(context: Context, options: object, isEndingIdle: boolean): Promise<void> {
  const { print } = context
  const { consume } = await import('../../consume.ts')
  const stop = interruption()
  // Started by `--watch`, which is gone: a consumer that nobody watches ends in good order.
  if (process.channel !== undefined)
    process.once('disconnect', () => process.kill(process.pid, 'SIGINT')).channel?.unref()
  // Somebody answers, or that is said now and not after a minute of retries.
  await (await context.admin()).close()
  const consumer = await consume(options as Parameters<typeof consume>[0])
  const { values } = context.config
  const topics = ((values.topics ?? []) as readonly unknown[]).map(String).join(', ')
  print.note(
    `fanlane: ${String(values.group)} reads ${topics} from ${context.brokers.join(', ')}; Ctrl-C drains and ends.`,
  )
  const idle = isEndingIdle ? consumer.idle() : new Promise<void>(() => undefined)
  idle.catch(() => undefined)
  await Promise.race([aborted(stop), idle, consumer.closed])
  await consumer.close()
  const { totals } = consumer.snapshot()
  print.line(
    `${number(totals.done)} done, ${number(totals.exhausted)} failed for good, ${number(totals.skipped)} skipped.`,
  )
  print.result({ isInterrupted: stop.aborted, totals })
}

/** The module, as the consumer would load it; an error of its own is thrown on. */
async function check(handler: string, isBatch: boolean): Promise<void> {
  const { loadHandler } = await import('../../engines/workers/inside/handler-module.ts')
  await loadHandler(handler, isBatch)
}

function withDashboard(context: Context, flags: Flags): Context {
  if (flags.dashboard === undefined) return context
  const port = flags.dashboard === true ? DASHBOARD_PORT : (flags.dashboard as number)
  const { config } = context
  const dashboard = { ...(config.values.dashboard as object | undefined), port }
  return { ...context, config: { ...config, values: { ...config.values, dashboard } } }
}
