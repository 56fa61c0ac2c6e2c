/** All commands, by what they are for. Each is loaded only when it is called: none pays for the others. */
import type { Command } from 'commander'

export interface Entry {
  readonly name: string
  readonly about: string
  /** Its command that is meant where none is named. */
  readonly otherwise?: string
  readonly load: () => Promise<{ readonly define: (parent: Command) => Command }>
}

// biome-ignore format: a table is read by its lines
export const catalog: Readonly<Record<string, readonly Entry[]>> = {
  'Begin:': [
    { name: 'demo', about: 'a stream of orders, one at a time and with fanlane', load: () => import('./commands/demo.ts') },
    { name: 'init', about: 'a handler, a config and a script, ready to run', load: () => import('./commands/init.ts') },
    { name: 'dev', about: 'a broker that keeps its data, and the dashboard', load: () => import('./commands/dev.ts') },
    { name: 'broker', about: 'a Kafka of one node in this process', load: () => import('./commands/broker.ts') },
  ],
  'Consumers:': [
    { name: 'run', about: 'a consumer from a module, with no other code', load: () => import('./commands/run.ts') },
    { name: 'config', about: 'settings that count, and where they came from', load: () => import('./commands/config.ts') },
    { name: 'ui', about: 'the dashboard of groups that others run', load: () => import('./commands/ui.ts') },
    { name: 'top', about: 'a group, live', load: () => import('./commands/top.ts') },
  ],
  'Records:': [
    { name: 'topics', otherwise: 'ls', about: 'list, make, describe and delete topics', load: () => import('./commands/topics.ts') },
    { name: 'produce', about: 'write records, from stdin or files', load: () => import('./commands/produce.ts') },
    { name: 'consume', about: 'read records, without a group', load: () => import('./commands/consume.ts') },
    { name: 'dlq', otherwise: 'ls', about: 'dead letters: look at them, send them back', load: () => import('./commands/dlq.ts') },
  ],
  'Groups:': [
    { name: 'groups', otherwise: 'ls', about: 'list, describe, delete groups, move their positions', load: () => import('./commands/groups.ts') },
    { name: 'lag', about: 'how far groups are behind', load: () => import('./commands/lag.ts') },
    { name: 'offsets', about: 'what a group has finished, as a picture', load: () => import('./commands/offsets.ts') },
    { name: 'doctor', about: 'what is wrong with a cluster, and what to change', load: () => import('./commands/doctor.ts') },
  ],
  'Trust:': [
    { name: 'bench', about: 'a small measurement: one at a time, and fanlane', load: () => import('./commands/bench.ts') },
    { name: 'sim', about: 'the promises, in simulated time, with faults', load: () => import('./commands/sim.ts') },
    { name: 'completion', about: 'a script for your shell', load: () => import('./commands/completion.ts') },
  ],
}

export const entries: readonly Entry[] = Object.values(catalog).flat()
