/**
 * Writing outside transactions, idempotently: in order per partition, and a lost answer makes no duplicate. A publication
 * is acknowledged when all of its records are.
 */

import type { Metadata } from '../../../cluster/metadata.ts'
import type { Wire } from '../../../cluster/wire.ts'
import { FanlaneError } from '../../../errors.ts'
import type { Publication, PublishResult } from '../../../kernel/events.ts'
import type { OutgoingRecord } from '../../../ports/log-client.ts'
import { type CoreOptions, ProducerCore } from '../../../producer/core.ts'
import { isUnwritable } from '../../../producer/verdict.ts'
import { outgoingOf } from './outgoing.ts'

export interface PublisherParts {
  readonly wire: Wire
  readonly metadata: Metadata
  readonly produce: CoreOptions
  /** Something went wrong that cannot. */
  readonly onError: (error: unknown) => void
}

export class Publisher {
  readonly #wire: Wire
  readonly #core: ProducerCore

  constructor({ wire, metadata, produce, onError }: PublisherParts) {
    this.#wire = wire
    this.#core = new ProducerCore({ wire, metadata, options: produce, onError, isEager: false })
  }

  publish(publications: readonly Publication[]): Promise<readonly PublishResult[]> {
    return Promise.all(publications.map((publication) => this.#publish(publication)))
  }

  /** What is not acknowledged fails: it may be in the log or not. */
  close(): void {
    this.#core.close()
  }

  async #publish({ work, sends }: Publication): Promise<PublishResult> {
    const nowMs = this.#wire.clock.now()
    try {
      await this.#core.send((sends as readonly OutgoingRecord[]).map((sent) => outgoingOf(sent, nowMs)))
      return { work, ok: true }
    } catch (error) {
      const permanent = error instanceof FanlaneError && isUnwritable(error.code)
      return { work, ok: false, error, permanent }
    }
  }
}
