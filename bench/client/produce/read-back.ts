/** Not a contender: reads what a producer wrote, and finds every number exactly once. */
import { loadBare, readBare } from '../consume/bare-client.ts'
import type { Contestant } from '../contestants.ts'
import { Ledger } from '../ledger.ts'
import { type Task, totalOf, valueBytes } from '../task.ts'

export async function readBack(task: Task): Promise<Contestant> {
  const modules = await loadBare(task)
  return {
    consume: async (offsets) => {
      const numbers = new Ledger([totalOf(task.ends)])
      const failed = (error: unknown): void => offsets.fail(error)
      await readBare(
        modules,
        task,
        (batch, partition) => {
          for (let index = 0; index < batch.count; index++) {
            const { offset, value } = batch.record(index)
            offsets.see(partition, offset)
            if (value?.length === valueBytes) numbers.see(0, value.readUInt32BE(0))
            else failed(new Error(`${partition}:${offset} is not what was sent`))
          }
          return offsets.left === 0
        },
        failed,
      )
      await offsets.all()
      await numbers.all()
    },
  }
}
