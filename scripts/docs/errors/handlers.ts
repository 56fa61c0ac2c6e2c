import type { Group } from './entry.ts'

export const handlers: Group = {
  title: 'Handlers and records',
  about:
    'What becomes of one record: seen by your handler, in `retry` and `dead-letter` events, in the headers of dead letters. The consumer goes on.',
  entries: {
    PERMANENT: [
      'A handler threw a `PermanentError` without a code of its own: no further attempt.',
      'The handler found that trying again is pointless.',
      'Look at the message of the error. Give errors a code: `new PermanentError(text, { code })`.',
    ],
    RETRYABLE: [
      'A handler threw a `RetryableError` without a code of its own: it is tried again.',
      'Something was busy or away.',
      'Nothing, if it passes. Otherwise look at the message.',
    ],
    DECODE_FAILED: [
      'A key or value could not be decoded. The record fails for good, without an attempt.',
      'It is no JSON, or it does not pass its schema; often one producer of another version.',
      'Look at the dead letter: it has the bytes. Repair the producer, or widen the schema and redrive.',
    ],
    KEY_OF_INVALID: [
      '`keyOf` threw, or returned something that is no string, Buffer or null. The record fails alone.',
      'A field is missing in some records.',
      'Return null for records that have no lane of their own.',
    ],
    KEY_OF_ASYNC: [
      '`keyOf` returned a promise.',
      'It is an async function.',
      'Decide the lane from the record alone, at once.',
    ],
    IS_PERMANENT_FAILED: [
      '`retry.isPermanent` threw or did not answer with true or false. The record counts as retryable.',
      'The function assumes a kind of error that is not always there.',
      'Return a boolean for every error, whatever was thrown.',
    ],
    SEND_WITHOUT_TOPIC: [
      '`ctx.send` was called without a topic.',
      'The record has no `topic`.',
      'Name the topic to write to.',
    ],
    SEND_TOPIC_INVALID: [
      '`ctx.send` names something that cannot be a topic.',
      'Kafka takes letters, digits, `.`, `_` and `-`, at most 249 of them.',
      'Correct the name.',
    ],
    SEND_NOT_BYTES: [
      'Key, value or a header of an output is neither text nor bytes.',
      'An object was given.',
      'Encode it: `JSON.stringify(value)`, or a Buffer.',
    ],
    SEND_INVALID: [
      'Another field of an output makes no sense.',
      'A partition or a timestamp that is no whole number, headers of a wrong shape.',
      'The message says which field, and what it takes.',
    ],
    SEND_TOO_LARGE: [
      'An output is larger than brokers take by default (1,048,588 bytes).',
      'A whole document or picture in one record.',
      'Send less, or a reference to where it is stored.',
    ],
    SEND_AFTER_END: [
      '`ctx.send` was called when the handler, or its batch, was over.',
      'A promise was not awaited inside the handler.',
      'Await everything before the handler returns, or take `ctx.defer()`.',
    ],
    NOT_IN_BATCH: [
      '`ctx.fail` or `ctx.send` was given a record that is not in the batch.',
      'A copy of a record was passed.',
      'Pass the record object as it was given.',
    ],
    ABORTED_TIMEOUT: [
      'The handler ran longer than `handlerTimeoutMs`; `ctx.signal` says so.',
      'Something it waits for is slow.',
      'Pass `ctx.signal` on to what you wait for. The record is tried again.',
    ],
    ABORTED_REVOKED: [
      'The partition was given up while the handler ran, and the time to finish is over.',
      'A rebalance or a close, with a handler slower than `drainMs` or `closeMs`.',
      'Stop at once: the next owner runs the record again. Raise `drainMs` if handlers are slow.',
    ],
    ABORTED_LOST: [
      'The partition was lost without warning; another owner runs this record.',
      'The session expired, or the member was fenced.',
      'Stop at once. Look why heartbeats did not get through.',
    ],
    ABORTED_SKIPPED: [
      'The record was given up by hand while it ran.',
      '`consumer.skip`, or the button on the dashboard.',
      'Stop at once: the record is over.',
    ],
    ABORTED_SOUGHT: [
      'The position of the partition was moved while the handler ran.',
      '`consumer.seek`.',
      'Stop at once: this run no longer counts.',
    ],
    ABORTED_RENEWED: [
      'Exactly-once: the end of a transaction is not known, and the partition starts again from what is committed.',
      'The answer to a commit was lost.',
      'Stop at once: the record runs again if it has to, and nothing is published twice.',
    ],
  },
}
