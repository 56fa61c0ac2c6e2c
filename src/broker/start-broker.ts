/**
 * The way in: checks the options, then starts the broker in this thread or in one of its own.
 */
import { startIsolated } from './isolate/isolated-broker.ts'
import { type BrokerOptions, checkOptions } from './options.ts'
import { type RunningBroker, startInProcess } from './start.ts'

export type { RunningBroker } from './start.ts'

/** Resolves when clients can connect. Rejects, whatever is wrong: an option, the port, the data directory. */
export async function startBroker(options: BrokerOptions = {}): Promise<RunningBroker> {
  checkOptions(options)
  return options.isolate === true ? startIsolated(options) : startInProcess(options)
}
