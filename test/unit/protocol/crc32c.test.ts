import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32c } from '../../../src/protocol/crc32c.ts'

test('Q4 · CRC-32C of the published vectors', () => {
  assert.equal(crc32c(Buffer.from('123456789')), 0xe3069283)
  assert.equal(crc32c(Buffer.alloc(0)), 0)
  // From RFC 3720, appendix B.4.
  assert.equal(crc32c(Buffer.alloc(32)), 0x8a9136aa)
  assert.equal(crc32c(Buffer.alloc(32, 0xff)), 0x62a8ab43)
  assert.equal(crc32c(Buffer.from(Array.from({ length: 32 }, (_, at) => at))), 0x46dd794e)
  assert.equal(crc32c(Buffer.from(Array.from({ length: 32 }, (_, at) => 31 - at))), 0x113fdb5c)
})

test('Q4 · every length and alignment agrees with the bitwise definition, whichever way it is computed', () => {
  const bytes = noise(1400)
  for (let start = 0; start < 9; start++) {
    let expected = ~0
    for (let end = start; end <= bytes.length; end++) {
      assert.equal(crc32c(bytes, start, end), ~expected >>> 0, `bytes ${start} to ${end}`)
      expected = oneByte(expected, bytes[end] ?? 0)
    }
  }
})

test('a checksum can be computed in pieces', () => {
  const bytes = noise(2000)
  const whole = crc32c(bytes)
  for (const cut of [0, 1, 7, 8, 319, 320, 1000, 1999, 2000]) {
    assert.equal(crc32c(bytes, cut, bytes.length, crc32c(bytes, 0, cut)), whole)
  }
  assert.equal(crc32c(new Uint8Array(bytes)), whole)
})

test('a range outside the buffer is an error, not a checksum', () => {
  assert.throws(() => crc32c(Buffer.alloc(4), 0, 5), RangeError)
  assert.throws(() => crc32c(Buffer.alloc(4), -1, 4), RangeError)
})

function oneByte(state: number, byte: number): number {
  let next = state ^ byte
  for (let bit = 0; bit < 8; bit++) next = (next & 1) === 1 ? (next >>> 1) ^ 0x82f63b78 : next >>> 1
  return next
}

function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  let state = 12345
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1103515245) + 12345) | 0
    bytes[at] = state >>> 16
  }
  return bytes
}
