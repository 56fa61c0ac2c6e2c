#!/usr/bin/env node
/** The command line. Exit codes: 0 done, 1 it went wrong, 2 it was called wrongly, 130 interrupted twice. */
import { FanlaneError } from '../errors.ts'
import { type Command, UsageError } from './command.ts'

const HELP = `fanlane: the parallel consumer for Apache Kafka

Usage: fanlane <command> [options]

  demo     a stream of orders, one at a time and with fanlane
  broker   a Kafka of one node in this process

fanlane <command> --help tells the rest.`

const commands: Readonly<Record<string, () => Promise<{ readonly command: Command }>>> = {
  demo: () => import('./commands/demo.ts'),
  broker: () => import('./commands/broker.ts'),
}

const oldestNode = [22, 22] as const

/** An older Node would fail somewhere inside, with words that tell nobody why. */
function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor, oldestMinor] = oldestNode
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined
  return `fanlane needs Node ${oldestNode.join('.')} or newer; this is ${version} (${process.execPath}).`
}

async function main(args: readonly string[]): Promise<number> {
  const problem = nodeProblem(process.versions.node)
  if (problem !== undefined) {
    console.error(problem)
    return 1
  }
  const [name, ...rest] = args
  if (name === undefined) throw new UsageError(`Which command? There are: ${Object.keys(commands).join(', ')}.`)
  if (name === '--help' || name === '-h' || name === 'help') {
    console.log(HELP)
    return 0
  }
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (load === undefined)
    throw new UsageError(`There is no command '${name}' yet. There are: ${Object.keys(commands).join(', ')}.`)
  const { command } = await load()
  if (rest.includes('--help') || rest.includes('-h')) {
    console.log(command.help)
    return 0
  }
  try {
    return await command.run(rest)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(`${error.message}\n\n${command.help}`)
    return 2
  }
}

// Whoever reads us may stop reading (`| head`): no reason for a stack trace.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const isUsage = error instanceof UsageError
  // An error of ours says what to do; where it was thrown helps nobody.
  const isOurs = error instanceof FanlaneError
  console.error(isUsage ? `${error.message}\n\n${HELP}` : isOurs ? `${error.code}: ${error.message}` : error)
  process.exitCode = isUsage ? 2 : 1
}
