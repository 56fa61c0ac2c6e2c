/** confluent-kafka for Python, a wheel with the newest librdkafka, in a virtual environment of the cache folder. */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cache } from '../../scripts/kafka/jars.ts'
import { command, exists } from './command.ts'

const confluentKafka = 'confluent-kafka==2.16.1'

/** The interpreter that can import it, or the reason why there is none. */
export async function findPython(): Promise<{ readonly program: string } | { readonly missing: string }> {
  const folder = join(cache, confluentKafka.replace('==', '-'))
  const ready = join(folder, 'ready')
  const program = join(folder, 'bin', 'python')
  if (existsSync(ready)) return { program }
  if (!(await exists('python3'))) return { missing: 'Python 3 is not installed' }
  rmSync(folder, { recursive: true, force: true })
  const made = await command('python3', ['-m', 'venv', folder])
  if (made.code !== 0) return { missing: `python3 -m venv failed: ${made.stdout}${made.stderr}` }
  const installed = await command(program, ['-m', 'pip', 'install', '-q', '--only-binary', ':all:', confluentKafka])
  if (installed.code !== 0) return { missing: `pip could not install ${confluentKafka}: ${installed.stderr.trim()}` }
  writeFileSync(ready, '')
  return { program }
}
