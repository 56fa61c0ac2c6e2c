import type { Group } from './entry.ts'

export const options: Group = {
  title: 'Options and configuration',
  about:
    'Thrown before anything starts, as an `OptionError` whose `option` names the one that is wrong (`CONFIG_…`: a setting of the command line).',
  entries: {
    OPTION_INVALID: [
      'An option has a value that it cannot have.',
      'A wrong type, a number out of range, a name with characters that Kafka does not take.',
      'The message says what is wanted and what was given. The [reference](guide/reference.md) has every option.',
    ],
    OPTION_UNKNOWN: [
      'There is no such option.',
      'A typing mistake, or an option that belongs into another object.',
      'The message names the nearest one. With TypeScript the compiler finds it first.',
    ],
    OPTION_MISSING: [
      'Something that is always needed was not given.',
      'No `handle`, no `group`, no `topics` or no `brokers`.',
      'Give the option that the message names.',
    ],
    OPTION_CONTRADICTION: [
      'Two options cannot hold at the same time.',
      'For example at-most-once with several attempts, exactly-once with a dedup store, an idempotent producer with acks 1.',
      'Decide for one of the two; the message says what each would mean.',
    ],
    ARGUMENT_INVALID: [
      'A method was called with something that makes no sense.',
      'A negative offset, a partition that is no number, a seek with neither offset nor timestamp.',
      'Correct the call; nothing was changed by it.',
    ],
    NO_BROKERS: [
      'No broker is named, and in production fanlane does not start one of its own.',
      '`NODE_ENV` is `production`, and neither `brokers` nor `KAFKA_BROKERS` is set.',
      'Name your brokers. The embedded one keeps records in memory and is for development and tests.',
    ],
    ABORTED: [
      'The consumer was told to stop before it had started.',
      'The `signal` that was given is aborted already.',
      'Give a signal that is not, or do not start the consumer.',
    ],
    PACKAGE_MISSING: [
      'An option needs a package that is not installed.',
      '`tracing` needs `@opentelemetry/api`.',
      'Install the package that the message names.',
    ],
    METRICS_REFUSED: [
      'The registry did not take the metrics.',
      'A metric of the same name is registered, often by a second copy of fanlane.',
      'Give every consumer of a process the same registry, or a registry of its own.',
    ],
    CONFIG_INVALID: [
      'A setting of the command line has a value that it cannot have, or the config file is no object.',
      'A wrong value in a flag, in the environment or in `fanlane.config.ts`; the message says which.',
      'Correct it there. `fanlane config` shows every setting and where it came from.',
    ],
    CONFIG_UNKNOWN: [
      'The config file has a setting that nobody knows.',
      'A typing mistake, or a setting of another version.',
      'Remove it, or take the name that the message proposes.',
    ],
    CONFIG_NOT_FOUND: [
      'There is no config file where `--config` says.',
      'The path is wrong, or it is relative to another directory.',
      'Correct the path, or leave `--config` out.',
    ],
    CONFIG_LOAD_FAILED: [
      'The config file cannot be loaded as a module.',
      'A syntax error, or an import that is not found.',
      'Run the file by itself with Node: the message has its words.',
    ],
    CONFIG_CONTRADICTION: [
      'Settings of the command line do not go together.',
      'A SASL user without a password, or the other way round.',
      'Give both, or neither; `fanlane config` shows where each came from.',
    ],
  },
}
