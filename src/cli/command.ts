/**
 * What a command of the command line is, and how its arguments are read. Each command is loaded only when it is called, so
 * that none of them pays for the others.
 */
import { type ParseArgsConfig, parseArgs } from 'node:util'

/** Called wrongly: the message and the help are printed, the exit code is 2. */
export class UsageError extends Error {}

export interface Command {
  readonly help: string
  /** Resolves to the exit code. */
  run(args: readonly string[]): Promise<number>
}

type Options = NonNullable<ParseArgsConfig['options']>
type Values<O extends Options> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>['values']

/** The options of a command that takes no other arguments. */
export function optionsOf<const O extends Options>(command: string, args: readonly string[], options: O): Values<O> {
  const { values, positionals } = parsed(args, options)
  if (positionals.length > 0) throw new UsageError(`${command} takes options only, not '${positionals.join(' ')}'.`)
  return values
}

function parsed<const O extends Options>(
  args: readonly string[],
  options: O,
): { values: Values<O>; positionals: string[] } {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options })
  } catch (error) {
    // Node goes on with a hint about positional arguments, which we have none of.
    const [sentence] = String((error as Error).message).split('. ')
    throw new UsageError(`${sentence?.replace(/\.$/, '')}.`)
  }
}

/** npm passes the terminal's Ctrl-C on to us a second time: that is the same one. */
const SAME_INTERRUPT_MS = 300

/** Aborted by the first interrupt; the second one ends the process. */
export function interruption(): AbortSignal {
  const stop = new AbortController()
  let firstMs = 0
  const interrupted = (): void => {
    if (!stop.signal.aborted) {
      firstMs = performance.now()
      stop.abort()
    } else if (performance.now() - firstMs > SAME_INTERRUPT_MS) process.exit(130)
  }
  process.on('SIGINT', interrupted)
  process.on('SIGTERM', interrupted)
  return stop.signal
}
