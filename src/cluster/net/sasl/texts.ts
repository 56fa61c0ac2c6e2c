/**
 * User names and passwords as they go over the wire: UTF-8, unchanged. Kafka's own clients and brokers do not normalise them
 * either, so whoever did would compute other keys for 'ﬁ' than the broker. Control characters have no place in them: NUL
 * separates the fields of PLAIN.
 */
import { OptionError } from '../../../errors.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const control = /[\u0000-\u001f\u007f]/

/** Never prints the text. */
export function checkText(option: string, text: string): void {
  if (!control.test(text)) return
  throw new OptionError(
    'OPTION_INVALID',
    option,
    `Option '${option}' has a control character in it, a line end perhaps: take it out.`,
  )
}
