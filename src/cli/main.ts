#!/usr/bin/env node
/** The command line. Exit codes: 0 done, 1 it went wrong, 2 it was called wrongly, 130 interrupted twice. */
import { parseArgs } from 'node:util'
import { demo } from './demo.ts'
import { printSummary } from './report.ts'
import { noScreen, screenOn } from './screen.ts'

const HELP = `fanlane: the parallel consumer for Apache Kafka

Usage: fanlane demo [--seconds N] [--json]

  demo          reads a stream of orders from a log in memory,
                first one at a time, then with fanlane

  --seconds N   how long, 1 to 60 (default 10)
  --json        print nothing but the result, as one JSON object
  --help        this text

Ctrl-C ends it early: running orders end and are committed.
A second Ctrl-C leaves at once.`

const SECONDS_DEFAULT = 10
/** The log is in memory: a longer demo would fill it. */
const SECONDS_MAX = 60
/** npm passes the terminal's Ctrl-C on to us a second time: that is the same one. */
const SAME_INTERRUPT_MS = 300

class UsageError extends Error {}

interface Wish {
  readonly help: boolean
  readonly json: boolean
  readonly seconds: number
}

function wishOf(args: readonly string[]): Wish {
  const { values, positionals } = parsed(args)
  const seconds = secondsOf(values.seconds)
  const [command, ...more] = positionals
  if (values.help) return { help: true, json: false, seconds }
  if (command === undefined) throw new UsageError('Which command? There is one: demo.')
  if (command !== 'demo') throw new UsageError(`There is no command '${command}' yet. There is one: demo.`)
  if (more.length > 0) throw new UsageError(`demo takes options only, not '${more.join(' ')}'.`)
  return { help: false, json: values.json, seconds }
}

function parsed(args: readonly string[]): {
  readonly values: { readonly seconds?: string | undefined; readonly json: boolean; readonly help: boolean }
  readonly positionals: readonly string[]
} {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        seconds: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    // Node goes on with a hint about positional arguments, which we have none of.
    const [sentence] = String((error as Error).message).split('. ')
    throw new UsageError(`${sentence?.replace(/\.$/, '')}.`)
  }
}

function secondsOf(text: string | undefined): number {
  if (text === undefined) return SECONDS_DEFAULT
  const seconds = /^\d+$/.test(text) ? Number(text) : 0
  if (seconds >= 1 && seconds <= SECONDS_MAX) return seconds
  throw new UsageError(`--seconds takes a whole number from 1 to ${SECONDS_MAX}, not '${text}'.`)
}

/** Aborted by the first interrupt; the second one ends the process. */
function interruption(): AbortSignal {
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

async function main(args: readonly string[]): Promise<number> {
  const { help, json, seconds } = wishOf(args)
  if (help) {
    console.log(HELP)
    return 0
  }
  const screen = json ? noScreen : screenOn(process.stdout)
  screen.line(`The same orders, one at a time and with fanlane; ${seconds} s.`)
  screen.line('Each takes 5 ms of waiting; some fail, one is poison.')
  screen.line()
  const result = await demo(seconds, screen, interruption())
  if (json) console.log(JSON.stringify(result))
  else printSummary(result, screen)
  return result.ok ? 0 : 1
}

// Whoever reads us may stop reading (`| head`): no reason for a stack trace.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const isUsage = error instanceof UsageError
  console.error(isUsage ? `${error.message}\n\n${HELP}` : error)
  process.exitCode = isUsage ? 2 : 1
}
