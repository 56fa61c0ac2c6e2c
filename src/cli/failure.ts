/**
 * How a command that went wrong ends: what it prints and its exit code. 1: it went wrong; 2: it was called wrongly. An error of
 * ours says what to do, so it comes without a stack. Secrets of the configuration are in none of it.
 */
import { inspect } from 'node:util'
import { CommanderError } from 'commander'
import { FanlaneError, OptionError } from '../errors.ts'
import { UsageError } from './command.ts'
import { harmless } from './output/harmless.ts'

const MASK = '[redacted]'
const secrets = new Set<string>()

/** From here on these texts are printed by nobody. */
export function keepSecret(texts: Iterable<string>): void {
  for (const text of texts) secrets.add(text)
}

export function concealed(text: string): string {
  let clean = text
  for (const secret of secrets) clean = clean.replaceAll(secret, MASK)
  return clean
}

interface Failure {
  readonly exitCode: number
  readonly code: string
  readonly message: string
  /** As it is printed for people; null: it has been. */
  readonly text: string | null
}

function failureOf(error: unknown): Failure {
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, '')
    return { exitCode: 2, code: 'USAGE', message, text: null }
  }
  if (error instanceof UsageError) return { exitCode: 2, code: 'USAGE', message: error.message, text: error.message }
  if (error instanceof FanlaneError) {
    const message = harmless(error.message)
    const isUsage = error instanceof OptionError
    return { exitCode: isUsage ? 2 : 1, code: error.code, message, text: `${error.code}: ${message}` }
  }
  const message = error instanceof Error ? error.message : String(error)
  // The operating system says what is wrong: no such file, no permission, port in use.
  if (error instanceof Error && 'syscall' in error && 'code' in error) {
    return { exitCode: 1, code: String(error.code), message, text: message }
  }
  return { exitCode: 1, code: 'UNEXPECTED', message, text: inspect(error) }
}

/** Prints what went wrong; gives the exit code. */
export function fail(error: unknown, isJson: boolean, usageHint: string): number {
  const { exitCode, code, message, text } = failureOf(error)
  if (text !== null) console.error(concealed(text))
  if (error instanceof UsageError && usageHint !== '') console.error(usageHint)
  if (isJson) console.log(JSON.stringify({ error: { code, message: concealed(message) } }))
  return exitCode
}
