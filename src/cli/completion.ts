/**
 * Scripts for shells, made from the tree of commands, so that they know what the commands know. All three find out in the same way
 * where they are: the words so far, as far as they name commands; an argument that is called like a command changes nothing.
 */
import type { Command } from 'commander'

export type Shell = 'bash' | 'zsh' | 'fish'

interface Word {
  readonly name: string
  readonly about: string
}

interface Flag extends Word {
  /** Something has to follow: one of the choices, or, without any, whatever the shell makes of it, for example a file. */
  readonly takesValue: boolean
  readonly choices: readonly string[]
}

interface Node {
  /** `topics create`; '' for the program. */
  readonly path: string
  readonly children: readonly Word[]
  readonly flags: readonly Flag[]
}

const MAKERS: Readonly<Record<Shell, (nodes: readonly Node[]) => string>> = { bash, zsh, fish }

export function completionFor(shell: Shell, program: Command): string {
  return MAKERS[shell](nodesOf(program, ''))
}

function nodesOf(command: Command, path: string): Node[] {
  const children = command.commands.map((each) => ({ name: each.name(), about: sentence(each.description()) }))
  const flags = command.options
    .filter(({ hidden }) => !hidden)
    .map(({ long, description, argChoices, required }) => ({
      name: long ?? '',
      about: sentence(description),
      takesValue: required,
      choices: argChoices ?? [],
    }))
  const help: Flag = { name: '--help', about: 'explain', takesValue: false, choices: [] }
  return [
    { path, children, flags: [...flags, help] },
    ...command.commands.flatMap((each) => nodesOf(each, path === '' ? each.name() : `${path} ${each.name()}`)),
  ]
}

/** One line, however it was written. */
function sentence(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

interface Expected {
  /** Paths with their flags, as the scripts compare them. */
  readonly after: readonly string[]
  readonly choices: readonly string[]
}

/** What is expected after the flags that take something: those with the same choices together, above all those with none. */
function expected(nodes: readonly Node[]): Expected[] {
  const found = new Map<string, { after: string[]; choices: readonly string[] }>()
  for (const { path, flags } of nodes) {
    for (const { name, takesValue, choices } of flags) {
      if (!takesValue) continue
      const same = found.get(choices.join(' ')) ?? { after: [], choices }
      found.set(choices.join(' '), same)
      same.after.push(quoted(`${path} ${name}`))
    }
  }
  return [...found.values()]
}

function commandPaths(nodes: readonly Node[]): string {
  const paths = nodes.filter(({ path }) => path !== '').map(({ path }) => quoted(path))
  return paths.join('|')
}

function bash(nodes: readonly Node[]): string {
  const values = expected(nodes).map(({ after, choices }) => {
    return `    ${after.join('|')}) COMPREPLY=($(compgen -W ${quoted(choices.join(' '))} -- "$current")); return ;;`
  })
  const words = nodes.map(({ path, children, flags }) => {
    return `    ${quoted(path)}) words=${quoted([...children, ...flags].map(({ name }) => name).join(' '))} ;;`
  })
  return `# Completion of fanlane. For this shell: source <(fanlane completion bash)
_fanlane() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" node='' next words='' at
  for ((at = 1; at < COMP_CWORD; at++)); do
    next="\${node:+$node }\${COMP_WORDS[at]}"
    case "$next" in
      ${commandPaths(nodes)}) node="$next" ;;
    esac
  done
  case "$node $before" in
${values.join('\n')}
  esac
  case "$node" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _fanlane fanlane
`
}

/** As `_describe` wants it: a colon ends the name. */
function described({ name, about }: Word): string {
  return quoted(`${name.replaceAll(':', '\\:')}:${about}`)
}

function zsh(nodes: readonly Node[]): string {
  const values = expected(nodes).map(({ after, choices }) => {
    const offer = choices.length === 0 ? '_files' : `compadd -- ${choices.map(quoted).join(' ')}`
    return `    (${after.join('|')}) ${offer}; return ;;`
  })
  const words = nodes.map(({ path, children, flags }) => {
    return `    (${quoted(path)}) commands=(${children.map(described).join(' ')}) flags=(${flags.map(described).join(' ')}) ;;`
  })
  // As a file in $fpath it is the function itself; where it is sourced, it says for which command it is.
  return `#compdef fanlane
# Completion of fanlane. For this shell: source <(fanlane completion zsh)
_fanlane() {
  local node='' next='' at
  local -a commands flags
  for ((at = 2; at < CURRENT; at++)); do
    next="\${node:+$node }\${words[at]}"
    case "$next" in
      (${commandPaths(nodes)}) node="$next" ;;
    esac
  done
  case "$node \${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  case "$node" in
${words.join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    _describe -o flag flags
  elif (( \${#commands} > 0 )); then
    _describe command commands
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _fanlane ]]; then
  _fanlane "$@"
else
  (( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit -i }
  compdef _fanlane fanlane
fi
`
}

function fish(nodes: readonly Node[]): string {
  const candidates = (words: readonly Word[]): string =>
    words.map(({ name, about }) => `            printf '%s\\t%s\\n' ${name} ${fishQuoted(about)}`).join('\n')
  const values = expected(nodes).map(({ after, choices }) => {
    const offer =
      choices.length === 0
        ? '__fish_complete_path (commandline -ct)'
        : `printf '%s\\n' ${choices.map(quoted).join(' ')}`
    return `        case ${after.join(' ')}\n            ${offer}\n            return`
  })
  const words = nodes.map(({ path, children, flags }) => {
    return `        case ${quoted(path)}\n${candidates([...children, ...flags])}`
  })
  const paths = nodes.filter(({ path }) => path !== '').map(({ path }) => quoted(path))
  return `# Completion of fanlane. For good: fanlane completion fish > ~/.config/fish/completions/fanlane.fish
function __fanlane_candidates
    set -l tokens (commandline -opc)
    set -l node ''
    set -l before ''
    set -e tokens[1]
    for word in $tokens
        set -l next (string trim -- "$node $word")
        if contains -- "$next" ${paths.join(' ')}
            set node "$next"
        end
        set before "$word"
    end
    switch "$node $before"
${values.join('\n')}
    end
    switch "$node"
${words.join('\n')}
    end
end
complete -c fanlane -f -a '(__fanlane_candidates)'
`
}

/** Between single quotes fish knows two escapes. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
