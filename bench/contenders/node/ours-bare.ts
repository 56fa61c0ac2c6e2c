/** fanlane's client without anything above it: no group, no commit; every record's place and key are looked at. */
import type { connect as Connect } from '../../../src/clients/native/connect.ts'
import type { FetchFrom, LeaseName } from '../../../src/kernel/events.ts'
import type { Epoch } from '../../../src/kernel/ids.ts'
import type { SystemClock } from '../../../src/system-clock.ts'
import { fromBuild } from './ours.ts'
import type { Prepare } from './run.ts'

export const oursBare: Prepare = async ({ build, brokers, topic, ends }) => {
  const { connect } = await fromBuild<{ connect: typeof Connect }>(build, 'clients/native/connect')
  const { SystemClock: Clock } = await fromBuild<{ SystemClock: typeof SystemClock }>(build, 'system-clock')
  return async (run) => {
    const partitions = ends.map((_, partition) => ({ topic, partition }))
    // Epochs name leases: partition n has n + 1.
    const leases: LeaseName[] = partitions.map((each) => ({ ...each, epoch: (each.partition + 1) as Epoch }))
    const client = connect({
      brokers,
      clock: new Clock(),
      logger: { debug: nothing, info: nothing, warn: console.error, error: console.error },
      group: null,
      topics: { names: [], matches: null },
      partitions,
      startFrom: 'earliest',
      isolation: 'read_committed',
      tune: 'latency',
      drainMs: 0,
      client: {},
      transactionalId: undefined,
    })
    const failed = (error: unknown): void => run.fail(error)
    const assigned = new Promise<void>((resolve) => {
      const lost = (): void => failed(new Error('partitions were lost'))
      client.start({ assigned: () => resolve(), revoked: async () => lost(), lost, failed }).catch(failed)
    })
    await assigned
    const starts = await client.readPositions(leases)
    client.fetch(
      starts.map(({ topic, partition, epoch, position }): FetchFrom => ({ topic, partition, epoch, position })),
    )
    let keyChars = 0
    const loop = async (): Promise<void> => {
      while (run.ledger.left > 0) {
        for (const { epoch, count, offsets, keys } of await client.poll()) {
          const base = run.bases[epoch - 1] ?? 0
          for (let index = 0; index < count; index++) {
            keyChars += keys[index]?.length ?? 0
            run.ledger.seen(base + (offsets[index] ?? -1))
          }
        }
      }
    }
    await Promise.race([loop(), run.finished()])
    if (keyChars === 0) throw new Error('no record had a key')
  }
}

function nothing(): void {
  // Only what goes wrong is printed.
}
