/** The state log, byte for byte as Apache Kafka 4.1.1 wrote it to `__consumer_offsets` for the same requests. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ManualClock } from '../../../../src/broker/clock.ts'
import type { StateRecord } from '../../../../src/broker/groups/ports.ts'
import { batchBytes, offsetRecord, readStateKey } from '../../../../src/broker/groups/records.ts'
import { MemoryStateLog } from './support/memory-state-log.ts'
import { positions, World } from './support/world.ts'

const group = 'gmwihz8ye'
const simple = 'smwihz8ye'
const groupKey = '00020009676d7769687a387965'
const uuid = 'f9b31cdb-3c05-485e-a800-0aafd4588fb7'
const subscriptionToIn = Buffer.from('0000000000010002696e00000000', 'hex')

const captured = {
  created: [groupKey, '0003000000000000ffffffff000001a1e1a7d87800000000'],
  assigned: [
    groupKey,
    '00030008636f6e73756d657200000001000572616e67650026632d66396233316364622d336330352d343835652d613830302d306161666434' +
      '353838666237000001a1e1a7d891000000010026632d66396233316364622d336330352d343835652d613830302d306161666434353838' +
      '666237ffff000163000a2f3132372e302e302e3100004e2000004e200000000e0000000000010002696e000000000000000141',
  ],
  emptied: [groupKey, '00030008636f6e73756d657200000002ffffffff000001a1e1a826bd00000000'],
  committed: ['00010009736d7769687a3879650002696e00000000', '0004000000000000000500000000026d000001a1e1a7d8c200'],
  committedWithEnd: [
    '0001000b7265746d7769687a3879650002696e00000000',
    '0001000000000000000500016d000001a1e1a7d8d4000001a1e1a7ec5c',
  ],
  committedOddly: ['00010009736d7769687a3879650002696e00000001', '0004fffffffffffffffbfffffff901000001a1e1a7d8dc00'],
  offsetGone: ['00010009736d7769687a3879650002696e00000001', null],
  groupGone: ['00020009736d7769687a387965', null],
} as const

type Captured = (typeof captured)[keyof typeof captured]

function hex({ key, value }: StateRecord): readonly [string, string | null] {
  return [key.toString('hex'), value?.toString('hex') ?? null]
}

function bytes([key, value]: Captured): StateRecord {
  return { key: Buffer.from(key, 'hex'), value: value === null ? null : Buffer.from(value, 'hex') }
}

function logOf(...records: readonly Captured[]): MemoryStateLog {
  const log = new MemoryStateLog()
  void log.append(records.map(bytes))
  return log
}

describe('group coordinator: records', () => {
  it('Q7 · a group is stored as Kafka stores it: created, assigned, emptied', async () => {
    const clock = new ManualClock(0x1a1e1a7d878)
    const world = new World({ clock, newUuid: () => uuid })
    const protocols = [{ name: 'range', metadata: subscriptionToIn }]
    const how = { groupId: group, sessionTimeoutMs: 20_000, rebalanceTimeoutMs: 20_000, protocols }
    const { memberId } = (await world.join(how)).answer
    await world.advance(0xd891 - 0xd878)
    await world.join({ ...how, memberId })
    await world.advance(0xd89d - 0xd891)
    await world.sync({ groupId: group, memberId, assignments: [{ memberId, assignment: Buffer.from('A') }] })
    await world.advance(0x1a1e1a826bd - clock.now())
    assert.deepEqual(world.log.records.map(hex), [captured.created, captured.assigned, captured.emptied])
  })

  it('Q7 · offsets are stored as Kafka stores them, and so are their ends', async () => {
    const clock = new ManualClock(0x1a1e1a7d8c2)
    const world = new World({ clock })
    const topic = (partition: object) => [{ name: 'in', partitions: [{ partitionIndex: 0, ...partition }] }]
    const five = { committedOffset: 5n, committedMetadata: 'm' }
    await world.commit({ groupId: simple, topics: topic({ ...five, committedLeaderEpoch: 0 }) })
    await world.advance(0xd4 - 0xc2)
    await world.commit({ groupId: 'retmwihz8ye', retentionTimeMs: 5_000n, topics: topic(five) }, 4)
    await world.advance(0xdc - 0xd4)
    const odd = { partitionIndex: 1, committedOffset: -5n, committedLeaderEpoch: -7, committedMetadata: null }
    await world.commit({ groupId: simple, topics: topic(odd) })
    assert.deepEqual(world.log.records.map(hex), [
      captured.committed,
      captured.committedWithEnd,
      captured.committedOddly,
    ])
    await world.deleteGroups(simple)
    assert.deepEqual(world.log.records.slice(3).map(hex), [
      [captured.committed[0], null],
      captured.offsetGone,
      captured.groupGone,
    ])
  })

  it('Q7 · what Kafka wrote is read', async () => {
    const log = logOf(captured.created, captured.assigned, captured.committed, captured.committedWithEnd)
    const world = new World({ log, clock: new ManualClock(0x1a1e1a7d8d4) })
    const described = await world.describe(group)
    assert.equal(described.groupState, 'Stable')
    assert.equal(described.protocolData, 'range')
    const [member] = described.members
    assert.equal(member!.memberId, `c-${uuid}`)
    assert.equal(member!.clientHost, '/127.0.0.1')
    assert.deepEqual(member!.memberMetadata, subscriptionToIn)
    assert.deepEqual(member!.memberAssignment, Buffer.from('A'))
    assert.deepEqual(await world.offsets(simple), { 'in/0': 5 })
    assert.deepEqual(await world.offsets('retmwihz8ye'), { 'in/0': 5 })
  })

  it('Q7 · tombstones of Kafka are read', async () => {
    const log = logOf(captured.committedOddly, captured.created, captured.offsetGone, captured.groupGone)
    const world = new World({ log })
    assert.deepEqual(await world.offsets(simple), {})
    const { groups } = await world.list()
    assert.deepEqual(
      groups.map(({ groupId }) => groupId),
      [group],
    )
  })

  it('L5 · a version from the future is refused by name; records of other kinds are passed over', () => {
    const future = { key: Buffer.from(groupKey, 'hex'), value: Buffer.from('0063', 'hex') }
    assert.throws(() => new World().coordinator.replay(future.key, future.value), { code: 'STATE_RECORD_UNKNOWN' })
    assert.deepEqual(readStateKey(Buffer.from('000b00', 'hex')), { kind: 'foreign', type: 11 })
    new World().coordinator.replay(Buffer.from('000b00', 'hex'), Buffer.from('00', 'hex'))
  })

  it('I10 · one commit is one batch: 252 partitions with 4096 characters fit, 253 do not, as in Kafka', async () => {
    const partitions = (count: number) =>
      Array.from({ length: count }, (_, partitionIndex) => ({
        partitionIndex,
        committedOffset: 1n,
        committedMetadata: 'x'.repeat(4_096),
      }))
    const world = new World({ topics: { big: 300 } })
    const commit = async (count: number): Promise<readonly number[]> => {
      const topics = [{ name: 'big', partitions: partitions(count) }]
      const { answer } = await world.commit({ groupId: 'bigmwii1kdv', topics })
      return [...new Set(answer.topics[0]!.partitions.map(({ errorCode }) => errorCode))]
    }
    assert.deepEqual(await commit(253), [-1])
    assert.deepEqual((await world.list()).groups, [], 'nothing came of it')
    assert.deepEqual(await commit(252), [0])
    assert.equal(Object.keys(await world.offsets('bigmwii1kdv')).length, 252)
  })

  it('I10 · the size of a batch is that of the batch that is written', () => {
    const key = { group: 'g', topic: 'in', partition: 0 }
    const record = offsetRecord(key, { offset: 1n, metadata: 'm'.repeat(200), commitTimestamp: 1n })
    // 61 of the header; two of the length; attributes, two deltas; lengths; no headers.
    const own = record.key.length + record.value!.length
    assert.equal(batchBytes([record]), 61 + 2 + 3 + 1 + 2 + own + 1)
    const many = Array.from({ length: 65 }, () => record)
    assert.equal(batchBytes(many), 61 + 65 * (batchBytes([record]) - 61) + 1, 'the 65th offset delta has two bytes')
    assert.equal(batchBytes([{ key: record.key, value: null }]), 61 + 1 + 3 + 1 + record.key.length + 1 + 1)
  })

  it('I10 · metadata is counted in UTF-16 units', async () => {
    const world = new World()
    const commit = async (metadata: string): Promise<number> =>
      (await world.commit({ topics: positions(1, metadata) })).answer.topics[0]!.partitions[0]!.errorCode
    assert.equal(await commit('界'.repeat(4_096)), 0)
    assert.equal(await commit(`${'😀'.repeat(2_048)}x`), 12)
  })
})
