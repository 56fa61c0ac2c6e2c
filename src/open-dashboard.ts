/** Where consumers, brokers and the dashboard meet. */
import { hostname } from 'node:os'
import type { Admin } from './admin/admin.ts'
import { settled } from './admin/failures.ts'
import { type AdminClientOptions, openAdmin } from './admin/open-admin.ts'
import { software } from './cluster/net/software.ts'
import type { Composed } from './compose.ts'
import { settings } from './config/schema.ts'
import { codeOf, messageOf } from './consumer/error-text.ts'
import { readable, readablePartition } from './consumer/lane-key.ts'
import { stderrLogger } from './consumer/logger.ts'
import type { ConsumeOptions } from './consumer/options.ts'
import type { GroupTools } from './dashboard/board.ts'
import { describedOptions } from './dashboard/described-options.ts'
import type { MemberFrame } from './dashboard/frames.ts'
import { LocalInstance } from './dashboard/local.ts'
import { type CommitReader, OutsideInstance } from './dashboard/outside.ts'
import { type DashboardHandler, type DashboardOptions, DashboardServer } from './dashboard/server.ts'
import { sharedServer } from './dashboard/shared.ts'
import type { Watched, WatchedListener } from './dashboard/watched.ts'
import { type DeadLetterBox, openDeadLetterBox } from './dead-letters/box.ts'
import { brokersOr } from './embedded.ts'
import type { WorkId } from './kernel/events.ts'
import { Glancer } from './kernel/glance.ts'
import { hottestLanes, partitionSnapshot } from './kernel/snapshot.ts'
import { stripOf } from './kernel/strip.ts'
import { waitingRecords } from './kernel/waiting.ts'
import type { Clock } from './ports/clock.ts'
import type { Logger } from './ports/logger.ts'
import { SystemClock } from './system-clock.ts'
import type { Telemetry } from './telemetry/telemetry.ts'

export interface RunningDashboard {
  /** Where it is. */
  readonly url: string
  /** The same, with the token that lets a browser act, if actions are allowed and nobody chose the token. */
  readonly link: string
  /** Answers what comes to another server under a path: see `Consumer.dashboard`. */
  readonly handle: DashboardHandler
  close(): Promise<void>
}

/** The dashboard of a consumer in this process. It ends with the consumer. */
export async function dashboardOf(
  composed: Composed,
  telemetry: Telemetry,
  options: ConsumeOptions<unknown, unknown> & { readonly dashboard: DashboardOptions },
  brokers: readonly string[] | null,
  clock: Clock,
): Promise<RunningDashboard> {
  const { logger } = composed
  const { server, release } = await sharedServer({
    options: options.dashboard,
    version: software.version,
    source: 'process',
    clock,
    logger,
  })
  const instance = new LocalInstance(watchedOf(composed, telemetry, options, clock))
  const remove = server.add(instance, () => (brokers === null ? null : toolsOf(brokers, options.client, clock)))
  logger.info({ url: server.link }, 'dashboard')
  return {
    url: server.url,
    link: server.link,
    handle: server.handle,
    close: async () => {
      await remove()
      await release()
    },
  }
}

export interface OutsideOptions extends DashboardOptions {
  readonly brokers?: string | readonly string[]
  /** Several may be named. */
  readonly group: string | readonly string[]
  readonly client?: AdminClientOptions
  readonly logger?: Logger
  /** A position that has not moved for longer counts as stalled. Default one minute. */
  readonly stalledAfterMs?: number
}

export interface OutsideDashboard extends RunningDashboard {
  /** One more group. */
  watch(group: string): void
}

/** A dashboard of groups that others run: only the brokers are asked. With `peers` their own dashboards are asked instead. */
export async function openDashboard(options: OutsideOptions): Promise<OutsideDashboard> {
  const { group, client, logger = stderrLogger(), stalledAfterMs = 60_000, peers = [] } = options
  const clock = new SystemClock()
  const brokers = await brokersOr(options.brokers)
  const source = peers.length > 0 ? 'process' : 'outside'
  const server = await DashboardServer.open({ options, version: software.version, source, clock, logger })
  const tools: GroupTools & CommitReader = toolsOf(brokers, client, clock)
  const watch = (name: string): void => {
    const reader: CommitReader = peers.length > 0 ? NOBODY : tools
    server.add(new OutsideInstance({ group: name, reader, clock, stalledAfterMs }), () => tools)
  }
  for (const name of typeof group === 'string' ? [group] : group) watch(name)
  return { url: server.url, link: server.link, handle: server.handle, watch, close: () => server.close() }
}

/** The peers tell everything; what is read from outside would count twice. */
const NOBODY: CommitReader = { committed: () => Promise.resolve([]), logEnds: () => Promise.resolve([]) }

function watchedOf(
  { consumer, runtime }: Composed,
  telemetry: Telemetry,
  options: ConsumeOptions<unknown, unknown>,
  clock: Clock,
): Watched {
  const { state } = runtime
  const stalledAfterMs = options.stalledAfterMs ?? 60_000
  const { times } = telemetry
  const glancer = new Glancer(state)
  return {
    id: `${hostname()}:${process.pid}:${nextNumber()}`,
    name: options.client?.clientId ?? `${hostname()} ${process.pid}`,
    group: options.group ?? '',
    engine: engineInWords(options),
    clock,
    mapMaxChars: state.options.commit.mapMaxChars,
    stalledAfterMs,
    glance: () => glancer.glance(clock.now(), stalledAfterMs),
    // What was glanced at may have gone since, and its slots may be somebody else's.
    partition: (lease) =>
      state.leases.get(lease.epoch) === lease ? readablePartition(partitionSnapshot(state, lease, clock.now())) : null,
    strip: (lease, cells) => stripOf(state.slots, lease, cells),
    hottest: () => hottestLanes(state).map((lane) => ({ ...lane, key: readable(lane.key) })),
    holds: (partition) => state.leaseOf(partition) !== null,
    waiting: (max) => {
      const { total, soonest } = waitingRecords(state, max)
      return {
        total,
        soonest: soonest.map(({ key, error, ...rest }) => ({
          ...rest,
          key: key === null ? null : readable(key),
          error: inWords(error),
        })),
      }
    },
    isClosed: () => runtime.isHalted,
    standing: () => ({
      snapshot: consumer.snapshot(),
      stalledAfterMs,
      hasJoined: runtime.hasJoined,
      isHalted: runtime.isHalted,
    }),
    view: () => telemetry.view(),
    times: {
      handlers: (nowMs) => times?.handlers(nowMs) ?? [],
      commits: (nowMs) => times?.commits(nowMs) ?? [],
      eventLoopMs: (nowMs) => times?.eventLoopMs(nowMs) ?? null,
    },
    listen: (listener) => listenTo(consumer, listener),
    controls: consumer,
    config: () => describedOptions({ ...options }, settings),
  }
}

let instances = 0

function nextNumber(): number {
  instances++
  return instances
}

function listenTo(consumer: Composed['consumer'], { trouble, rebalance }: WatchedListener): void {
  const about = (kind: 'retry' | 'dead-letter' | 'skipped') => (failure: { work: WorkId; error: unknown }) =>
    trouble(() => ({
      kind,
      code: codeOf(failure.error),
      message: messageOf(failure.error ?? 'given up by hand'),
      where: whereOf(failure.work),
    }))
  consumer.on('retry', about('retry'))
  consumer.on('dead-letter', about('dead-letter'))
  consumer.on('skipped', about('skipped'))
  consumer.on('stalled', (stall) =>
    trouble(() => ({ kind: 'stalled', code: 'STALLED', message: stall.reason, where: whereOf(stall) })),
  )
  consumer.on('parked', ({ topic, partition, key, error }) =>
    trouble(() => ({
      kind: 'parked',
      code: codeOf(error),
      message: `key ${JSON.stringify(key)} is parked: ${messageOf(error)}`,
      where: `${topic}-${partition}`,
    })),
  )
  const ending = (kind: 'error' | 'fenced') => (error: unknown) =>
    trouble(() => ({ kind, code: codeOf(error), message: messageOf(error), where: null }))
  consumer.on('error', ending('error'))
  consumer.on('fenced', ending('fenced'))
  consumer.on('assigned', (partitions) => rebalance('assigned', partitions))
  consumer.on('revoked', (partitions) => rebalance('revoked', partitions))
}

function whereOf({ topic, partition, offset }: { topic: string; partition: number; offset: number }): string {
  return `${topic}-${partition}@${offset}`
}

function inWords(error: unknown): string {
  return error === null || error === undefined ? '' : `${codeOf(error)}: ${messageOf(error)}`
}

function engineInWords({ engine = 'async' }: ConsumeOptions<unknown, unknown>): string {
  if (typeof engine === 'string') return engine
  if (!('kind' in engine)) return 'of your own'
  return engine.workers === undefined ? engine.kind : `${engine.kind} × ${engine.workers}`
}

/** Nothing is connected before somebody asks. */
function toolsOf(
  brokers: readonly string[],
  client: AdminClientOptions | ConsumeOptions['client'],
  clock: Clock,
): GroupTools & CommitReader {
  let admin: Admin | null = null
  const ask = (): Admin => {
    admin ??= openAdmin({ brokers, clock, timeoutMs: 5_000, client: connectionOf(client) })
    return admin
  }
  let opened: Promise<DeadLetterBox> | null = null
  const letters = (): Promise<DeadLetterBox> => {
    opened ??= openDeadLetterBox({ brokers, client: connectionOf(client) })
    return opened
  }
  return {
    members: async (group) => {
      const [description] = await ask().describeGroups([group])
      return (description?.members ?? []).map(
        ({ id, clientId, host, assignment }): MemberFrame => ({
          id,
          clientId,
          host,
          partitions: (assignment ?? []).flatMap(({ topic, partitions }) => partitions.map((at) => `${topic}-${at}`)),
        }),
      )
    },
    committed: async (group) => {
      const found = await ask().committed(group)
      return found.flatMap(({ topic, partition, offset, metadata }) =>
        offset === null ? [] : [{ topic, partition, offset, metadata }],
      )
    },
    logEnds: async (partitions) => {
      const questions = partitions.map(({ topic, partition }) => ({ topic, partition, at: 'latest' as const }))
      const { results } = await settled(ask().listOffsets(questions))
      const ends = new Map(results.map(({ topic, partition, offset }) => [`${topic}-${partition}`, offset]))
      return partitions.map(({ topic, partition }) => ends.get(`${topic}-${partition}`) ?? null)
    },
    deadLetters: async (query) => {
      const box = await letters()
      const [topics, page] = await Promise.all([box.topics(), box.list(query)])
      return { topics, ...page }
    },
    deadLetter: async (at) => (await letters()).show(at),
    redrive: async ({ topic, partition, offset }) => {
      const box = await letters()
      const isOne = partition !== undefined && offset !== undefined
      const { redriven, skipped, left } = await box.redrive({ topic, ...(isOne ? { at: { partition, offset } } : {}) })
      const stays = left.length === 0 ? '' : ` ${left.length} stay: ${left[0]?.why ?? ''}`
      return `${redriven} redriven, ${skipped} skipped.${stays}`
    },
    close: async () => {
      await admin?.close()
      await (await opened)?.close()
    },
  }
}

/** Of the options of a consumer, what it takes to connect. */
function connectionOf(client: AdminClientOptions | ConsumeOptions['client'] = {}): AdminClientOptions {
  const { clientId, tls, sasl, requestTimeoutMs, connectTimeoutMs } = client
  return {
    ...(clientId === undefined ? {} : { clientId }),
    ...(tls === undefined ? {} : { tls }),
    ...(sasl === undefined ? {} : { sasl }),
    ...(requestTimeoutMs === undefined ? {} : { requestTimeoutMs }),
    ...(connectTimeoutMs === undefined ? {} : { connectTimeoutMs }),
  }
}
