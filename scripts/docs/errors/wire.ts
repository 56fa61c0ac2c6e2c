import type { Group } from './entry.ts'

export const wire: Group = {
  title: 'Bytes that are not what they should be',
  about:
    'The lowest floor: causes of `BROKER_ANSWER_INVALID`, or lines in the log of the embedded broker about a client that it hung up on.',
  entries: {
    FRAME_LENGTH_INVALID: [
      'The length of a message makes no sense.',
      'Something else than Kafka speaks here: HTTP, or TLS on a plain port.',
      'Check host and port.',
    ],
    FRAME_TOO_LARGE: [
      'A message is larger than is taken.',
      'As above, or a very large request.',
      'Check host and port; raise `limits` of the embedded broker.',
    ],
    FRAME_TRUNCATED: [
      'A message ends before its content does.',
      'Damage on the way, or a client with a defect.',
      'Look who sent it.',
    ],
    LENGTH_INVALID: [
      'A text or byte field has an impossible length.',
      'Damage on the way, or a client with a defect.',
      'Look who sent it.',
    ],
    COUNT_INVALID: [
      'A list says that it is longer than its message.',
      'Damage on the way, or a client with a defect.',
      'Look who sent it.',
    ],
    NULL_NOT_ALLOWED: ['A field is null that must not be.', 'A client with a defect.', 'Look who sent it.'],
    VARINT_OVERLONG: [
      'A number has more bytes than it may have.',
      'Damage on the way, or a client with a defect.',
      'Look who sent it.',
    ],
    TAG_SIZE_WRONG: ['An optional field is not as long as it says.', 'A client with a defect.', 'Look who sent it.'],
    FIELD_UNSUPPORTED: [
      'A field cannot be sent in the version that both sides speak.',
      'The broker is older than the feature.',
      'Use a newer broker, or leave the feature out.',
    ],
    VALUE_OUT_OF_RANGE: [
      'A value is outside what the protocol can carry, or an API or version is not known.',
      'A text that is too long, or a client that did not ask for versions.',
      'Shorten it, or look at the client.',
    ],
    BATCH_INVALID: [
      'A batch of records is not well formed.',
      'The data is damaged, or its writer has a defect.',
      'Look which producer wrote it.',
    ],
    BATCH_VERSION_UNSUPPORTED: [
      'A batch is in a format older than Kafka 0.11.',
      'An old client or an old log.',
      'Use a newer client.',
    ],
    COMPRESSION_UNKNOWN: [
      'The compression of a batch is not one of Kafka’s.',
      'Damage, or a newer codec.',
      'Use none, gzip, snappy, lz4 or zstd.',
    ],
    DECOMPRESSION_FAILED: [
      'Compressed records cannot be unpacked.',
      'The data is damaged.',
      'Look which producer wrote it.',
    ],
    DECOMPRESSED_TOO_LARGE: [
      'Compressed records unpack to more than is allowed.',
      'A very large batch, or an attack.',
      'Let the producer send smaller batches, or raise the limit if you trust it.',
    ],
  },
}
