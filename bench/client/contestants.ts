/** The contenders that run in Node, each with its library loaded before the clock starts. */
import type { Ledger } from './ledger.ts'
import type { Task } from './task.ts'

export type Contestant =
  | { readonly consume: (ledger: Ledger) => Promise<void> }
  | { readonly produce: () => Promise<void> }

type Make = (task: Task) => Promise<Contestant>

export type NodeContender =
  | 'fanlane-bare'
  | 'fanlane'
  | 'fanlane-touch'
  | 'kafkajs'
  | 'platformatic-stream'
  | 'platformatic-fetch'
  | 'fanlane-produce'
  | 'kafkajs-produce'
  | 'platformatic-produce'
  | 'read-back'

export const contestants: Readonly<Record<NodeContender, Make>> = {
  'fanlane-bare': async (task) => (await import('./consume/fanlane-bare.ts')).fanlaneBare(task),
  fanlane: async (task) => (await import('./consume/fanlane.ts')).fanlane(task, 'nothing'),
  'fanlane-touch': async (task) => (await import('./consume/fanlane.ts')).fanlane(task, 'key and value'),
  kafkajs: async (task) => (await import('./consume/kafkajs.ts')).kafkaJs(task),
  'platformatic-stream': async (task) => (await import('./consume/platformatic.ts')).platformaticStream(task),
  'platformatic-fetch': async (task) => (await import('./consume/platformatic.ts')).platformaticFetch(task),
  'fanlane-produce': async (task) => (await import('./produce/fanlane.ts')).fanlaneProduce(task),
  'kafkajs-produce': async (task) => (await import('./produce/kafkajs.ts')).kafkaJsProduce(task),
  'platformatic-produce': async (task) => (await import('./produce/platformatic.ts')).platformaticProduce(task),
  'read-back': async (task) => (await import('./produce/read-back.ts')).readBack(task),
}
