/** kcat, the command line client on librdkafka: Debian's package, installed on the way where we may. */
import { command, exists, mustRun } from './command.ts'

/** The program's name, or the reason why it is not here. */
export async function findKcat(): Promise<{ readonly program: string } | { readonly missing: string }> {
  for (const program of ['kcat', 'kafkacat']) if (await exists(program, ['-V'])) return { program }
  if (process.getuid?.() !== 0) return { missing: 'kcat is not installed (Debian: apt-get install kcat)' }
  if (!(await exists('apt-get'))) return { missing: 'kcat is not installed, and there is no apt-get to bring it' }
  await command('apt-get', ['update', '-qq'])
  const { code, stderr } = await command('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'kcat'])
  if (code !== 0) return { missing: `apt-get could not install kcat: ${stderr.trim().split('\n').at(-1)}` }
  await mustRun('kcat', ['-V'])
  return { program: 'kcat' }
}
