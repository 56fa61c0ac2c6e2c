/** The contenders that run in Node, each with its library loaded before the clock starts. */
import type { Prepare } from './run.ts'

export type NodeContender =
  | 'ours'
  | 'ours-reading'
  | 'ours-bare'
  | 'ours-copy'
  | 'ours-threads'
  | 'ours-processes'
  | 'ours-async'
  | 'bare-pool'
  | 'kafkajs-loop'
  | 'kafkajs-plimit'
  | 'kafkajs-each'
  | 'platformatic-stream'
  | 'platformatic-fetch'
  | 'confluent-loop'
  | 'ours-produce'
  | 'kafkajs-produce'
  | 'platformatic-produce'

export const contestants: Readonly<Record<NodeContender, Prepare>> = {
  ours: async (task) => (await import('./ours.ts')).ours(task),
  'ours-reading': async (task) => (await import('./ours.ts')).oursReading(task),
  'ours-bare': async (task) => (await import('./ours-bare.ts')).oursBare(task),
  'ours-copy': async (task) => (await import('./ours.ts')).oursCopy(task),
  'ours-async': async (task) => (await import('./ours-engines.ts')).oursEngine(task, 'async'),
  'ours-threads': async (task) => (await import('./ours-engines.ts')).oursEngine(task, 'threads'),
  'ours-processes': async (task) => (await import('./ours-engines.ts')).oursEngine(task, 'processes'),
  'bare-pool': async (task) => (await import('./bare-pool.ts')).barePool(task),
  'kafkajs-loop': async (task) => (await import('./kafkajs.ts')).kafkaJs(task, 'loop'),
  'kafkajs-plimit': async (task) => (await import('./kafkajs.ts')).kafkaJs(task, 'p-limit'),
  'kafkajs-each': async (task) => (await import('./kafkajs.ts')).kafkaJs(task, 'one at a time'),
  'platformatic-stream': async (task) => (await import('./platformatic.ts')).platformaticStream(task),
  'platformatic-fetch': async (task) => (await import('./platformatic.ts')).platformaticFetch(task),
  'confluent-loop': async (task) => (await import('./confluent.ts')).confluentLoop(task),
  'ours-produce': async (task) => (await import('./producers.ts')).producing(task, 'ours'),
  'kafkajs-produce': async (task) => (await import('./producers.ts')).producing(task, 'kafkajs'),
  'platformatic-produce': async (task) => (await import('./producers.ts')).producing(task, 'platformatic'),
}
