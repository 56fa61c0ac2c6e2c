/** Which records of a fetch may be seen, case by case. batch-reader.test.ts has any log, cut anywhere. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readBatches } from '../../../../../src/clients/native/fetch/batch-reader.ts'
import { asEpoch } from '../../../../../src/kernel/ids.ts'
import type { LogBatch } from '../../../../../src/testing/sim/cluster/log-messages.ts'
import { bytesOfBatch } from '../../../../../src/testing/sim/wire/batches.ts'

describe('what a reader sees', () => {
  const common = { leaderEpoch: 0, producerEpoch: 0, baseSequence: 0, size: 10 }
  const data = (producerId: number, offsets: readonly number[], isTransactional = true): LogBatch => ({
    ...common,
    kind: 'data',
    producerId,
    isTransactional,
    baseOffset: offsets[0]!,
    lastOffset: offsets.at(-1)!,
    records: offsets.map((offset) => ({ offset, timestamp: 1, key: 'k', value: 'v', size: 2 })),
  })
  const marker = (producerId: number, offset: number, type: 'COMMIT' | 'ABORT'): LogBatch => ({
    ...common,
    kind: 'control',
    type,
    producerId,
    isTransactional: true,
    baseOffset: offset,
    lastOffset: offset,
  })
  const seen = (
    batches: readonly LogBatch[],
    position: number,
    aborted: readonly { producerId: number; firstOffset: number }[] | null,
  ): readonly number[] => {
    const { batches: read } = readBatches(Buffer.concat(batches.map(bytesOfBatch)), {
      ...{ topic: 't', partition: 0, epoch: asEpoch(1), position, logEnd: 100 },
      aborted:
        aborted?.map((each) => ({ producerId: BigInt(each.producerId), firstOffset: BigInt(each.firstOffset) })) ??
        null,
    })
    return read.flatMap(({ offsets }) => [...offsets])
  }

  test('aborted records of one producer are skipped until its marker, others are not', () => {
    const batches = [
      data(1, [0, 1]),
      data(2, [2]),
      data(-1, [3], false),
      marker(1, 4, 'ABORT'),
      data(1, [5]),
      marker(2, 6, 'COMMIT'),
      marker(1, 7, 'COMMIT'),
    ]
    assert.deepEqual(seen(batches, 0, [{ producerId: 1, firstOffset: 0 }]), [2, 3, 5])
    assert.deepEqual(seen(batches, 0, null), [0, 1, 2, 3, 5])
  })

  test('a transaction that began in an earlier answer is still skipped', () => {
    const batches = [data(1, [10]), marker(1, 11, 'ABORT'), data(1, [12]), marker(1, 13, 'COMMIT')]
    assert.deepEqual(seen(batches, 10, [{ producerId: 1, firstOffset: 2 }]), [12])
  })

  test('two aborted transactions of one producer', () => {
    const batches = [data(1, [0]), marker(1, 1, 'ABORT'), data(1, [2]), marker(1, 3, 'ABORT'), data(1, [4])]
    const aborted = [
      { producerId: 1, firstOffset: 2 },
      { producerId: 1, firstOffset: 0 },
    ]
    assert.deepEqual(seen(batches, 0, aborted), [4])
  })

  test('records below the position are not seen again', () => {
    assert.deepEqual(seen([data(-1, [4, 5, 6, 7], false)], 6, null), [6, 7])
  })
})
