/** Commits of many full maps: more than Kafka takes in one request. */
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { connect } from '../../src/clients/native/connect.ts'
import type { NativeClient } from '../../src/clients/native/native-client.ts'
import type { CommitEntry, LeaseName } from '../../src/kernel/events.ts'
import { asPosition } from '../../src/kernel/ids.ts'
import { SystemClock } from '../../src/system-clock.ts'
import { notebook } from '../e2e/support.ts'
import { type Target, unique } from '../support/targets.ts'
import { within } from '../support/wait.ts'
import { RawKafka } from './support/raw-kafka.ts'

const partitions = 300
/** Three bytes each in UTF-8: what maps are written in. */
const wide = '\u{5000}'.repeat(4_000)

export function fullMaps(target: Target): void {
  let raw: RawKafka
  before(async () => {
    raw = await RawKafka.connect(target.brokers)
  })
  after(() => raw[Symbol.asyncDispose]())

  test('G6 P6 I10 · 300 partitions with 4,000 wide characters each are committed, in several requests', async (t) => {
    const topic = unique('wide')
    const group = unique('group')
    await raw.createTopic(topic, partitions)
    const { client, leases } = await start(t, target, group, topic)
    const entry = (lease: LeaseName): CommitEntry => ({
      ...lease,
      position: asPosition(0),
      metadata: wide,
      leaderEpoch: -1,
    })
    const outcomes = await within('all are answered', client.commit(leases.map(entry)))
    assert.deepEqual(new Set(outcomes), new Set(['ok']))
    const stored = await raw.stored(group)
    assert.equal(stored.length, partitions)
    for (const { metadata } of stored) assert.equal(metadata, wide)
    await within('read back', client.readPositions(leases))
  })

  test('I10 · one character more than the broker takes is told apart from everything else', async (t) => {
    const topic = unique('wide')
    const group = unique('group')
    await raw.createTopic(topic, 2)
    const { client, leases } = await start(t, target, group, topic, 2)
    const entries = leases.map((lease, at) => ({
      ...lease,
      position: asPosition(0),
      metadata: 'x'.repeat(4_096 + at),
      leaderEpoch: -1,
    }))
    assert.deepEqual(await client.commit(entries), ['ok', 'too-large'])
  })
}

async function start(
  t: TestContext,
  { brokers }: Target,
  group: string,
  topic: string,
  count = partitions,
): Promise<{ client: NativeClient; leases: readonly LeaseName[] }> {
  const client = connect({
    brokers,
    clock: new SystemClock(),
    logger: notebook(),
    group,
    topics: { names: [], matches: null },
    partitions: Array.from({ length: count }, (_, partition) => ({ topic, partition })),
    startFrom: 'earliest',
    isolation: 'read_committed',
    tune: 'latency',
    drainMs: 1_000,
    client: {},
    transactionalId: undefined,
  })
  t.after(() => client.close({}))
  const failures: unknown[] = []
  const assigned = Promise.withResolvers<readonly LeaseName[]>()
  await client.start({
    assigned: (names) =>
      assigned.resolve(names.map((name, at) => ({ ...name, epoch: (at + 1) as LeaseName['epoch'] }))),
    revoked: async () => undefined,
    lost: () => undefined,
    failed: (error) => failures.push(error),
  })
  const leases = await assigned.promise
  // Some are told sooner than others: a topic of so many partitions has not all of its leaders at once.
  for (let open = leases; open.length > 0; ) {
    const starts = await within('positions', client.readPositions(open))
    open = open.filter(({ epoch }) => !starts.some((start) => start.epoch === epoch))
  }
  assert.equal(leases.length, count)
  assert.deepEqual(failures, [])
  return { client, leases }
}
