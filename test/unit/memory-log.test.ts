/** The log in memory and its client: what users' tests stand on. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MemoryClient } from '../../src/clients/memory/memory-client.ts'
import { MemoryLog } from '../../src/clients/memory/memory-log.ts'
import { asEpoch, type TopicPartition } from '../../src/kernel/ids.ts'
import type { LogClientListener } from '../../src/ports/log-client.ts'
import { SystemClock } from '../../src/system-clock.ts'

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function client(
  log: MemoryLog,
  startFrom: 'earliest' | 'latest' | 'fail' | { timestamp: number } = 'earliest',
): MemoryClient {
  return new MemoryClient({ log, group: 'g', topics: ['t'], startFrom, clock: new SystemClock() })
}

function listener(): LogClientListener & { readonly heard: string[] } {
  const heard: string[] = []
  const names = (partitions: readonly TopicPartition[]): string =>
    partitions.map(({ partition }) => partition).join(' ')
  return {
    heard,
    assigned: (partitions) => heard.push(`assigned ${names(partitions)}`),
    revoked: async (partitions) => {
      heard.push(`revoked ${names(partitions)}`)
    },
    lost: (partitions) => heard.push(`lost ${names(partitions)}`),
    failed: (error) => heard.push(`failed ${error}`),
  }
}

const lease = { topic: 't', partition: 0, epoch: asEpoch(1) }

describe('a log in memory', () => {
  test('a record without a time gets the time at which it is appended', () => {
    const log = new MemoryLog({ t: 1 })
    const before = Date.now()
    const [record] = log.append('t', { value: 'x' })
    assert.ok(record!.timestamp >= before && record!.timestamp <= Date.now())
    assert.equal(log.append('t', { value: 'x', timestamp: 5 })[0]!.timestamp, 5)
    assert.equal(log.append('t', { value: 'x', timestamp: 0 })[0]!.timestamp, 0)
  })

  test('G5 · a start by time is the first record of that time or later, or the end', async () => {
    const log = new MemoryLog({ t: 1 })
    log.append(
      't',
      [10, 20, 20, 30].map((timestamp) => ({ value: 'x', timestamp })),
    )
    const startAt = async (timestamp: number): Promise<number> => {
      const [start] = await client(log, { timestamp }).readPositions([lease])
      return start!.position
    }
    assert.deepEqual(await Promise.all([0, 10, 11, 20, 30, 31].map(startAt)), [0, 0, 1, 1, 3, 4])
  })

  test('G5 · what is committed goes before the start policy; fail says what to do', async () => {
    const log = new MemoryLog({ t: 1 })
    log.append('t', [{ value: 'x' }, { value: 'y' }])
    await assert.rejects(client(log, 'fail').readPositions([lease]), { code: 'NO_COMMITTED_OFFSET' })
    assert.equal((await client(log, 'latest').readPositions([lease]))[0]!.position, 2)
    log.group('g').commit(lease, { position: 1, metadata: '' })
    assert.equal((await client(log, 'fail').readPositions([lease]))[0]!.position, 1)
  })

  test('Q2 · offsets by time, and an error for a partition that does not exist', async () => {
    const log = new MemoryLog({ t: 2 })
    log.append(
      't',
      [10, 20].map((timestamp) => ({ value: 'x', timestamp, partition: 1 })),
    )
    const partitions = [0, 1].map((partition) => ({ topic: 't', partition }))
    assert.deepEqual(
      await client(log).offsetsForTimes(partitions, 15),
      new Map([
        ['t-0', 0],
        ['t-1', 1],
      ]),
    )
    await assert.rejects(client(log).offsetsForTimes([{ topic: 't', partition: 2 }], 0), { code: 'UNKNOWN_PARTITION' })
  })

  test('G2 · a member for which nothing is left is told so, once', async () => {
    const log = new MemoryLog({ t: 1 })
    const [first, second, third] = [listener(), listener(), listener()]
    const members = [client(log), client(log), client(log)]
    await members[0]!.start(first)
    await members[1]!.start(second)
    await settled()
    await members[2]!.start(third)
    await settled()
    assert.deepEqual(first.heard, ['assigned 0'])
    assert.deepEqual(second.heard, ['assigned '])
    assert.deepEqual(third.heard, ['assigned '])
    await members[0]!.close()
    await settled()
    assert.deepEqual(second.heard, ['assigned ', 'assigned 0'])
  })

  test('errors say what to do', () => {
    const log = new MemoryLog({ t: 1 })
    assert.throws(() => log.append('u', { value: 'x' }), { code: 'UNKNOWN_TOPIC', message: /createTopic\('u'/ })
    assert.throws(() => log.append('t', { value: 'x', partition: 1 }), { code: 'UNKNOWN_PARTITION' })
    assert.throws(() => new MemoryLog({ t: 0 }), { code: 'BAD_PARTITION_COUNT' })
  })
})
