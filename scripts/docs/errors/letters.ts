import type { Group } from './entry.ts'

export const letters: Group = {
  title: 'Dead letters',
  about: 'While letters are written (`dead-letter-retry` events; the record stays pending), looked at, or redriven.',
  entries: {
    DEAD_LETTER_FAILED: [
      'A dead letter was not acknowledged. It is tried again.',
      'The log client gave no reason.',
      'Look at the dead-letter topic and the log of the brokers.',
    ],
    DEAD_LETTER_TOPIC_INVALID: [
      '`deadLetter.topic` did not return the name of a topic. It is asked again.',
      'The function has no answer for some records.',
      'Return a name for every record, or skip the record.',
    ],
    LETTER_UNKNOWN: [
      'There is no such dead letter.',
      'Retention has taken it, or the place is wrong.',
      'List them: `fanlane dlq ls`.',
    ],
    CURSOR_INVALID: [
      'The place to go on from is none that a listing has given.',
      'A cursor of another listing, or a changed one.',
      'Begin again without it.',
    ],
    REDRIVE_TAKEN_OVER: [
      'Another redrive of the same topic has begun and goes on from here.',
      'Two people redrive at the same time.',
      'Nothing: no letter goes twice. Watch the other one.',
    ],
    REDRIVE_STATE_UNREADABLE: [
      'Which letters were redriven is kept in a group, and somebody else has written to it.',
      'Another tool committed offsets for that group.',
      'Look at it with `fanlane offsets`, then say where to begin with `fanlane groups reset`.',
    ],
    REDRIVE_STATE_AHEAD: [
      'More letters are noted as redriven than there are.',
      'The dead-letter topic was deleted and made again.',
      'Reset the group that the message names.',
    ],
    REDRIVE_MAP_FULL: [
      'Too many letters that cannot be redriven lie between others: which ones went no longer fits into a commit.',
      'Letters of topics that do not exist any more.',
      'Make those topics, or let the letters expire. What was redriven stays so.',
    ],
  },
}
