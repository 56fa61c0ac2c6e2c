/** The tree of commands. Only the one that is called is there as a whole; of the others, what the overview says. */
import { Command, CommanderError, Help, type Option } from 'commander'
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
    .showHelpAfterError(true)
    .exitOverride()
    .configureOutput({
      getOutHelpWidth: () => helpColumns(process.stdout),
      getErrHelpWidth: () => helpColumns(process.stderr),
      outputError: (text, write) => write(sentence(text)),
    })
    .configureHelp({ subcommandTerm, groupItems, minWidthToWrap: HELP_TEXT_LEAST })
    .addHelpText('after', '\nfanlane <command> --help tells the rest.')
  for (const [heading, group] of Object.entries(catalog)) {
    program.commandsGroup(heading)
    for (const entry of group) {
      if (name !== 'all' && entry.name !== name) program.command(entry.name).description(entry.about).usage('[options]')
      else hinted((await entry.load()).define(program).description(entry.about))
    }
  }
  return program
}

/** After a mistake: a command with fifty options does not print them all. */
function hinted(command: Command): void {
  command.showHelpAfterError(hintOf(command))
  for (const each of command.commands) hinted(each)
}

function hintOf(command: Command): string {
  let path = command.name()
  for (let above = command.parent; above !== null; above = above.parent) path = `${above.name()} ${path}`
  return `\nUsage: ${path} ${command.usage()}\n\n${path} --help tells the rest.`
}

/** How the command is called that these words name. */
export function usageHint(program: Command, args: readonly string[]): string {
  let command = program
  for (const word of completed(args)) {
    const next = command.commands.find((each) => each.name() === word)
    if (next === undefined) break
    command = next
  }
  return command === program ? '' : hintOf(command)
}

/** Commander's words, as a sentence of ours. */
function sentence(text: string): string {
  const capital = text.replace(/^error: (.)/, (_, first: string) => first.toUpperCase())
  return capital.replace(/(['\w])(\n\(Did you mean [^)]*\?\))?\n$/, (_, last: string, hint = '') => `${last}.${hint}\n`)
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

/** What a command is about comes first, then how it connects. */
function groupItems<Item extends Command | Option>(
  unsorted: Item[],
  visible: Item[],
  groupOf: (item: Item) => string,
): Map<string, Item[]> {
  const groups = [...plainHelp.groupItems(unsorted, visible, groupOf)]
  return new Map(groups.toSorted(([one], [other]) => Number(other === OWN) - Number(one === OWN)))
}

/** Commander's heading for what has none. */
const OWN = 'Options:'

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
