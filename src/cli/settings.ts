/** Settings as flags of a command: made from the one list in config/schema.ts. */
import { type Command, Option } from 'commander'
import { type Setting, settings } from '../config/schema.ts'
import { whole } from './command.ts'

/** Values of flags as commander gives them: by camel-case name. */
export type Flags = Readonly<Record<string, unknown>>

const CONNECTION = 'Connection:'
const SETTINGS = 'Settings:'

/** For every command that speaks to a cluster. */
export function withConnection(command: Command): Command {
  for (const setting of settings) {
    if (setting.isConnection) addFlag(command, setting, CONNECTION)
  }
  return command
    .addOption(new Option('--config <file>', 'settings (default: fanlane.config.ts here)').helpGroup(CONNECTION))
    .addOption(
      new Option('--timeout <ms>', 'for one question to the cluster (default 10000)')
        .argParser(whole(100, 3_600_000))
        .helpGroup(CONNECTION),
    )
    .addOption(new Option('--json', 'print one JSON object as the last line'))
}

/** For a command that runs a consumer: all the rest. */
export function withConsumerSettings(command: Command, isLeftOut: (flag: string) => boolean): Command {
  for (const setting of settings) {
    if (!setting.isConnection && setting.flag !== null && !isLeftOut(setting.flag)) addFlag(command, setting, SETTINGS)
  }
  return command
}

/** For a command that serves the dashboard and runs no consumer. */
export function withDashboardSettings(command: Command): Command {
  for (const setting of settings) if (setting.name.startsWith('dashboard.')) addFlag(command, setting, 'Dashboard:')
  return command
}

function addFlag(command: Command, { flag, kind, about, fallback, name }: Setting, group: string): void {
  if (flag === null) return
  const value = typeof kind === 'string' ? words[kind] : '<word>'
  const tail = fallback === '–' ? '' : ` (default ${fallback})`
  const option = new Option(`--${flag} ${value}`, `${about}${tail}`).helpGroup(group)
  // For help and completion; what is taken is decided where all settings are read, capital letters and all.
  if (typeof kind !== 'string') option.argChoices = [...kind]
  if (name === 'topics') option.argParser((text: string, before?: string) => (before ? `${before},${text}` : text))
  command.addOption(option)
}

const words = {
  text: '<text>',
  number: '<n>',
  'yes-no': '[yes|no]',
  list: '<list>',
  range: '<n>',
  start: '<where>',
  topics: '<topic>',
  file: '<file>',
} as const

/** Back from commander's names to those of the flags, as text. */
export function flagTexts(flags: Flags): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const { flag } of settings) {
    if (flag === null) continue
    const value = flags[flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())]
    if (value !== undefined) texts[flag] = String(value)
  }
  return texts
}
