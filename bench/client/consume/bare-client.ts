/** fanlane's client without anything above it: all partitions of a topic from their beginnings, in a loop. */
import type { connect as Connect } from '../../../src/clients/native/connect.ts'
import type { FetchFrom, LeaseName } from '../../../src/kernel/events.ts'
import type { Epoch } from '../../../src/kernel/ids.ts'
import type { RecordBatch } from '../../../src/ports/log-client.ts'
import type { SystemClock } from '../../../src/system-clock.ts'
import type { Task } from '../task.ts'

interface Modules {
  readonly connect: typeof Connect
  readonly Clock: typeof SystemClock
}

export async function loadBare({ build }: Task): Promise<Modules> {
  const { connect } = (await import(`${build}/clients/native/connect.js`)) as { connect: typeof Connect }
  const { SystemClock: Clock } = (await import(`${build}/system-clock.js`)) as { SystemClock: typeof SystemClock }
  return { connect, Clock }
}

/** Calls `take` with every batch and its partition until that says that it has seen enough. */
export async function readBare(
  { connect, Clock }: Modules,
  { brokers, topic, ends }: Task,
  take: (batch: RecordBatch, partition: number) => boolean,
  failed: (error: unknown) => void,
): Promise<void> {
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
  const assigned = new Promise<void>((resolve) => {
    const lost = (): void => failed(new Error('partitions were lost'))
    client.start({ assigned: () => resolve(), revoked: async () => lost(), lost, failed }).catch(failed)
  })
  await assigned
  const starts = await client.readPositions(leases)
  client.fetch(
    starts.map(({ topic, partition, epoch, position }): FetchFrom => ({ topic, partition, epoch, position })),
  )
  for (let isDone = false; !isDone; ) {
    for (const batch of await client.poll()) isDone = take(batch, batch.epoch - 1) || isDone
  }
  await client.close({})
}

function nothing(): void {
  // Only what goes wrong is printed.
}
