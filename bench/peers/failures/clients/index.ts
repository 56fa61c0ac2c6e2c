/** The clients that are tried. Those that need a build of their own are loaded only where they are installed. */
import { createRequire } from 'node:module'
import type { Trials } from '../outcome.ts'

export interface Peer {
  readonly name: string
  /** null: not installed. */
  version(): string | null
  load(): Promise<Trials>
}

const require = createRequire(import.meta.url)

function installed(module: string): string | null {
  try {
    return (require(`${module}/package.json`) as { version: string }).version
  } catch {
    return versionNearEntry(module)
  }
}

/** Where the package does not export its package.json. */
function versionNearEntry(module: string): string | null {
  try {
    const entry = require.resolve(module)
    const root = entry.slice(0, entry.lastIndexOf(`node_modules/${module}`) + `node_modules/${module}`.length)
    return (require(`${root}/package.json`) as { version: string }).version
  } catch {
    return null
  }
}

export const peers: readonly Peer[] = [
  {
    name: '@platformatic/kafka',
    version: () => installed('@platformatic/kafka'),
    load: async () => (await import('./platformatic.ts')).platformatic,
  },
  {
    name: 'kafkajs',
    version: () => installed('kafkajs'),
    load: async () => (await import('./kafkajs.ts')).kafkajs,
  },
  ...['@confluentinc/kafka-javascript', 'node-rdkafka'].map((name) => ({
    name,
    version: () => installed(name),
    load: async () => (await import('./librdkafka.ts')).librdkafka(name),
  })),
]
