/** `fanlane completion`: a script for a shell, from the tree of commands. */
import { Argument, type Command } from 'commander'
import type { Shell } from '../completion.ts'

export function define(parent: Command): Command {
  return parent
    .command('completion')
    .addArgument(new Argument('<shell>', 'which').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', '\nExample: source <(fanlane completion bash)')
    .action(async (shell: Shell) => {
      const [{ completionFor }, { programFor }] = await Promise.all([
        import('../completion.ts'),
        import('../program.ts'),
      ])
      process.stdout.write(completionFor(shell, await programFor('all')))
    })
}
