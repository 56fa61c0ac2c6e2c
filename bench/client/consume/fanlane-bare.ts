/** fanlane's bare read loop: no group, no commit; every record's offset and key are looked at. */
import type { Contestant } from '../contestants.ts'
import type { Task } from '../task.ts'
import { loadBare, readBare } from './bare-client.ts'

export async function fanlaneBare(task: Task): Promise<Contestant> {
  const modules = await loadBare(task)
  return {
    consume: async (ledger) => {
      let keyChars = 0
      await readBare(
        modules,
        task,
        ({ count, offsets, keys }, partition) => {
          for (let index = 0; index < count; index++) {
            keyChars += keys[index]?.length ?? 0
            ledger.see(partition, offsets[index] ?? -1)
          }
          return ledger.left === 0
        },
        (error) => ledger.fail(error),
      )
      await ledger.all()
      if (keyChars === 0) throw new Error('no record had a key')
    },
  }
}
