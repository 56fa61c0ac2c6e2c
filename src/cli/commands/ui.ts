/** `fanlane ui`: the dashboard of groups that others run. */
import type { Command } from 'commander'
import { interruption, several, whole } from '../command.ts'
import { contextOf, withAdmin } from '../context.ts'
import { serveDashboard } from '../dashboard.ts'
import { type Flags, withConnection, withDashboardSettings } from '../settings.ts'

const PORT_DEFAULT = 4_000

export function define(parent: Command): Command {
  return withDashboardSettings(withConnection(parent.command('ui')))
    .option('--group <group>', 'only this one; repeatable, default all', several)
    .option('--port <p>', '0 takes any free one', whole(0, 65_535), PORT_DEFAULT)
    .addHelpText(
      'after',
      `
The dashboard of groups that others run: what brokers know of
them. A consumer's own dashboard knows more: fanlane run
--dashboard, or consume({ dashboard }).

Example: fanlane ui --brokers kafka:9092 --group billing`,
    )
    .action(run)
}

async function run(flags: Flags): Promise<void> {
  const context = await contextOf({ ...flags, group: undefined })
  const { print } = context
  const stop = interruption()
  await withAdmin(context, async () => undefined)
  const named = (flags.group ?? []) as readonly string[]
  const configured = context.config.values.group as string | undefined
  const groups = named.length > 0 || configured === undefined ? named : [configured]
  await serveDashboard(context, { port: flags.port as number, groups }, stop, ({ url, link }) => {
    print.line(`The dashboard is at ${link}`)
    print.result({ url, link, pid: process.pid })
  })
}
