import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FrameReader } from '../../../src/protocol/frames.ts'

function frame(text: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(text.length)
  return Buffer.concat([length, Buffer.from(text)])
}

test('frames come out whole, however the stream is cut', () => {
  const texts = ['a', '', 'hello', 'x'.repeat(1_000), 'end']
  const stream = Buffer.concat(texts.map(frame))
  for (const size of [1, 2, 3, 5, 7, 64, 1_003, stream.length]) {
    const reader = new FrameReader(10_000)
    const seen: string[] = []
    for (let at = 0; at < stream.length; at += size) {
      reader.push(stream.subarray(at, at + size))
      for (let next = reader.next(); next !== undefined; next = reader.next()) seen.push(next.toString())
    }
    assert.deepEqual(seen, texts, `in pieces of ${size}`)
  }
})

test('a length that is negative or above the cap is refused as soon as it is read', () => {
  for (const [length, code] of [
    [-1, 'FRAME_LENGTH_INVALID'],
    [2 ** 31 - 1, 'FRAME_TOO_LARGE'],
    [0x47455420, 'FRAME_TOO_LARGE'], // 'GET '
  ] as const) {
    const reader = new FrameReader(1_000_000)
    const bytes = Buffer.alloc(4)
    bytes.writeInt32BE(length)
    reader.push(bytes)
    assert.throws(() => reader.next(), { code })
  }
})
