/** Sends what it was given, with the type of the key. */
import type { ConsumedRecord, HandlerContext } from '../../../../src/index.ts'

export default (record: ConsumedRecord<unknown, unknown>, context: HandlerContext): Promise<void> =>
  context.send({ topic: 'out', value: `${typeof record.key} ${record.key} ${JSON.stringify(record.value)}` })
