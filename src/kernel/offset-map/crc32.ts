/**
 * CRC-32 (polynomial 0x04C11DB7), most significant bit first and appended at the end, in the same bit order as the text.
 * That order matters: the whole text is then one codeword, so every burst of up to 32 wrong bits is caught with
 * certainty. One changed character is a burst of at most 15 bits. The usual reflected CRC in front of the payload would
 * only promise 1 in 2^32 for the characters that straddle its edges.
 */
const TABLE: Uint32Array = makeTable()

function makeTable(): Uint32Array {
  const table = new Uint32Array(256)
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte << 24
    for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1
    table[byte] = crc
  }
  return table
}

export function crc32(bytes: Uint8Array): number {
  let crc = -1
  for (let i = 0; i < bytes.length; i++) {
    crc = (crc << 8) ^ (TABLE[((crc >>> 24) ^ (bytes[i] ?? 0)) & 0xff] ?? 0)
  }
  return ~crc >>> 0
}
