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
        assert.ok(verdict.kind === 'invalid' && verdict.records?.[0]?.index === answer.kafkaRecord)
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
  assert.ok(early.kind === 'invalid' && early.error === 'INVALID_TIMESTAMP' && early.records?.[0]?.index === 2)
  const late = validateBatch(batch, { ...limits, maxTimestampMs: 1_700_000_000_300 })
  assert.ok(late.kind === 'invalid' && late.error === 'INVALID_TIMESTAMP' && late.records?.[0]?.index === 4)
})

describe('every record that breaks a rule is named, as Kafka does: producers fail these and send the others again', () => {
  const fine = { key: Buffer.from('k'), value: null, timestampMs: 1000 }
  const keyless = { ...fine, key: null }
  const late = { ...fine, timestampMs: 5000 }
  const rules = { ...limits, needKeys: true, maxTimestampMs: 2000 }
  for (const [what, records, error, blamed] of [
    ['keys missing', [keyless, fine, keyless, fine, keyless], 'INVALID_RECORD', [0, 2, 4]],
    ['times out of range', [fine, late, late], 'INVALID_TIMESTAMP', [1, 2]],
    ['both: the time decides the code', [keyless, late, fine], 'INVALID_TIMESTAMP', [0, 1]],
    ['both in one record: the key', [fine, { ...late, key: null }], 'INVALID_RECORD', [1]],
  ] as const) {
    test(`Q4 · ${what}`, () => {
      for (const [, compression] of codecs) {
        const verdict = validateBatch(encodeBatch({ records, compression }), rules)
        assert.ok(verdict.kind === 'invalid' && verdict.error === error)
        assert.deepEqual(
          verdict.records?.map(({ index }) => index),
          blamed,
        )
      }
    })
  }

  test('an answer names no more than ten thousand', () => {
    const verdict = validateBatch(encodeBatch({ records: Array.from({ length: 20_000 }, () => keyless) }), rules)
    assert.ok(verdict.kind === 'invalid' && verdict.records?.length === 10_000)
  })
})
