/** What the simulated wire needs of a network. */
import { FanlaneError } from '../../../errors.ts'
import type { RequestKind, RequestOf, ResponseOf } from '../cluster/requests.ts'

/** One socket: requests arrive in the order in which they were sent, and each is answered before the next is looked at. */
export interface Connection {
  /** Whom it leads to; −1: anybody. */
  readonly node: number
  /** When the last request that was sent arrives. */
  arrivesMs: number
  /** When the last answer that was given arrives. */
  answeredMs: number
  /** A request was lost: nothing that is sent after it arrives either. */
  isCut: boolean
  /** One of them is being answered; the others wait. */
  isBusy: boolean
  readonly queue: (() => void)[]
}

export function newConnection(node: number): Connection {
  return { node, arrivesMs: 0, answeredMs: 0, isCut: false, isBusy: false, queue: [] }
}

/**
 * The network. It resolves with the answer, or rejects with `RequestTimeout` after `timeoutMs`: the request may or may
 * not have been applied then, and may still be applied later. It must answer through the clock of the client's process,
 * or a frozen process would go on working.
 */
export interface SimTransport {
  call<K extends RequestKind>(request: RequestOf<K>, timeoutMs: number, connection: Connection): Promise<ResponseOf<K>>
}

export class RequestTimeout extends FanlaneError {
  constructor(kind: RequestKind) {
    super('REQUEST_TIMEOUT', `${kind} was not answered in time.`, { retriable: true })
    this.name = 'RequestTimeout'
  }
}
