/** Observations as users know them: events, and log lines for what needs eyes. */
import type { Notice, WorkId } from '../kernel/events.ts'
import type { Logger } from '../ports/logger.ts'
import type { Observation } from '../ports/observer.ts'
import type { EventHub } from './events.ts'

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

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | null | undefined)?.code
}

function where({ topic, partition, offset, attempt }: WorkId): object {
  return { topic, partition, offset, attempt }
}
