import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as header from '../../../src/protocol/record-batch/header.ts'
import { type ValidationError, validateBatch } from '../../../src/protocol/record-batch/validate.ts'
import { encodeBatch } from '../../../src/protocol/record-batch/writer.ts'
import { codecs, goldenBatches, kafkaAnswers, sampleRecords } from './record-batch-samples.ts'

const codes: Record<ValidationError, number> = {
  UNKNOWN_SERVER_ERROR: -1,
  CORRUPT_MESSAGE: 2,
  MESSAGE_TOO_LARGE: 10,
  INVALID_TIMESTAMP: 32,
  INVALID_RECORD: 87,
}
const limits = { maxDecompressedBytes: 2 ** 20, needKeys: false }

describe('produced batches get the answer of Apache Kafka 4.1', () => {
  for (const answer of kafkaAnswers()) {
    const differs = answer.ours === undefined ? '' : ` (Kafka: ${answer.kafka})`
    test(`Q4 · ${answer.defect} → ${answer.ours ?? answer.kafka}${differs}`, () => {
      // The fixtures were produced when this was the near future.
      const verdict = validateBatch(Buffer.from(answer.batch, 'hex'), {
        ...limits,
        needKeys: answer.compacted === true,
        maxTimestampMs: 1_900_000_000_000,
      })
      const code = verdict.kind === 'valid' ? 0 : codes[verdict.error]
      assert.equal(code, answer.ours ?? answer.kafka)
      if (verdict.kind === 'invalid') assert.ok(verdict.message.length > 0)
      // Numbers beyond every time are refused before their record is looked at.
      if (answer.kafkaRecord !== undefined && !answer.defect.endsWith('MAX')) {
        assert.ok(verdict.kind === 'invalid' && verdict.recordIndex === answer.kafkaRecord)
      }
    })
  }

  test('Q4 · where the answer differs, it is stricter, or another refusal, except for what only the log can know', () => {
    for (const answer of kafkaAnswers()) {
      if (answer.ours === 0) assert.equal(answer.defect, 'idem epoch -2')
    }
  })
})

test('Q4 · what real producers wrote is valid, transaction markers are not for clients', () => {
  for (const { what, batch } of goldenBatches()) {
    const bytes = Buffer.from(batch, 'hex')
    header.setBaseOffset(bytes, 0, 0)
    const verdict = validateBatch(bytes, limits)
    if (header.isControl(bytes, 0)) assert.ok(verdict.kind === 'invalid' && verdict.error === 'INVALID_RECORD')
    else assert.ok(verdict.kind === 'valid' && verdict.timeInHeadIsRight === (what !== 'append'), what)
  }
})

test('the times of the records are told', () => {
  for (const [, compression] of codecs) {
    assert.deepEqual(validateBatch(encodeBatch({ records: sampleRecords, compression }), limits), {
      kind: 'valid',
      recordCount: sampleRecords.length,
      maxTimestamp: 1_700_000_100_000,
      minTimestamp: 1_699_999_999_000,
      timeInHeadIsRight: true,
    })
  }
  const timeless = encodeBatch({ records: [{ key: null, value: null, timestampMs: -1 }] })
  const verdict = validateBatch(timeless, { ...limits, minTimestampMs: 5 })
  assert.ok(
    verdict.kind === 'valid' && verdict.maxTimestamp === -1 && verdict.minTimestamp === Number.POSITIVE_INFINITY,
  )
})

test('a head that is wrong about time is told, and corrected as Kafka does', () => {
  const right = encodeBatch({ records: sampleRecords })
  for (const change of [
    (batch: Buffer) => batch.writeBigInt64BE(5n, 35),
    (batch: Buffer) => batch.writeInt16BE(0x08, 21),
  ]) {
    const batch = Buffer.from(right)
    change(batch)
    batch.writeUInt32BE(header.computeCrc(batch, 0), 17)
    const verdict = validateBatch(batch, limits)
    assert.ok(verdict.kind === 'valid' && !verdict.timeInHeadIsRight)
    header.setCreateTime(batch, 0, verdict.maxTimestamp)
    assert.deepEqual(batch, right)
  }
})

test('times outside what the topic allows name the record', () => {
  const batch = encodeBatch({ records: sampleRecords })
  const early = validateBatch(batch, { ...limits, minTimestampMs: 1_700_000_000_000 })
  assert.ok(early.kind === 'invalid' && early.error === 'INVALID_TIMESTAMP' && early.recordIndex === 2)
  const late = validateBatch(batch, { ...limits, maxTimestampMs: 1_700_000_000_300 })
  assert.ok(late.kind === 'invalid' && late.error === 'INVALID_TIMESTAMP' && late.recordIndex === 4)
})
