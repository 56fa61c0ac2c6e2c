/**
 * Starts a broker in this thread: opens it, puts the handlers behind a server, and hands its user the few things that can
 * be done with it from outside.
 */
import { FanlaneError } from '../errors.ts'
import type { Broker } from './broker.ts'
import type { BrokerFaults } from './faults/faults.ts'
import { DiskFaults } from './faults/faulty-disk.ts'
import { RequestFaults } from './faults/request-faults.ts'
import { allRoutes } from './handlers/routes.ts'
import { clockAndLogOf, type OpenedBroker, openBroker } from './open-broker.ts'
import { type BrokerOptions, defaultLimits } from './options.ts'
import { Dispatcher } from './server/dispatcher.ts'
import type { Route } from './server/route.ts'
import { Server } from './server/server.ts'
import { Teardown } from './teardown.ts'

export interface RunningBroker extends AsyncDisposable {
  /** What to give to clients, e.g. `['127.0.0.1:49152']`. */
  readonly brokers: string[]
  readonly host: string
  readonly port: number
  readonly faults: BrokerFaults
  /** Resolves, with the cause, when the broker has stopped by itself: its disk has failed, or a planted fault crashed it. */
  readonly failed: Promise<FanlaneError>
  /** Lets the process end although the broker runs. */
  unref(): void
  /** Ends answers under way, makes everything durable, lets go of the data directory. */
  close(): Promise<void>
}

const closeGraceMs = 1_000

export async function startInProcess(options: BrokerOptions): Promise<RunningBroker> {
  return (await startWithParts(options)).running
}

export interface StartedParts {
  readonly running: RunningBroker
  readonly parts: OpenedBroker
  /** Requests that have arrived. */
  readonly requests: () => number
}

/** For tests of the broker itself: with a look inside. */
export async function startWithParts(options: BrokerOptions): Promise<StartedParts> {
  const { clock, log } = clockAndLogOf(options)
  const teardown = new Teardown()
  const failure = Promise.withResolvers<FanlaneError>()
  const crash = (cause: FanlaneError): void => {
    failure.resolve(cause)
    teardown.run('crash').catch((error: unknown) => log.error('the broker could not be taken apart', error))
  }
  const diskFaults = new DiskFaults(clock, () => {
    crash(new FanlaneError('BROKER_CRASHED', 'A planted fault crashed the broker: start it again.'))
  })
  try {
    const opened = await openBroker(options, { clock, log, diskFaults, onFatal: crash, teardown })
    const { topics, coordinators } = opened
    const host = options.host ?? '127.0.0.1'
    const advertised = { host: options.advertised?.host ?? host, port: options.advertised?.port ?? 0 }
    const broker = withRoutes(opened, advertised)
    const apiNames = (): string[] => [...broker.routes.values()].map(({ api }) => api.name)
    const requestFaults = new RequestFaults(clock, (id) => topics.topicName(id), apiNames)
    const dispatcher = new Dispatcher(broker, requestFaults, coordinators)
    const server = serverFor(broker, options, dispatcher)
    const port = await server.listen()
    teardown.add((ending) => (ending === 'graceful' ? server.close(closeGraceMs) : server.destroy()))
    teardown.add(() => requestFaults.close())
    if (options.advertised?.port === undefined) advertised.port = port
    const close = (): Promise<void> => teardown.run('graceful')
    const running: RunningBroker = {
      brokers: [`${advertised.host}:${advertised.port}`],
      host,
      port,
      faults: faultsOf(opened, requestFaults, diskFaults),
      failed: failure.promise,
      unref: () => server.unref(),
      close,
      [Symbol.asyncDispose]: close,
    }
    return { running, parts: opened, requests: () => dispatcher.requests }
  } catch (error) {
    await teardown.run('crash')
    throw error
  }
}

/** Handlers see the broker, and one of them lists the handlers. */
function withRoutes(opened: OpenedBroker, advertised: Broker['advertised']): Broker {
  const routes = new Map<number, Route>()
  const broker: Broker = { ...opened, routes, advertised }
  for (const route of allRoutes(broker)) routes.set(route.api.key, route)
  return broker
}

function serverFor(broker: Broker, options: BrokerOptions, { dispatch, rawSasl }: Dispatcher): Server {
  const limits = { ...defaultLimits, ...options.limits }
  return new Server(
    {
      host: options.host ?? '127.0.0.1',
      port: options.port ?? 0,
      tls: options.tls,
      connectionsMax: limits.connectionsMax,
      idleMs: broker.config.number('connections.max.idle.ms'),
      needsAuthentication: broker.users !== undefined,
    },
    {
      limits,
      log: broker.log,
      route: (key) => broker.routes.get(key),
      dispatch,
      rawSasl,
      whenRoom: () => broker.whenRoom(),
    },
  )
}

function faultsOf({ coordinators }: OpenedBroker, requests: RequestFaults, disk: DiskFaults): BrokerFaults {
  return {
    inject: (fault) => requests.inject(fault),
    disk: (fault) => disk.inject(fault),
    rebalance: (group) => coordinators.groups.forceRebalance(group),
    expireSession: (group, memberId) => coordinators.groups.expireSession(group, memberId),
    moveCoordinator: () => coordinators.move(),
    clear: () => {
      requests.clear()
      disk.clear()
    },
  }
}
