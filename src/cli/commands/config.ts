/** `fanlane config`: the settings that count, and where each came from. Secrets are not shown. */
import type { Command } from 'commander'
import { shownSettings } from '../../config/resolve.ts'
import { contextOf } from '../context.ts'
import { shaded } from '../output/printer.ts'
import { type Flags, withConnection, withConsumerSettings } from '../settings.ts'

export function define(parent: Command): Command {
  const command = parent.command('config').option('--all', 'defaults as well')
  return withConsumerSettings(withConnection(command), () => false)
    .addHelpText(
      'after',
      `
Flags count first, then the environment, then the config file,
then defaults. Secrets are not shown.

Example: fanlane config --all`,
    )
    .action(run)
}

async function run(flags: Flags): Promise<void> {
  const { print, config } = await contextOf(flags)
  const all = shownSettings(config)
  const shown = all.filter(({ from }) => flags.all === true || from !== 'default')
  print.line(config.path === null ? 'No config file.' : `Config file: ${config.path}`)
  if (shown.length === 0) print.line('All settings are defaults; --all shows them.')
  else
    print.table(
      [
        { title: 'SETTING', of: ({ name }) => name },
        { title: 'VALUE', of: ({ value }) => value },
        { title: 'FROM', of: ({ from }) => from, style: (text) => shaded('faint', text) },
      ],
      shown,
    )
  print.result({
    file: config.path,
    settings: Object.fromEntries(all.map(({ name, value, from }) => [name, { value, from }])),
  })
}
