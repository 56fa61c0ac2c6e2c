/** Which partition a record goes to. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { murmur2, partitionOfKey } from '../../../src/producer/murmur2.ts'
import { TopicPartitioner } from '../../../src/producer/partitioner.ts'
import { toOutgoing } from '../../../src/producer/record.ts'
import { VirtualClock } from '../../../src/testing/sim/virtual-clock.ts'

const info = (count: number, led: (index: number) => boolean = () => true) => ({
  name: 'orders',
  id: '',
  isInternal: false,
  partitions: Array.from({ length: count }, (_, index) => ({ leader: led(index) ? 1 : -1, leaderEpoch: 0 })),
})

describe('Q1 · the key picks the partition as Kafka’s own clients do', () => {
  // Printed by org.apache.kafka.common.utils.Utils.murmur2 of Apache Kafka 4.1.1.
  const golden: readonly (readonly [string, number])[] = [
    ['', 275646681],
    ['a', -1563381124],
    ['21', -973932308],
    ['abc', 479470107],
    ['foobar', -790332482],
    ['key-0', 29210041],
    ['k123', 1400815498],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['grüße', 1943707148],
    ['注文-42', -787707910],
  ]
  for (const [key, hash] of golden) {
    test(`murmur2 of '${key}'`, () => {
      assert.equal(murmur2(Buffer.from(key)), hash)
      assert.equal(partitionOfKey(Buffer.from(key), 7), (hash & 0x7fffffff) % 7)
    })
  }

  test('bytes above 127, and every length', () => {
    assert.equal(murmur2(Buffer.from([0xff, 0xfe, 0x80])), -160726397)
  })
})

describe('Q1 · without a key a partition is kept for a batch’s worth of bytes', () => {
  test('sticks, moves on, comes everywhere', () => {
    const partitioner = new TopicPartitioner(new VirtualClock(1), null, 1_000)
    const record = toOutgoing({ topic: 'orders', value: Buffer.alloc(64) }, 0)
    const chosen = Array.from({ length: 1_000 }, () => partitioner.partitionFor(record, info(4)))
    assert.deepEqual(new Set(chosen), new Set([0, 1, 2, 3]))
    for (let at = 0; at < 1_000; at += 10) {
      assert.equal(new Set(chosen.slice(at, at + 10)).size, 1, 'ten records of 100 bytes stay together')
      if (at > 0) assert.notEqual(chosen[at], chosen[at - 1], 'the next ten go elsewhere')
    }
  })

  test('where nobody leads nothing is sent, unless nobody leads anywhere', () => {
    const record = toOutgoing({ topic: 'orders', value: Buffer.alloc(64) }, 0)
    const partitioner = new TopicPartitioner(new VirtualClock(1), null, 1)
    const some = info(4, (index) => index % 2 === 1)
    const chosen = new Set(Array.from({ length: 100 }, () => partitioner.partitionFor(record, some)))
    assert.deepEqual(chosen, new Set([1, 3]))
    const none = new TopicPartitioner(new VirtualClock(1), null, 1)
    assert.ok(
      none.partitionFor(
        record,
        info(4, () => false),
      ) < 4,
    )
  })

  test('one partition is always that one', () => {
    const partitioner = new TopicPartitioner(new VirtualClock(1), null, 1)
    const record = toOutgoing({ topic: 'orders', value: 'x' }, 0)
    for (let round = 0; round < 10; round++) assert.equal(partitioner.partitionFor(record, info(1)), 0)
  })
})

describe('Q1 · a partitioner of one’s own', () => {
  test('decides, but for records that name their partition', () => {
    const partitioner = new TopicPartitioner(new VirtualClock(1), ({ key }, count) => (key?.length ?? 0) % count, 100)
    assert.equal(partitioner.partitionFor(toOutgoing({ topic: 'orders', key: 'abcde', value: '' }, 0), info(3)), 2)
    assert.equal(partitioner.partitionFor(toOutgoing({ topic: 'orders', partition: 1, value: '' }, 0), info(3)), 1)
  })

  test('nonsense is refused', () => {
    for (const nonsense of [3, -1, 0.5, Number.NaN]) {
      const partitioner = new TopicPartitioner(new VirtualClock(1), () => nonsense, 100)
      assert.throws(() => partitioner.partitionFor(toOutgoing({ topic: 'orders', value: '' }, 0), info(3)), {
        code: 'RECORD_INVALID',
      })
    }
  })
})
