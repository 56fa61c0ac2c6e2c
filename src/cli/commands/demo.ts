import { type Command, interruption, optionsOf, UsageError } from '../command.ts'
import { demo } from '../demo/demo.ts'
import { printSummary } from '../demo/report.ts'
import { noScreen, screenOn } from '../demo/screen.ts'

const SECONDS_DEFAULT = 10
/** The broker keeps everything in memory: a longer demo would fill it. */
const SECONDS_MAX = 60

export const command: Command = {
  help: `Usage: fanlane demo [--seconds N] [--json]

Reads a stream of orders from an embedded broker, first one at
a time, then with fanlane.

  --seconds N   how long, 1 to ${SECONDS_MAX} (default ${SECONDS_DEFAULT})
  --json        print nothing but the result, as one JSON object

Ctrl-C ends it early: running orders end and are committed.
A second Ctrl-C leaves at once.`,

  async run(args) {
    const values = optionsOf('demo', args, { seconds: { type: 'string' }, json: { type: 'boolean', default: false } })
    const seconds = secondsOf(values.seconds)
    const screen = values.json ? noScreen : screenOn(process.stdout)
    screen.line(`The same orders, one at a time and with fanlane; ${seconds} s.`)
    screen.line('Each takes 5 ms of waiting; some fail, one is poison.')
    screen.line()
    const result = await demo(seconds, screen, interruption())
    if (values.json) console.log(JSON.stringify(result))
    else printSummary(result, screen)
    return result.ok ? 0 : 1
  },
}

function secondsOf(text: string | undefined): number {
  if (text === undefined) return SECONDS_DEFAULT
  const seconds = /^\d+$/.test(text) ? Number(text) : 0
  if (seconds >= 1 && seconds <= SECONDS_MAX) return seconds
  throw new UsageError(`--seconds takes a whole number from 1 to ${SECONDS_MAX}, not '${text}'.`)
}
