/** Observations as users know them: events, and log lines for what needs eyes. */
import type { Notice, WorkId } from '../kernel/events.ts'
import type { Logger } from '../ports/logger.ts'
import type { Observation } from '../ports/observer.ts'
import type { EventHub } from './events.ts'
import { readable } from './lane-key.ts'

/** Kafka's words for "somebody else is you now". */
const FENCED_CODES: ReadonlySet<unknown> = new Set([
  'TRANSACTIONAL_ID_FENCED',
  'PRODUCER_FENCED',
  'INVALID_PRODUCER_EPOCH',
  'FENCED_INSTANCE_ID',
])

export function tell(events: EventHub, observation: Observation, logger: Logger): void {
  switch (observation.kind) {
    case 'assigned':
    case 'revoked':
      events.emit(observation.kind, observation.partitions)
      return
    case 'lost':
      logger.warn({ partitions: observation.partitions }, 'partitions lost: their work goes on elsewhere')
      events.emit('revoked', observation.partitions)
      return
    case 'commit': {
      const stored = observation.entries.filter((_, at) => observation.outcomes[at] === 'ok')
      if (stored.length > 0) events.emit('committed', stored)
      return
    }
    case 'transaction':
      if (observation.outcome.kind === 'committed') events.emit('committed', observation.entries)
      else logger.warn({ outcome: observation.outcome }, 'transaction did not commit')
      return
    case 'exhausted':
      logger.error({ ...where(observation.work), error: observation.error }, 'record failed for good')
      events.emit('dead-letter', { work: observation.work, error: observation.error })
      return
    case 'notice':
      return tellNotice(events, observation.notice, logger)
    case 'error':
      logger.error({ error: observation.error }, 'error')
      events.emit('error', observation.error)
      return
    case 'fatal':
      logger.error({ error: observation.error }, 'the consumer stops')
      if (FENCED_CODES.has(codeOf(observation.error))) events.emit('fenced', observation.error)
      events.emit('error', observation.error)
  }
}

function tellNotice(events: EventHub, notice: Notice, logger: Logger): void {
  switch (notice.kind) {
    case 'retry':
      events.emit('retry', notice)
      return
    case 'exhaust-retry':
      logger.warn(
        { ...where(notice.work), atMs: notice.atMs, error: notice.error },
        'record failed for good, and its way out did not work: it stays pending',
      )
      events.emit('dead-letter-retry', { work: notice.work, atMs: notice.atMs, error: notice.error })
      return
    case 'parked':
      return tellParked(events, notice, logger)
    case 'parked-full':
      logger.error(
        { ...notice.partition, keys: notice.keys, records: notice.records },
        'parked keys take up most of what this partition may hold, fetching waits: resume them, or skip their records',
      )
      return
    case 'skipped':
      logger.warn({ ...where(notice.work), error: notice.error }, 'record skipped')
      events.emit('skipped', { work: notice.work, error: notice.error })
      return
    case 'map-restored':
      logger.info(notice, notice.kind)
      return
    default:
      logger.warn(notice, notice.kind)
  }
}

function tellParked(events: EventHub, notice: Extract<Notice, { kind: 'parked' }>, logger: Logger): void {
  const { poisons, error } = notice
  const { topic, partition } = notice.partition
  const parked = { topic, partition, key: notice.key === null ? null : readable(notice.key), poisons, error }
  logger.error(parked, 'key parked: its records failed for good one after the other; resume() lets it go on')
  events.emit('parked', parked)
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | null | undefined)?.code
}

function where({ topic, partition, offset, attempt }: WorkId): object {
  return { topic, partition, offset, attempt }
}
