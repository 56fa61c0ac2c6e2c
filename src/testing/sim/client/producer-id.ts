/** A producer's identity at the brokers, and how far it has counted in each partition. */
import { FanlaneError } from '../../../errors.ts'
import type { Coordinator } from './coordinator.ts'
import { answeredWith, type Wire } from './wire.ts'

export class ProducerId {
  readonly producerId: number
  readonly producerEpoch: number
  /** Sequence numbers, by partition; they wrap to 0 after 2³¹ − 1. */
  readonly #next: Map<string, number> = new Map()

  constructor(producerId: number, producerEpoch: number) {
    this.producerId = producerId
    this.producerEpoch = producerEpoch
  }

  nextSequence(key: string): number {
    return this.#next.get(key) ?? 0
  }

  /** Only for a batch that is certainly in: a refused one has used no numbers. */
  advance(key: string, records: number): void {
    this.#next.set(key, (this.nextSequence(key) + records) % 2 ** 31)
  }
}

const FATAL: ReadonlySet<string> = new Set(['INVALID_TRANSACTION_TIMEOUT', 'INVALID_REQUEST'])

/**
 * A new identity, asked for as a new instance (−1/−1): whatever the old one left open is finished or aborted, and what
 * it may still have under way is fenced. Tries until it is answered; null: the client was closed first.
 */
export async function initProducerId(wire: Wire, coordinator: Coordinator | null): Promise<ProducerId | null> {
  const { transactionalId, transactionTimeoutMs } = wire.options
  const backoff = wire.backoff()
  while (wire.isOpen) {
    const node = coordinator === null ? ANY_NODE : await coordinator.find()
    if (node !== null) {
      const answer = await wire.ask('InitProducerId', {
        node,
        transactionalId: coordinator === null ? null : transactionalId,
        transactionTimeoutMs,
        producerId: -1,
        producerEpoch: -1,
      })
      coordinator?.learn(node, answer?.errorCode ?? null)
      if (answer?.errorCode === 'NONE') return new ProducerId(answer.producerId, answer.producerEpoch)
      if (answer !== null && FATAL.has(answer.errorCode)) throw answeredWith(answer.errorCode, 'InitProducerId')
    }
    await backoff.pause()
  }
  return null
}

/** Without a transactional id every broker answers. */
const ANY_NODE = 0

export function closedError(): FanlaneError {
  return new FanlaneError('CLOSED', 'The client was closed before the record was acknowledged.')
}
