/**
 * Completion in the shells themselves: each reads the script that the command prints, and is asked what it would complete. Bash by
 * its own variables, fish by `complete -C`, zsh by keys in an interactive shell on a pseudo-terminal (its module zsh/zpty).
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { findShell } from '../../scripts/servers/shells.ts'
import { command, exists } from '../support/command.ts'
import { loudly } from '../support/targets.ts'
import { directory, fanlane } from './cli-support.ts'

/** What is typed, and what it becomes, or the choices that are offered. */
const cases: readonly (readonly [typed: string, offered: readonly string[]])[] = [
  ['fanlane top', ['top', 'topics']],
  ['fanlane dlq re', ['redrive']],
  ['fanlane groups reset g --dr', ['--dry-run']],
  // An argument that is called like a command is none.
  ['fanlane consume topics --fol', ['--follow']],
  ['fanlane consume orders --format ', ['hex', 'json', 'key=value', 'text']],
  // A flag that takes anything: a file.
  ['fanlane produce orders --file note', ['notes.txt']],
]

const hasBash = await exists('bash')

describe('completion', { timeout: 60_000 }, () => {
  const cwd = directory({ after: (fn) => after(fn as () => void) })
  before(async () => {
    writeFileSync(join(cwd, 'notes.txt'), '')
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { out, code } = await fanlane(['completion', shell])
      assert.equal(code, 0)
      writeFileSync(join(cwd, `script.${shell}`), out)
    }
  })

  async function run(
    path: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    // A terminal of a known width; nothing of whoever runs the tests.
    const around = { HOME: cwd, TERM: 'xterm', COLUMNS: '100', ...env }
    const { stdout, stderr } = await command(path, args, { cwd, env: around, timeoutMs: 20_000 })
    assert.equal(stderr, '')
    return stdout
  }

  test('bash', { skip: hasBash ? false : 'there is no bash' }, async () => {
    for (const [typed, offered] of cases) {
      const words = typed.split(' ').map((word) => `'${word}'`)
      const line = `source script.bash; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _fanlane; echo "\${COMPREPLY[*]}"`
      const got = (await run('bash', ['-c', line])).trim().split(' ').filter(Boolean).toSorted()
      // No word of its own: bash goes on to files, which `complete -o default` asks for.
      assert.deepEqual(got, typed.includes('--file ') ? [] : offered, typed)
    }
  })

  const fish = findShell('fish')
  if (fish === null) loudly('COMPLETION NOT RUN IN FISH: there is none; npx node scripts/servers/shells.ts brings it')
  else {
    test('fish', async () => {
      for (const [typed, offered] of cases) {
        const line = `${fish.setUp}; source script.fish; complete -C '${typed}'`
        const out = await run(fish.path, ['--no-config', '-c', line], fish.env)
        const got = out.split('\n').map((each) => each.split('\t')[0] ?? '')
        assert.deepEqual(got.filter(Boolean).toSorted(), offered, typed)
      }
    })
  }

  const zsh = findShell('zsh')
  if (zsh === null) loudly('COMPLETION NOT RUN IN ZSH: there is none; npx node scripts/servers/shells.ts brings it')
  else {
    test('zsh', async () => {
      const path = [dirname(zsh.path), process.env.PATH].join(':')
      for (const [typed, offered] of cases) {
        // A single one is filled in: `^X` prints the line as it is then. Several are listed.
        const told = `show() { print -r -- "<$BUFFER>"; zle send-break }; zle -N show; bindkey '^X' show; print ready-'now'`
        const isOne = offered.length === 1
        const listed = offered.map((each) => `*${each}`).join('')
        const lines = [
          zsh.setUp,
          'zmodload zsh/zpty',
          "zpty z 'zsh -f -i'",
          `zpty -w z ${quoted(`PS1=; unsetopt prompt_cr; ${zsh.setUp}; source script.zsh; ${told}`)}`,
          "zpty -r -m z out '*ready-now*'",
          `zpty -w -n z ${quoted(typed)}$'\\t${isOne ? '\\C-x' : ''}'`,
          `zpty -r -m z out '${isOne ? '*<*>' : listed}*'`,
          'print -r -- "$out"',
        ]
        const out = await run(zsh.path, ['-f', '-c', lines.join('\n')], { ...zsh.env, PATH: path })
        if (isOne) assert.equal(/<(.*)>/.exec(out)?.[1], `${typed.replace(/\S*$/, '')}${offered[0]} `, out)
        else for (const each of offered) assert.ok(out.includes(each), `${each} in ${out}`)
      }
    })

    test('zsh: as a file of its functions, it is loaded when it is needed', async () => {
      const lines = [zsh.setUp, 'autoload -Uz compinit', 'compinit -u -d dump', 'print -r -- $_comps[fanlane]']
      writeFileSync(join(cwd, '_fanlane'), (await fanlane(['completion', 'zsh'])).out)
      const env = { ...zsh.env, FPATH: [cwd, zsh.env.FPATH ?? ''].join(':') }
      assert.equal((await run(zsh.path, ['-f', '-c', lines.join('\n')], env)).trim(), '_fanlane')
    })
  }
})

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
