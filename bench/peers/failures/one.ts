/**
 * One failure on one client, in a process of its own: a client that hangs or throws into the void must not take the others
 * with it. Prints one line of JSON.
 */
import { peers } from './clients/index.ts'
import { type FailureName, type Outcome, reasonOf } from './outcome.ts'
import { type Ground, Stage } from './stage.ts'

const [peerName = '', failure = '', ground = ''] = process.argv.slice(2)
const strays: string[] = []
process.on('uncaughtException', (error) => strays.push(reasonOf(error)))
process.on('unhandledRejection', (error) => strays.push(reasonOf(error)))

async function run(): Promise<Outcome> {
  const peer = peers.find(({ name }) => name === peerName)
  if (peer === undefined) throw new Error(`no client ${peerName}`)
  const trial = (await peer.load())[failure as FailureName]
  if (typeof trial === 'string') return { verdict: 'not tried', evidence: trial }
  return trial(await Stage.open(JSON.parse(ground) as Ground))
}

function tell({ verdict, evidence }: Outcome): never {
  const noise = strays.length === 0 ? '' : ` [thrown where nobody could catch it: ${strays[0]}]`
  process.stdout.write(`${JSON.stringify({ verdict, evidence: `${evidence}${noise}` })}\n`)
  // Whatever a client still waits for.
  process.exit(0)
}

try {
  tell(await run())
} catch (error) {
  tell({ verdict: 'not possible', evidence: `the trial itself failed: ${reasonOf(error)}` })
}
