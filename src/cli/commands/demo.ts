import { createServer } from 'node:net'
import type { Command } from 'commander'
import { interruption, whole } from '../command.ts'

const SECONDS_DEFAULT = 10
/** With somebody there who wants to look, and to press keys. */
const SECONDS_DEFAULT_ON_TERMINAL = 60
/** The broker keeps everything in memory: a longer demo would fill it. */
const SECONDS_MAX = 60
const PORT_DEFAULT = 4_000

export function define(parent: Command): Command {
  return parent
    .command('demo')
    .option(
      '--seconds <n>',
      `how long, 1 to ${SECONDS_MAX} (default: ${SECONDS_DEFAULT}, on a terminal ${SECONDS_DEFAULT_ON_TERMINAL})`,
      whole(1, SECONDS_MAX),
    )
    .option('--port <n>', `of the dashboard (default: ${PORT_DEFAULT}, or any that is free)`, whole(0, 65_535))
    .option('--json', 'print nothing but the result, as one JSON object')
    .addHelpText(
      'after',
      `
Reads a stream of orders from an embedded broker, first one at
a time, then with fanlane, and shows it on a dashboard. On a
terminal, keys make trouble: poison, a slow key, a rebalance,
a crash.

q or Ctrl-C ends it early: running orders end and are committed.
A second Ctrl-C leaves at once.

Example: fanlane demo --seconds 5`,
    )
    .action(run)
}

interface DemoFlags {
  readonly seconds?: number
  readonly port?: number
  readonly json?: boolean
}

async function run({ seconds: given, port, json = false }: DemoFlags): Promise<void> {
  const [{ demo }, { printSummary }, { noScreen, screenOn }, { KEYS_HELP }, { holdDashboard }, { SideBySide }] =
    await Promise.all([
      import('../demo/demo.ts'),
      import('../demo/report.ts'),
      import('../demo/screen.ts'),
      import('../demo/keys.ts'),
      import('../demo/dashboard.ts'),
      import('../demo/side-by-side.ts'),
    ])
  const screen = json ? noScreen : screenOn(process.stdout)
  const keys = !json && process.stdin.isTTY && process.stdout.isTTY ? process.stdin : null
  const seconds = given ?? (keys === null ? SECONDS_DEFAULT : SECONDS_DEFAULT_ON_TERMINAL)
  const sideBySide = new SideBySide()
  const dashboard = await holdDashboard(port ?? (await freeOr(PORT_DEFAULT)), () => sideBySide.frame())
  try {
    screen.line(`The same orders, one at a time and with fanlane; ${seconds} s.`)
    screen.line('Each takes 5 ms of waiting; some fail, one is poison.')
    screen.line(`Dashboard: ${dashboard.url}`)
    if (keys !== null) screen.line(`Keys: ${KEYS_HELP}`)
    screen.line()
    const { port: dashboardPort } = dashboard
    const result = await demo({ seconds, screen, stop: interruption(), dashboardPort, sideBySide, keys })
    if (json) console.log(JSON.stringify({ ...result, dashboard: dashboard.url }))
    else printSummary(result, screen)
    process.exitCode = result.ok ? 0 : 1
  } finally {
    await dashboard.close()
  }
}

/** Nobody asked for this port: another demo may have it. */
function freeOr(port: number): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(0))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(port)))
  })
}
