#!/usr/bin/env node
/** The command line. Exit codes: 0 done, 1 it went wrong, 2 it was called wrongly, 130 interrupted twice. */
import * as nodeModule from 'node:module'

const oldestNode = [22, 22] as const

/** An older Node would fail somewhere inside, with words that tell nobody why. */
function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor, oldestMinor] = oldestNode
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined
  return `fanlane needs Node ${oldestNode.join('.')} or newer; this is ${version} (${process.execPath}).`
}

async function main(args: readonly string[]): Promise<void> {
  const { calledName, completed, isAnswered, programFor, usageHint } = await import('./program.ts')
  let program: Awaited<ReturnType<typeof programFor>> | undefined
  try {
    program = await programFor(calledName(args))
    if (args.length === 0) program.error('Which command?')
    await program.parseAsync(completed(args), { from: 'user' })
  } catch (error) {
    if (isAnswered(error)) return
    const { fail } = await import('./failure.ts')
    process.exitCode = fail(error, args.includes('--json'), program === undefined ? '' : usageHint(program, args))
  }
}

// Whoever reads us may stop reading (`| head`): no reason for a stack trace.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
}

// Compiled once, read the next time: a command starts in half the time. Node 22.0 has no such thing, and says so below.
nodeModule.enableCompileCache?.()

const problem = nodeProblem(process.versions.node)
if (problem === undefined) await main(process.argv.slice(2))
else {
  console.error(problem)
  process.exitCode = 1
}
