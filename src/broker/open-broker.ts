/**
 * Everything of a broker but its front door: storage, metadata, topics, coordinators, in the order in which they need one
 * another.
 */
import { randomBytes } from 'node:crypto'
import type { FanlaneError } from '../errors.ts'
import type { BrokerParts } from './broker.ts'
import { type BrokerLog, silentLog } from './broker-log.ts'
import { type BrokerClock, SystemClock } from './clock.ts'
import { BrokerConfig } from './configs/broker-configs.ts'
import { Coordinators } from './coordinators.ts'
import type { DiskFaults } from './faults/faulty-disk.ts'
import { FetchSessions } from './fetch/sessions.ts'
import { LogKeeper } from './log-keeper.ts'
import { type BrokerOptions, defaultLimits } from './options.ts'
import { createUsers } from './server/sasl.ts'
import { MetadataStore } from './state/metadata-store.ts'
import { openStorage } from './storage.ts'
import type { Teardown } from './teardown.ts'
import { type TopicDefaults, TopicRegistry } from './topics/registry.ts'
import { topicFiles } from './topics/topic-files.ts'

export interface Surroundings {
  readonly clock: BrokerClock
  readonly log: BrokerLog
  readonly diskFaults: DiskFaults
  /** The disk has failed. */
  readonly onFatal: (error: FanlaneError) => void
  readonly teardown: Teardown
}

export interface OpenedBroker extends BrokerParts {
  readonly coordinators: Coordinators
}

export function clockAndLogOf(options: BrokerOptions): { clock: BrokerClock; log: BrokerLog } {
  return { clock: options.clock ?? new SystemClock(), log: options.logger ?? silentLog }
}

export async function openBroker(options: BrokerOptions, around: Surroundings): Promise<OpenedBroker> {
  const { clock, log, teardown } = around
  const limits = { ...defaultLimits, ...options.limits }
  const storage = await openStorage(options, clock, log, around.diskFaults, around.onFatal)
  teardown.add((ending) => (ending === 'graceful' ? storage.close() : storage.abandon()))

  const metadata = await MetadataStore.open(storage.metadataLog)
  const cluster = metadata.get('cluster')
  const clusterId = cluster?.id ?? randomBytes(16).toString('base64url')
  // On disk before anything else is: leader and coordinator epochs rise with every start, also after a crash.
  const starts = (cluster?.starts ?? 0) + 1
  await metadata.put('cluster', '', { id: clusterId, starts })

  const config = new BrokerConfig(options.config ?? {}, metadata.get('broker-configs') ?? {})
  const defaults = (): TopicDefaults => ({
    partitions: config.number('num.partitions'),
    configs: config.topicDefaults(),
  })
  const files = topicFiles(storage.logs, storage.root)
  const topics = new TopicRegistry(metadata, files, starts, limits, defaults, log)
  teardown.add((ending) => topics.close(ending))
  await topics.load()

  const coordinators = await Coordinators.start({ topics, metadata, clock, log, config, coordinatorEpoch: starts })
  teardown.add(() => coordinators.close())
  await createTopics(topics, options.topics ?? {})

  const keeper = new LogKeeper(topics, config, clock, log)
  keeper.start()
  teardown.add(() => keeper.stop())

  const { sasl } = options
  const mechanisms = sasl?.mechanisms ?? ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512']
  return {
    clock,
    log,
    config,
    metadata,
    topics,
    coordinators,
    groups: coordinators.groups,
    transactions: coordinators.transactions,
    markers: coordinators.markers,
    fetchSessions: new FetchSessions(limits.fetchSessionsMax),
    users: sasl === undefined ? undefined : createUsers(mechanisms, sasl.users),
    clusterId,
    dataDir: options.dataDir,
    whenRoom: () => storage.logs.flusher.whenRoom(),
  }
}

/** The topics of the options. One that is there already is left as it is. */
async function createTopics(topics: TopicRegistry, wanted: NonNullable<BrokerOptions['topics']>): Promise<void> {
  for (const [name, wish] of Object.entries(wanted)) {
    if (topics.get(name) !== undefined) continue
    const { partitions = 1, config = {} } = typeof wish === 'number' ? { partitions: wish } : wish
    await topics.create({ name, partitions, configs: config })
  }
}
