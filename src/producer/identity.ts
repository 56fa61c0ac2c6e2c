/**
 * A producer's identity at the brokers. Two identities are the same only if they are the same object: whoever holds an
 * older one knows it.
 */
import { answeredWith } from '../cluster/answers.ts'
import { Backoff, type BackoffOptions } from '../cluster/backoff.ts'
import type { Coordinator } from '../cluster/coordinator.ts'
import { anyNode, type Wire } from '../cluster/wire.ts'
import { FanlaneError } from '../errors.ts'
import { errorCodes } from '../protocol/errors.ts'
import { initProducerIdApi } from '../protocol/generated/22-init-producer-id.ts'

export interface ProducerIdentity {
  readonly producerId: number
  readonly producerEpoch: number
}

const maxEpoch = 0x7fff

/** The same producer, one epoch on: what is still under way from before is refused once this one has written. */
export function raised({ producerId, producerEpoch }: ProducerIdentity): ProducerIdentity | null {
  return producerEpoch >= maxEpoch - 1 ? null : { producerId, producerEpoch: producerEpoch + 1 }
}

export interface InitParts {
  readonly wire: Wire
  readonly backoff: BackoffOptions
  /** Without one: an idempotent producer, whom any broker can name. */
  readonly transaction: {
    readonly coordinator: Coordinator
    readonly transactionalId: string
    readonly timeoutMs: number
    /** What we hold and want raised. null: a new instance, which fences every other one. */
    readonly claim: ProducerIdentity | null
  } | null
  /** Until then it is tried again and again. Default: for ever. */
  readonly deadlineMs?: number
}

/** No use in asking again. */
const refusals: ReadonlySet<number> = new Set([
  errorCodes.INVALID_TRANSACTION_TIMEOUT,
  errorCodes.INVALID_REQUEST,
  errorCodes.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
  errorCodes.CLUSTER_AUTHORIZATION_FAILED,
  errorCodes.UNSUPPORTED_VERSION,
])

const fencings: ReadonlySet<number> = new Set([
  errorCodes.PRODUCER_FENCED,
  errorCodes.INVALID_PRODUCER_EPOCH,
  errorCodes.INVALID_PRODUCER_ID_MAPPING,
  errorCodes.TRANSACTION_COORDINATOR_FENCED,
])

/**
 * Whatever the old identity left open is finished or aborted when this resolves. null: the client was closed, or the
 * deadline came, before there was an answer. Rejects where the cluster will not have us; PRODUCER_FENCED: somebody
 * else holds what we claim.
 */
export async function initProducerId(parts: InitParts): Promise<ProducerIdentity | null> {
  const { wire, transaction, deadlineMs = Number.POSITIVE_INFINITY } = parts
  const backoff = new Backoff(wire.clock, parts.backoff)
  while (wire.isOpen) {
    const node = transaction === null ? anyNode : await transaction.coordinator.find()
    if (node !== null) {
      const answer = await ask(wire, node, transaction)
      transaction?.coordinator.learn(node, answer?.errorCode ?? null)
      const code = answer?.errorCode
      if (answer !== null && code === errorCodes.NONE) {
        return { producerId: Number(answer.producerId), producerEpoch: answer.producerEpoch }
      }
      if (code !== undefined && refusals.has(code)) throw answeredWith(code, 'InitProducerId')
      if (code !== undefined && transaction?.claim != null && fencings.has(code)) {
        throw fencedError(transaction.transactionalId)
      }
    }
    if (wire.clock.now() >= deadlineMs) return null
    await backoff.pause()
  }
  return null
}

async function ask(
  wire: Wire,
  node: number,
  transaction: InitParts['transaction'],
): Promise<{ errorCode: number; producerId: bigint; producerEpoch: number } | null> {
  const claim = transaction?.claim ?? null
  const answer = await wire.ask(
    node,
    initProducerIdApi,
    (version) => ({
      transactionalId: transaction?.transactionalId ?? null,
      // Only a transaction can take too long; without one the number is not looked at.
      transactionTimeoutMs: transaction?.timeoutMs ?? 0x7fff_ffff,
      // Before version 3 every asker is a new instance.
      ...(version >= 3 && claim !== null
        ? { producerId: BigInt(claim.producerId), producerEpoch: claim.producerEpoch }
        : {}),
    }),
    { maxVersion: 5 },
  )
  return answer?.body ?? null
}

export function fencedError(transactionalId: string, cause?: unknown): FanlaneError {
  return new FanlaneError(
    'PRODUCER_FENCED',
    `Another producer has taken over the transactional id '${transactionalId}'. Stop this one, or give every producer an id of its own.`,
    cause === undefined ? {} : { cause },
  )
}

export function closedError(): FanlaneError {
  return new FanlaneError(
    'CLOSED',
    'The producer was closed before the record was acknowledged. Await what you send before you close, or give close() more time.',
  )
}
