/** The tree of commands. Only the one that is called is there as a whole; of the others, what the overview says. */
import { Command, CommanderError, Help } from 'commander'
import { software } from '../cluster/net/software.ts'
import { catalog, entries } from './catalog.ts'

/** Nobody reads lines of 200 columns, and a pipe has no width. */
const HELP_COLUMNS_MAX = 90
const HELP_COLUMNS_DEFAULT = 72
/** Beside long flags there is this much room at least. */
const HELP_TEXT_LEAST = 20

/** With the command of this name, or with all of them. */
export async function programFor(name: string | undefined | 'all'): Promise<Command> {
  const program = new Command('fanlane')
    .description('The parallel consumer for Apache Kafka.')
    .usage('<command> [options]')
    .version(software.version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this')
    .helpCommand('help [command]', 'explain a command')
    .showHelpAfterError(name === undefined || name === 'all' ? true : usageHint(name))
    .exitOverride()
    .configureOutput({
      getOutHelpWidth: () => helpColumns(process.stdout),
      getErrHelpWidth: () => helpColumns(process.stderr),
      outputError: (text, write) => write(text.replace(/^error: (.)/, (_, first: string) => first.toUpperCase())),
    })
    .configureHelp({ subcommandTerm, minWidthToWrap: HELP_TEXT_LEAST })
    .addHelpText('after', '\nfanlane <command> --help tells the rest.')
  for (const [heading, group] of Object.entries(catalog)) {
    program.commandsGroup(heading)
    for (const entry of group) {
      if (name !== 'all' && entry.name !== name) program.command(entry.name).description(entry.about).usage('[options]')
      else (await entry.load()).define(program).description(entry.about)
    }
  }
  return program
}

/** After a mistake: a command with fifty options does not print them all. */
export function usageHint(name: string): string {
  return `\nUsage: fanlane ${name} [options]\n\nfanlane ${name} --help tells the rest.`
}

function helpColumns(stream: NodeJS.WriteStream): number {
  const told = Number(process.env.COLUMNS)
  const columns = told > 0 ? told : stream.isTTY ? stream.columns : HELP_COLUMNS_DEFAULT
  return Math.min(HELP_COLUMNS_MAX, columns)
}

/** In the overview commands are names: how each is called is in its own help. */
function subcommandTerm(command: Command): string {
  return command.parent?.parent === null ? command.name() : Help.prototype.subcommandTerm.call(plainHelp, command)
}

const plainHelp = new Help()

/** The command that is called: the first word that is no option. */
export function calledName(args: readonly string[]): string | undefined {
  const [first, second] = args.filter((each) => !each.startsWith('-'))
  const name = first === 'help' ? second : first
  return entries.find((each) => each.name === name)?.name
}

/** Help and version were asked for: that is no mistake. */
export function isAnswered(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0
}

/** `fanlane topics` is `fanlane topics ls`. */
export function completed(args: readonly string[]): string[] {
  const [name, next] = args
  const otherwise = entries.find((each) => each.name === name)?.otherwise
  const isMeant =
    otherwise !== undefined && (next === undefined || (next.startsWith('-') && !/^(-h|--help)$/.test(next)))
  return isMeant ? [name ?? '', otherwise, ...args.slice(1)] : [...args]
}
