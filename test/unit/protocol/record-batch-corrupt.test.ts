import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import * as header from '../../../src/protocol/record-batch/header.ts'
import { eachBatch } from '../../../src/protocol/record-batch/reader.ts'
import { validateBatch } from '../../../src/protocol/record-batch/validate.ts'
import { writeVarint } from '../../../src/protocol/record-batch/varint.ts'
import { encodeBatch } from '../../../src/protocol/record-batch/writer.ts'
import { codecs, passes, readAll, sampleRecords } from './record-batch-samples.ts'

const limits = { maxDecompressedBytes: 10_000, needKeys: false }

/** Makes length and checksum right again, so that what is inside has to be judged. */
function sealed(batch: Buffer): Buffer {
  batch.writeInt32BE(batch.length - 12, 8)
  batch.writeUInt32BE(header.computeCrc(batch, 0), 17)
  return batch
}

for (const [codec, compression] of codecs) {
  const batch = encodeBatch({ records: sampleRecords, compression, producerId: 4, producerEpoch: 0, baseSequence: 0 })

  describe(`a damaged batch (${codec})`, () => {
    test('Q4 · every truncation is noticed', () => {
      for (let cut = 0; cut < batch.length; cut++) {
        const part = batch.subarray(0, cut)
        assert.deepEqual([...eachBatch(part)], [])
        assert.equal(header.crcMatches(part, 0), false)
        assert.equal(
          passes(() => readAll(part)),
          false,
        )
        assert.equal(validateBatch(part, limits).kind, 'invalid')
      }
    })

    test('Q4 · every truncation is noticed, even with length and checksum made right', () => {
      for (let cut = 61; cut < batch.length; cut++) {
        const part = sealed(Buffer.from(batch.subarray(0, cut)))
        assert.equal(
          passes(() => readAll(part)),
          false,
          `cut at ${cut}`,
        )
        assert.equal(validateBatch(part, limits).kind, 'invalid')
      }
    })

    test('Q4 · every flipped bit is noticed; a produced batch may differ in nothing but its leader epoch', () => {
      for (let bit = 0; bit < batch.length * 8; bit++) {
        const flipped = flip(batch, bit)
        const outsideChecksum = bit < 64 || (bit >= 96 && bit < 136)
        if (!outsideChecksum) assert.equal(header.crcMatches(flipped, 0), false, `bit ${bit}`)
        const leaderEpoch = bit >= 96 && bit < 128
        assert.equal(validateBatch(flipped, limits).kind, leaderEpoch ? 'valid' : 'invalid', `bit ${bit}`)
      }
    })

    test('Q4 · a reader that does not look at the checksum gets records or an error, never a crash', () => {
      let refused = 0
      for (let bit = 0; bit < batch.length * 8; bit++) {
        const flipped = flip(batch, bit)
        if (!passes(() => readAll(flipped, 0, 10_000))) refused++
        if (bit >= 168) {
          // With a right checksum again the judge has to look inside, and may not throw either.
          const verdict = validateBatch(sealed(flipped), limits)
          if (verdict.kind === 'valid') assert.doesNotThrow(() => readAll(flipped, 0, 10_000))
        }
      }
      assert.ok(refused > 0)
    })
  })
}

test('Q4 · any bytes behind a right head are records or an error', () => {
  const head = encodeBatch({ records: [] })
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.integer({ min: 1, max: 4 }), fc.nat(4), (bytes, count, type) => {
      const batch = Buffer.concat([head, bytes])
      batch.writeInt16BE(type, 21)
      batch.writeInt32BE(count - 1, 23)
      batch.writeInt32BE(count, 57)
      sealed(batch)
      const read = passes(() => readAll(batch, 0, 1000))
      if (validateBatch(batch, { ...limits, maxDecompressedBytes: 1000 }).kind === 'valid') assert.ok(read)
    }),
    { seed: 5, numRuns: 3000 },
  )
})

test('Q4 · what is unpacked is bounded while reading and while judging', () => {
  for (const [, compression] of codecs.slice(1)) {
    const records = [{ key: null, value: Buffer.alloc(2 ** 21), timestampMs: 0 }]
    const batch = encodeBatch({ records, compression })
    assert.throws(() => readAll(batch, 0, 2 ** 20), { code: 'DECOMPRESSED_TOO_LARGE' })
    const verdict = validateBatch(batch, { maxDecompressedBytes: 2 ** 20, needKeys: false })
    assert.ok(verdict.kind === 'invalid' && verdict.error === 'MESSAGE_TOO_LARGE')
    assert.equal(validateBatch(batch, { maxDecompressedBytes: 2 ** 22, needKeys: false }).kind, 'valid')
  }
})

test('Q4 · hostile numbers inside records are errors', () => {
  const numbers: Record<string, number[]> = {
    'int32 maximum': varint(2 ** 31 - 1),
    'int32 minimum': varint(-(2 ** 31)),
    'minus two': varint(-2),
    'six bytes': [0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
    'thirty-three bits': [0xff, 0xff, 0xff, 0xff, 0x1f],
    'a bit above thirty-two zeros': [0x80, 0x80, 0x80, 0x80, 0x10],
    'without end': Array(12).fill(0xff),
  }
  // One record of one-byte fields: length, attributes, timestamp, offset, key length, value length, header count.
  const fields = [0, 0, 0, 1, 1, 0]
  for (const [name, bytes] of Object.entries(numbers)) {
    for (const field of [-1, 2, 3, 4, 5]) {
      const body = fields.flatMap((byte, at) => (at === field ? bytes : [byte]))
      const length = field === -1 ? bytes : varint(body.length)
      const batch = sealed(Buffer.concat([encodeBatch({ records: [] }), Buffer.from([...length, ...body])]))
      batch.writeInt32BE(1, 57)
      assert.equal(
        passes(() => readAll(batch)),
        false,
        `${name} in field ${field}`,
      )
    }
    const delta = fields.flatMap((byte, at) => (at === 1 ? bytes : [byte]))
    const batch = sealed(
      Buffer.concat([encodeBatch({ records: [] }), Buffer.from([...varint(delta.length), ...delta])]),
    )
    batch.writeInt32BE(1, 57)
    assert.equal(
      passes(() => readAll(batch)),
      name !== 'without end',
      `${name} as timestamp delta`,
    )
  }
})

function flip(batch: Buffer, bit: number): Buffer {
  const flipped = Buffer.from(batch)
  flipped[bit >>> 3] = (flipped[bit >>> 3] as number) ^ (1 << (bit & 7))
  return flipped
}

function varint(value: number): number[] {
  const bytes = Buffer.alloc(5)
  return [...bytes.subarray(0, writeVarint(bytes, 0, value))]
}
