/** Scripts for shells, made from the tree of commands, so that they know what the commands know. */
import type { Command } from 'commander'

export type Shell = 'bash' | 'zsh' | 'fish'

interface Node {
  /** `topics create`; '' for the program. */
  readonly path: string
  readonly about: string
  readonly children: readonly { readonly name: string; readonly about: string }[]
  readonly options: readonly { readonly flag: string; readonly about: string; readonly choices: readonly string[] }[]
}

export function completionFor(shell: Shell, program: Command): string {
  const nodes = nodesOf(program, '')
  if (shell === 'fish') return fish(nodes)
  const script = bash(nodes)
  return shell === 'bash' ? script : `autoload -U +X bashcompinit && bashcompinit\n${script}`
}

function nodesOf(command: Command, path: string): Node[] {
  const children = command.commands.map((each) => ({ name: each.name(), about: each.description() }))
  const options = [...command.options.filter(({ hidden }) => !hidden)].map(({ long, description, argChoices }) => ({
    flag: long ?? '',
    about: description,
    choices: argChoices ?? [],
  }))
  const help = { flag: '--help', about: 'explain', choices: [] }
  const own: Node = { path, about: command.description(), children, options: [...options, help] }
  return [
    own,
    ...command.commands.flatMap((each) => nodesOf(each, path === '' ? each.name() : `${path} ${each.name()}`)),
  ]
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function bash(nodes: readonly Node[]): string {
  const words = nodes.map(({ path, children, options }) => {
    const all = [...children.map(({ name }) => name), ...options.map(({ flag }) => flag)]
    return `    ${quoted(path)}) words=${quoted(all.join(' '))} ;;`
  })
  const choices = nodes.flatMap(({ path, options }) =>
    options
      .filter(({ choices: some }) => some.length > 0)
      .map(({ flag, choices: some }) => `    ${quoted(`${path} ${flag}`)}) words=${quoted(some.join(' '))} ;;`),
  )
  const paths = nodes.filter(({ path }) => path !== '').map(({ path }) => quoted(path))
  return `# Completion of fanlane. For this shell: source <(fanlane completion bash)
_fanlane() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" path='' next words='' at
  for ((at = 1; at < COMP_CWORD; at++)); do
    next="\${path:+$path }\${COMP_WORDS[at]}"
    case "$next" in
      ${paths.join('|')}) path="$next" ;;
    esac
  done
  case "$path $before" in
${choices.join('\n')}
  esac
  if [ -z "$words" ]; then
    case "$path" in
${words.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _fanlane fanlane
`
}

function fish(nodes: readonly Node[]): string {
  const lines = nodes.flatMap(({ path, children, options }) => {
    const parts = path === '' ? [] : path.split(' ')
    const seen = parts.map((part) => `__fish_seen_subcommand_from ${part}`).join('; and ')
    const isHere = path === '' ? '__fish_use_subcommand' : seen
    const isFirst =
      children.length === 0 || path === ''
        ? isHere
        : `${isHere}; and not __fish_seen_subcommand_from ${children.map(({ name }) => name).join(' ')}`
    return [
      ...children.map(
        ({ name, about }) => `complete -c fanlane -f -n ${quoted(isFirst)} -a ${name} -d ${quoted(about)}`,
      ),
      ...options.map(({ flag, about, choices }) => {
        const some = choices.length === 0 ? '' : ` -x -a ${quoted(choices.join(' '))}`
        return `complete -c fanlane -n ${quoted(isHere)} -l ${flag.replace(/^--/, '')} -d ${quoted(about)}${some}`
      }),
    ]
  })
  return `# Completion of fanlane. For good: fanlane completion fish > ~/.config/fish/completions/fanlane.fish\n${lines.join('\n')}\n`
}
