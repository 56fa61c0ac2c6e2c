/**
 * What a plain implementation would do, to measure ours against: one letter for the format, then a bitset with its
 * length, or run lengths as byte varints, and base64 over it. No base, no checksum: they are spared what ours pays for.
 */
export interface Baseline {
  readonly name: string
  encode(runs: readonly number[]): string
  decode(text: string): number[]
}

export const bitsetBase64: Baseline = {
  name: 'bitset+base64',
  encode(runs) {
    const span = runs.reduce((sum, length) => sum + length, 0)
    const bytes = Buffer.alloc(5 + Math.ceil(span / 8))
    bytes[0] = 0x62
    bytes.writeUInt32BE(span, 1)
    let at = 0
    for (const [i, length] of runs.entries()) {
      for (let bit = at; i % 2 === 1 && bit < at + length; bit++) {
        bytes[5 + (bit >> 3)] = (bytes[5 + (bit >> 3)] ?? 0) | (1 << (bit & 7))
      }
      at += length
    }
    return bytes.toString('base64')
  },
  decode(text) {
    const bytes = Buffer.from(text, 'base64')
    const span = bytes.readUInt32BE(1)
    const runs: number[] = []
    let previous = 0
    let length = 0
    for (let at = 0; at < span; at++) {
      const bit = ((bytes[5 + (at >> 3)] ?? 0) >> (at & 7)) & 1
      if (bit !== previous) {
        runs.push(length)
        length = 0
        previous = bit
      }
      length++
    }
    runs.push(length)
    return runs
  },
}

export const runLengthBase64: Baseline = {
  name: 'RLE+base64',
  encode(runs) {
    const bytes = [0x72]
    for (const length of runs) {
      let left = length
      for (; left >= 128; left = Math.floor(left / 128)) bytes.push(128 | (left % 128))
      bytes.push(left)
    }
    return Buffer.from(bytes).toString('base64')
  },
  decode(text) {
    const runs: number[] = []
    let length = 0
    let scale = 1
    for (const byte of Buffer.from(text, 'base64').subarray(1)) {
      length += (byte & 127) * scale
      scale *= 128
      if (byte < 128) {
        runs.push(length)
        length = 0
        scale = 1
      }
    }
    return runs
  },
}
