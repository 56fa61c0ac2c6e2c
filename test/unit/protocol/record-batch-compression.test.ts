import assert from 'node:assert/strict'
import { describe, mock, test } from 'node:test'
import zlib from 'node:zlib'
import fc from 'fast-check'
import { compress, decompress } from '../../../src/protocol/record-batch/compression.ts'
import { xxhash32 } from '../../../src/protocol/record-batch/xxhash32.ts'
import { codecs, passes } from './record-batch-samples.ts'

const mebibyte = 2 ** 20
const gzip = 1
const snappy = 2
const lz4 = 3
const zstd = 4

/** Sizes around the blocks and words of the formats. */
const sizes = [
  0, 1, 3, 4, 5, 11, 12, 13, 15, 16, 17, 60, 61, 255, 256, 300, 4096, 32767, 32768, 32769, 65535, 65536, 65537, 150_000,
]

const contents: readonly [name: string, make: (length: number) => Buffer][] = [
  ['zeros', (length) => Buffer.alloc(length)],
  ['text', (length) => Buffer.alloc(length, 'lorem ipsum dolor sit amet, ')],
  ['two letters', (length) => Buffer.from(noise(length).map((byte) => (byte < 230 ? 97 : 98)))],
  ['noise', noise],
  ['noise and repetition', (length) => echo(length)],
]

describe('what is packed unpacks to the same', () => {
  for (const [codec, type] of codecs) {
    for (const [name, make] of contents) {
      test(`Q5 · ${codec}: ${name} of every size around a block`, () => {
        for (const size of sizes) {
          const bytes = make(size)
          const before = Buffer.from(bytes)
          const packed = compress(type, bytes)
          assert.ok(decompress(type, packed, size).equals(bytes), `${size} bytes`)
          assert.ok(bytes.equals(before), 'the input is left alone')
          if (name !== 'noise' && size > 1000 && type !== 0)
            assert.ok(packed.length < size, `${size} bytes got no smaller`)
        }
      })
    }
  }

  test('Q5 · any bytes, at any place in a larger buffer', () => {
    const pieces = fc.array(fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.constant(Buffer.from('again and again '))))
    fc.assert(
      fc.property(pieces, fc.nat(9), (parts, shift) => {
        const whole = Buffer.concat([Buffer.alloc(shift), ...parts])
        const bytes = whole.subarray(shift)
        for (const [, type] of codecs) {
          const packed = Buffer.concat([Buffer.alloc(shift), compress(type, bytes)]).subarray(shift)
          assert.ok(decompress(type, packed, bytes.length).equals(bytes))
        }
      }),
      { seed: 3, numRuns: 100 },
    )
  })

  test('an unknown type is refused', () => {
    for (const type of [-1, 5, 6, 7]) {
      assert.throws(() => compress(type, Buffer.alloc(1)), { code: 'COMPRESSION_UNKNOWN' })
      assert.throws(() => decompress(type, Buffer.alloc(1), 1), { code: 'COMPRESSION_UNKNOWN' })
    }
  })
})

describe('compression bombs', () => {
  const tooLarge = { code: 'DECOMPRESSED_TOO_LARGE' }

  for (const [codec, type] of codecs) {
    test(`Q4 · ${codec}: the limit is exact`, () => {
      for (const size of [1, 1000, 100_000]) {
        const packed = compress(type, Buffer.alloc(size, 'abc'))
        assert.equal(decompress(type, packed, size).length, size)
        assert.throws(() => decompress(type, packed, size - 1), tooLarge)
      }
      assert.equal(decompress(type, compress(type, Buffer.alloc(0)), 0).length, 0)
    })
  }

  test('Q4 · 64 MiB in a small batch are refused, and room for them is never asked for', () => {
    const bombs = codecs.slice(1).map(([, type]) => [type, compress(type, Buffer.alloc(64 * mebibyte))] as const)
    const largest = largestAllocation(() => {
      for (const [type, bomb] of bombs) assert.throws(() => decompress(type, bomb, mebibyte), tooLarge)
    })
    assert.ok(largest <= mebibyte)
  })

  test('Q4 · snappy that announces what it cannot hold costs nothing', () => {
    // 64 MiB and 4 GiB - 1 announced by a handful of bytes.
    const announces64M = Buffer.from([0x80, 0x80, 0x80, 0x20, 0, 0])
    const announces4G = Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0])
    const largest = largestAllocation(() => {
      assert.throws(() => decompress(snappy, announces64M, 2 ** 30), { code: 'DECOMPRESSION_FAILED' })
    })
    assert.equal(largest, 0)
    assert.throws(() => decompress(snappy, announces4G, 2 ** 30), tooLarge)
    assert.throws(() => decompress(snappy, framed(announces64M), mebibyte), tooLarge)
    const many = framed(...Array.from({ length: 3 }, () => raw(Buffer.alloc(1000))))
    assert.equal(decompress(snappy, many, 3000).length, 3000)
    assert.throws(() => decompress(snappy, many, 2999), tooLarge)
  })

  test('Q4 · zstd: a heap of tiny frames is refused', () => {
    const frame = zlib.zstdCompressSync(Buffer.from('x'))
    assert.equal(decompress(zstd, Buffer.concat(Array(100).fill(frame)), 1000).length, 100)
    assert.throws(() => decompress(zstd, Buffer.concat(Array(102).fill(frame)), 1000), { code: 'DECOMPRESSION_FAILED' })
  })
})

describe('forms that other writers use', () => {
  const text = Buffer.alloc(500, 'some text, some text ')

  test('Q5 · gzip members and zstd frames one behind the other', () => {
    const twice = Buffer.concat([text, text])
    assert.ok(decompress(gzip, Buffer.concat([compress(gzip, text), compress(gzip, text)]), 1000).equals(twice))
    assert.ok(decompress(zstd, Buffer.concat([compress(zstd, text), compress(zstd, text)]), 1000).equals(twice))
    assert.throws(() => decompress(zstd, Buffer.concat([compress(zstd, text), compress(zstd, text)]), 999))
  })

  test('Q5 · snappy raw, framed, and framed streams joined', () => {
    assert.ok(decompress(snappy, raw(text), 500).equals(text))
    assert.ok(decompress(snappy, framed(raw(text)), 500).equals(text))
    const joined = Buffer.concat([framed(raw(text)), framed(raw(text), raw(text))])
    assert.ok(decompress(snappy, joined, 1500).equals(Buffer.concat([text, text, text])))
    assert.equal(decompress(snappy, framed(), 0).length, 0)
  })

  test('Q5 · snappy copies with distances of one, two and four bytes, overlapping too', () => {
    const head = [0x00 | (3 << 2), ...Buffer.from('abcd')]
    const one = [0x01 | (0 << 2), 4]
    const two = [0x02 | (9 << 2), 1, 0]
    const four = [0x03 | (4 << 2), 3, 0, 0, 0]
    const block = Buffer.from([23, ...head, ...one, ...two, ...four])
    assert.equal(decompress(snappy, block, 23).toString(), 'abcdabcdddddddddddddddd')
  })

  test('Q5 · lz4 blocks that depend on each other, and the same bytes under the flag that they do not', () => {
    const first = Buffer.from('0123456789abcdef')
    // A match of 16 bytes that begins in the block before, then five literals.
    const second = Buffer.from([0x0c, 16, 0, 0x50, ...Buffer.from('vwxyz')])
    const blocks = [stored(first), packed(second)]
    assert.equal(
      decompress(lz4, frame({ flags: 0x40, blocks }), 100).toString(),
      '0123456789abcdef0123456789abcdefvwxyz',
    )
    assert.throws(() => decompress(lz4, frame({ flags: 0x60, blocks }), 100), { code: 'DECOMPRESSION_FAILED' })
  })

  test('Q5 · lz4 with block checksums, a content size, a content checksum', () => {
    const damaged = { code: 'DECOMPRESSION_FAILED' }
    const sum = (bytes: Buffer): Buffer => word(xxhash32(bytes))
    const checked = frame({ flags: 0x70, blocks: [stored(text), sum(text)] })
    assert.ok(decompress(lz4, checked, 500).equals(text))
    assert.throws(() => decompress(lz4, frame({ flags: 0x70, blocks: [stored(text), word(1)] }), 500), damaged)
    const sized = frame({ flags: 0x6c, contentSize: 500n, blocks: [stored(text)], tail: sum(text) })
    assert.ok(decompress(lz4, sized, 500).equals(text))
    assert.throws(() => decompress(lz4, sized.subarray(0, -1), 500), damaged)
  })

  test('lz4 frames that the format does not know, or with a wrong check byte, are refused', () => {
    const damaged = { code: 'DECOMPRESSION_FAILED' }
    const blocks = [stored(text)]
    for (const flags of [0x20, 0xa0, 0x61, 0x62])
      assert.throws(() => decompress(lz4, frame({ flags, blocks }), 500), damaged)
    for (const sizeCode of [0x30, 0x41, 0x80])
      assert.throws(() => decompress(lz4, frame({ sizeCode, blocks }), 500), damaged)
    for (const sizeCode of [0x40, 0x50, 0x60, 0x70])
      assert.ok(decompress(lz4, frame({ sizeCode, blocks }), 500).equals(text))
    const wrong = frame({ blocks })
    wrong[6] = (wrong[6] as number) ^ 1
    assert.throws(() => decompress(lz4, wrong, 500), damaged)
    const large = frame({ blocks: [stored(Buffer.alloc(65_537))] })
    assert.throws(() => decompress(lz4, large, mebibyte), damaged)
  })

  test('xxHash32 of published vectors', () => {
    assert.equal(xxhash32(Buffer.alloc(0)), 0x02cc5d05)
    assert.equal(xxhash32(Buffer.from('a')), 0x550d7456)
    assert.equal(xxhash32(Buffer.from('abc')), 0x32d153ff)
    assert.equal(xxhash32(Buffer.from('Nobody inspects the spammish repetition')), 0xe2293b2f)
  })
})

describe('damaged input', () => {
  const sample = Buffer.concat([Buffer.alloc(120, 'repeats '), noise(60), Buffer.alloc(120, 'repeats ')])
  const forms: readonly [string, number, Buffer][] = [
    ['gzip', gzip, compress(gzip, sample)],
    ['zstd', zstd, compress(zstd, sample)],
    ['snappy', snappy, compress(snappy, sample)],
    ['raw snappy', snappy, compress(snappy, sample).subarray(20)],
    ['lz4', lz4, compress(lz4, sample)],
  ]

  for (const [name, type, bytes] of forms) {
    test(`Q4 · ${name}: every truncation is an error`, () => {
      for (let cut = 0; cut < bytes.length; cut++) {
        // What a framed stream holds up to the end of a block is whole.
        if (name === 'snappy' && cut === 16) continue
        assert.equal(
          passes(() => decompress(type, bytes.subarray(0, cut), 1000)),
          false,
          `cut at ${cut}`,
        )
      }
    })

    test(`Q4 · ${name}: every flipped bit gives an error or bytes, within the limit`, () => {
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const flipped = Buffer.from(bytes)
        flipped[bit >>> 3] = (flipped[bit >>> 3] as number) ^ (1 << (bit & 7))
        passes(() => assert.ok(decompress(type, flipped, 1000).length <= 1000))
      }
    })

    test(`Q4 · ${name}: any bytes behind a right beginning`, () => {
      fc.assert(
        fc.property(fc.nat(40), fc.uint8Array({ maxLength: 60 }), (keep, tail) => {
          passes(() => decompress(type, Buffer.concat([bytes.subarray(0, keep), tail]), 1000))
        }),
        { seed: 4, numRuns: 500 },
      )
    })
  }
})

/** The most bytes that anything asked for in one piece. */
function largestAllocation(run: () => void): number {
  const original = Buffer.allocUnsafe
  let largest = 0
  const spy = mock.method(Buffer, 'allocUnsafe', (size: number) => {
    largest = Math.max(largest, size)
    return original(size)
  })
  try {
    run()
  } finally {
    spy.mock.restore()
  }
  return largest
}

function framed(...blocks: Buffer[]): Buffer {
  const parts = blocks.flatMap((block) => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(block.length)
    return [length, block]
  })
  return Buffer.concat([Buffer.from('82534e41505059000000000100000001', 'hex'), ...parts])
}

/** A raw snappy block of literals only. */
function raw(bytes: Buffer): Buffer {
  const size = bytes.length - 1
  const length = [(bytes.length & 127) | 128, bytes.length >>> 7]
  return Buffer.concat([Buffer.from([...length, 61 << 2, size & 255, size >>> 8]), bytes])
}

interface FrameParts {
  flags?: number
  sizeCode?: number
  contentSize?: bigint
  blocks: Buffer[]
  tail?: Buffer
}

function frame({ flags = 0x60, sizeCode = 0x40, contentSize, blocks, tail = Buffer.alloc(0) }: FrameParts): Buffer {
  const size = Buffer.alloc(contentSize === undefined ? 0 : 8)
  if (contentSize !== undefined) size.writeBigUInt64LE(contentSize)
  const descriptor = Buffer.concat([Buffer.from([flags, sizeCode]), size])
  const check = Buffer.from([(xxhash32(descriptor) >>> 8) & 255])
  return Buffer.concat([Buffer.from('04224d18', 'hex'), descriptor, check, ...blocks, Buffer.alloc(4), tail])
}

function stored(bytes: Buffer): Buffer {
  return Buffer.concat([word((bytes.length + 0x80000000) >>> 0), bytes])
}

function packed(bytes: Buffer): Buffer {
  return Buffer.concat([word(bytes.length), bytes])
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  let state = 99
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1103515245) + 12345) | 0
    bytes[at] = state >>> 16
  }
  return bytes
}

/** Noise in which longer and longer stretches come back from farther and farther away. */
function echo(length: number): Buffer {
  const bytes = noise(length)
  for (let at = 400, step = 0; at < length; at += 400 + step, step++) {
    const distance = Math.min(at, 1 + ((step * 977) % 70_000))
    for (let i = at; i < Math.min(length, at + 300 + step); i++) bytes[i] = bytes[i - distance] as number
  }
  return bytes
}
