/**
 * Puts a broker together: storage, metadata, topics, coordinators, handlers, server, in the order in which they need one
 * another, and takes it apart in the opposite order.
 */
import { randomBytes } from 'node:crypto'
import { FanlaneError } from '../errors.ts'
import type { Broker, BrokerParts } from './broker.ts'
import { silentLog } from './broker-log.ts'
import { SystemClock } from './clock.ts'
import { BrokerConfig } from './configs/broker-configs.ts'
import { Coordinators } from './coordinators.ts'
import type { BrokerFaults } from './faults/faults.ts'
import { DiskFaults } from './faults/faulty-disk.ts'
import { RequestFaults } from './faults/request-faults.ts'
import { FetchSessions } from './fetch/sessions.ts'
import { allRoutes } from './handlers/routes.ts'
import { LogKeeper } from './log-keeper.ts'
import { type BrokerOptions, defaultLimits } from './options.ts'
import { Dispatcher } from './server/dispatcher.ts'
import { createUsers } from './server/sasl.ts'
import { Server } from './server/server.ts'
import { MetadataStore } from './state/metadata-store.ts'
import { openStorage } from './storage.ts'
import { TopicRegistry } from './topics/registry.ts'
import { topicFiles } from './topics/topic-files.ts'

export interface RunningBroker extends AsyncDisposable {
  /** What to give to clients, e.g. `['127.0.0.1:49152']`. */
  readonly brokers: string[]
  readonly host: string
  readonly port: number
  readonly faults: BrokerFaults
  /** Resolves, with the cause, when the broker has stopped by itself: its disk has failed, or a planted fault crashed it. */
  readonly failed: Promise<FanlaneError>
  /** Ends answers under way, makes everything durable, lets go of the data directory. */
  close(): Promise<void>
}

const closeGraceMs = 1_000

export async function startInProcess(options: BrokerOptions): Promise<RunningBroker> {
  const clock = options.clock ?? new SystemClock()
  const log = options.logger ?? silentLog
  const limits = { ...defaultLimits, ...options.limits }
  const failure = Promise.withResolvers<FanlaneError>()
  let takeDown = (): void => undefined
  const crash = (cause: FanlaneError): void => {
    failure.resolve(cause)
    takeDown()
  }
  const diskFaults = new DiskFaults(clock, () =>
    crash(new FanlaneError('BROKER_CRASHED', 'a planted fault crashed the broker')),
  )
  const storage = await openStorage(options, clock, log, diskFaults, crash)
  try {
    const metadata = await MetadataStore.open(storage.metadataLog)
    const cluster = metadata.get('cluster')
    const clusterId = cluster?.id ?? randomBytes(16).toString('base64url')
    const starts = (cluster?.starts ?? 0) + 1
    await metadata.put('cluster', '', { id: clusterId, starts })

    const config = new BrokerConfig(options.config ?? {}, metadata.get('broker-configs') ?? {})
    const topics = new TopicRegistry(metadata, topicFiles(storage.logs, storage.root), starts, limits, () => ({
      partitions: config.number('num.partitions'),
      configs: config.topicDefaults(),
    }))
    await topics.load()
    const coordinators = await Coordinators.start({ topics, metadata, clock, log, config, coordinatorEpoch: starts })
    const users =
      options.sasl === undefined
        ? undefined
        : createUsers(options.sasl.mechanisms ?? ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'], options.sasl.users)

    const parts: BrokerParts = {
      clock,
      log,
      config,
      metadata,
      topics,
      groups: coordinators.groups,
      transactions: coordinators.transactions,
      markers: coordinators.markers,
      fetchSessions: new FetchSessions(limits.fetchSessionsMax),
      users,
      clusterId,
      dataDir: options.dataDir,
    }
    const host = options.host ?? '127.0.0.1'
    const advertised = { host: options.advertised?.host ?? host, port: options.advertised?.port ?? 0 }
    const broker: Broker & { routes: ReadonlyMap<number, import('./server/route.ts').Route> } = {
      ...parts,
      routes: new Map(),
      advertised,
    }
    broker.routes = allRoutes(broker)

    const requestFaults = new RequestFaults(
      clock,
      (id) => topics.topicName(id),
      () => [...broker.routes.values()].map((r) => r.api.name),
    )
    const dispatcher = new Dispatcher(broker, requestFaults, coordinators)
    const server = new Server(
      {
        host,
        port: options.port ?? 0,
        tls: options.tls,
        connectionsMax: limits.connectionsMax,
        idleMs: config.number('connections.max.idle.ms'),
        needsAuthentication: users !== undefined,
      },
      {
        limits,
        log,
        route: (key) => broker.routes.get(key),
        dispatch: dispatcher.dispatch,
        rawSasl: dispatcher.rawSasl,
      },
      clock,
    )
    for (const [name, wish] of Object.entries(options.topics ?? {})) {
      const { partitions, config: configs } =
        typeof wish === 'number'
          ? { partitions: wish, config: {} }
          : { partitions: wish.partitions ?? 1, config: wish.config ?? {} }
      if (topics.get(name) === undefined) await topics.create({ name, partitions, configs })
    }
    const port = await server.listen()
    if (options.advertised?.port === undefined) advertised.port = port
    const keeper = new LogKeeper(topics, config, clock, log)
    keeper.start()

    let closing: Promise<void> | undefined
    const takeApart = async (graceful: boolean): Promise<void> => {
      keeper.stop()
      await (graceful ? server.close(closeGraceMs) : server.destroy())
      coordinators.close()
      if (!graceful) return storage.abandon()
      await topics.close()
      await storage.close()
    }
    takeDown = () => {
      closing ??= takeApart(false)
    }
    const close = (): Promise<void> => {
      closing ??= takeApart(true)
      return closing
    }
    const faults: BrokerFaults = {
      inject: (fault) => requestFaults.inject(fault),
      disk: (fault) => diskFaults.inject(fault),
      rebalance: (group) => coordinators.groups.forceRebalance(group),
      expireSession: (group, memberId) => coordinators.groups.expireSession(group, memberId),
      moveCoordinator: () => coordinators.move(),
      clear: () => {
        requestFaults.clear()
        diskFaults.clear()
      },
    }
    return {
      brokers: [`${advertised.host}:${advertised.port}`],
      host,
      port,
      faults,
      failed: failure.promise,
      close,
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await storage.abandon()
    throw error
  }
}
