import type { Group } from './entry.ts'

export const commandLine: Group = {
  title: 'Command line',
  about:
    'Printed on stderr as `CODE: text`, and with `--json` as `{ "error": { "code", "message" } }`. Exit code 2: called wrongly; 1: it went wrong.',
  entries: {
    USAGE: [
      'The command was called wrongly.',
      'An unknown flag, a missing argument, or something that needs `--yes`.',
      'Add `--help` to the command.',
    ],
    UNEXPECTED: [
      'An error that nobody foresaw.',
      'Often a handler module that threw while it was loaded; else a defect of fanlane.',
      'The stack is printed with it.',
    ],
    GROUP_UNKNOWN: [
      'There is no such group, or it has committed nothing.',
      'A typing mistake, or other brokers than you think.',
      'See `fanlane groups`, and `fanlane config` for the brokers.',
    ],
    NOTHING_TO_RESET: [
      'The group has no offsets in what was named.',
      'It has committed nothing there.',
      'Name topics with `--topic`.',
    ],
    HANDLER_NOT_FOUND: [
      'There is no module at that path.',
      'The path is wrong, or relative to another directory.',
      'Check the path.',
    ],
    INPUT_INVALID: [
      'A line of the input is no record.',
      'It is no JSON, or lacks what the chosen format needs. The message has its number.',
      'Correct the line, or choose another format.',
    ],
    INPUT_UNREADABLE: ['The input cannot be read.', 'No such file, or no right to read it.', 'Check the path.'],
    LINE_TOO_LONG: [
      'A line of the input is longer than is taken.',
      'The input is not text with line ends.',
      'Split it, or send it with `createProducer`.',
    ],
    FILE_EXISTS: [
      '`init` would overwrite a file. Nothing was written.',
      'It has been run here before.',
      '`--force` overwrites.',
    ],
    NAME_INVALID: [
      'A name for `init` cannot be one of Kafka.',
      'It has other characters than letters, digits, `.`, `_` and `-`.',
      'Choose another.',
    ],
    PACKAGE_UNREADABLE: ['`package.json` in this directory is no JSON.', 'It was edited by hand.', 'Mend it first.'],
  },
}
