import type { Group } from './entry.ts'

export const integrations: Group = {
  title: 'Integrations',
  about: 'Failures of one record (see [retries](guide/retries.md)), or of the start where the options are wrong.',
  entries: {
    NEST_NO_HANDLERS: [
      'No controller is for this topic, or for any.',
      'There is no `@EventPattern`, or its controller is in no module.',
      "Add one, e.g. `@EventPattern('orders')`.",
    ],
    NEST_MESSAGE_PATTERN: [
      'A controller has a `@MessagePattern`, and records have no caller who waits for an answer.',
      'A controller of another transport, or one that answered requests before.',
      'Use `@EventPattern`, and send answers to a topic; name the transport of the others.',
    ],
    NEST_PATTERN_INVALID: [
      'A pattern is neither the name of a topic nor a RegExp.',
      'An object, as other transports take it.',
      "Write `@EventPattern('orders')` or `@EventPattern(/^orders/)`.",
    ],
    NEST_NOT_LISTENING: [
      'There is no consumer yet.',
      '`unwrap()` was called before the application listens.',
      'Await `app.listen()` first.',
    ],
    NEST_ERROR_HIDDEN: [
      'Nest replaced the error of a handler, so it counts as retryable.',
      'The filter of the strategy is not installed.',
      'Call `app.useGlobalFilters(strategy.filter)`.',
    ],
    NEST_RPC_ERROR: [
      'A handler, a pipe or a guard threw an `RpcException`.',
      'What its message says.',
      'Throw `PermanentError` where trying again is pointless.',
    ],
    FASTIFY_NO_DASHBOARD: [
      'The plugin serves the dashboard of a consumer, and this one has none.',
      'The consumer was started without `dashboard`.',
      'Start it with `dashboard: { port: 0 }`.',
    ],
    CLOUD_EVENT_INVALID: [
      'A record is no CloudEvent, or an event to be sent is none.',
      'A required attribute is missing, or has a wrong type; the message says which.',
      'Repair the producer.',
    ],
    SCHEMA_FRAME_INVALID: [
      'A value does not begin with the number of a schema.',
      'It was not written with a schema registry.',
      'Check the producer, or decode this topic in another way.',
    ],
    SCHEMA_UNKNOWN: [
      'The registry does not know the schema.',
      'The record was written with another registry.',
      'Name the right one in `url`.',
    ],
    SCHEMA_REFUSED: [
      'The registry refused a schema.',
      'It is not compatible with the earlier ones of its subject, or not valid.',
      'Change the schema, or the compatibility of the subject.',
    ],
    SCHEMA_MISMATCH: [
      'A value does not fit its schema.',
      'The data has changed and the schema has not, or the other way round.',
      'Compare both; the message names the field.',
    ],
    SCHEMA_FORMAT_MISSING: [
      'A schema is of a kind that was not enabled.',
      'The topic has Avro, Protobuf or JSON Schema, and `formats` does not name it.',
      'Add it to `formats`.',
    ],
    SCHEMA_UNUSABLE: [
      'A schema of the registry cannot be used.',
      'It is not valid, or refers to others that are not.',
      'Look at it in the registry; the cause is attached.',
    ],
    SCHEMA_REGISTRY_FORBIDDEN: [
      'The registry does not let us in. Records are tried again.',
      'Wrong user or password, or missing rights.',
      'Check `auth`.',
    ],
    SCHEMA_REGISTRY_UNREACHABLE: [
      'The registry cannot be asked. Records are tried again.',
      'It is down, or `url` is wrong.',
      'Check that it runs.',
    ],
  },
}
