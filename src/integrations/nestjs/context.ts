/** The second argument of a Nest handler (`@Ctx()`): what a handler of fanlane is given. */
import { BaseRpcContext } from '@nestjs/microservices'
import type { ConsumedRecord, HandlerContext, SendRecord } from '../../index.ts'
import type { Logger } from '../../ports/logger.ts'

export type FanlaneContextArgs<Key, Value> = [record: ConsumedRecord<Key, Value>, context: HandlerContext]

export class FanlaneContext<Key = unknown, Value = unknown> extends BaseRpcContext<FanlaneContextArgs<Key, Value>> {
  /** Topic, partition, offset, timestamp, key, value, headers. */
  get record(): ConsumedRecord<Key, Value> {
    return this.args[0]
  }

  /** Aborted when the partition is taken away, when closing takes too long, and at `handlerTimeoutMs`. */
  get signal(): AbortSignal {
    return this.args[1].signal
  }

  /** 1, 2, 3 … */
  get attempt(): number {
    return this.args[1].attempt
  }

  get log(): Logger {
    return this.args[1].log
  }

  /** Published only if this record finishes; with exactly-once in the same transaction. */
  send(record: SendRecord | readonly SendRecord[]): Promise<void> {
    return this.args[1].send(record)
  }
}
