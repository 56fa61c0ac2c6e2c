/** Says who it is, on the standard output that workers share with their parent. */
import { writeSync } from 'node:fs'
import type { ConsumedRecord } from '../../../../src/index.ts'

export default (record: ConsumedRecord): void => {
  writeSync(1, `${process.pid}\n`)
  while (String(record.value) === 'busy') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
}
