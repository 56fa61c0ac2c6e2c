/**
 * The embedded broker in a process of its own, which can be killed: its log is in a directory, and clients are sent through
 * the proxy. Told what to do by its one argument, and by messages while it runs.
 */
import { type BrokerOptions, type PlantedFault, startBroker } from '../../src/broker/index.ts'

/** Letters to this topic are refused, or taken again. */
export interface BrokerOrder {
  readonly topic: string
  readonly isDown: boolean
}

export interface BrokerNews {
  readonly brokers: readonly string[]
}

if (process.send === undefined) throw new Error('this is started by the chaos run')
// A run that was killed leaves no broker behind: neither now, nor while it starts.
process.once('disconnect', () => process.exit(1))
if (!process.connected) process.exit(1)

const broker = await startBroker(JSON.parse(process.argv[2] ?? '') as BrokerOptions)
const refused = new Map<string, PlantedFault>()

process.on('message', ({ topic, isDown }: BrokerOrder) => {
  refused.get(topic)?.remove()
  refused.delete(topic)
  if (isDown) refused.set(topic, broker.faults.inject({ api: 'Produce', topic, error: 'NOT_ENOUGH_REPLICAS' }))
})
process.once('SIGTERM', () => {
  broker.close().then(
    () => process.exit(0),
    () => process.exit(1),
  )
})
const news: BrokerNews = { brokers: broker.brokers }
process.send(news)
