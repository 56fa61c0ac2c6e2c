/** What users pass to a running consumer, checked before it reaches the loop: there a bad number could do harm. */
import { OptionError } from '../errors.ts'

export interface PartitionArgument {
  readonly topic: string
  readonly partition: number
}

export function checkTopic(method: string, topic: unknown): void {
  if (typeof topic === 'string' && topic !== '') return
  throw invalid(method, 'topic', 'the name of a topic', topic)
}

export function checkPartition(method: string, argument: PartitionArgument): void {
  checkTopic(method, argument?.topic)
  checkWhole(method, 'partition', argument.partition)
}

/** Offsets, partitions, timestamps: safe integers from 0. */
export function checkWhole(method: string, name: string, value: unknown, min = 0): void {
  if (Number.isSafeInteger(value) && (value as number) >= min) return
  throw invalid(method, name, `a whole number from ${min}`, value)
}

export function checkKey(method: string, key: unknown): void {
  if (typeof key === 'string' || Buffer.isBuffer(key)) return
  throw invalid(method, 'key', 'a string or a Buffer', key)
}

export function invalid(method: string, name: string, wanted: string, value: unknown): OptionError {
  const shown = typeof value === 'string' ? `'${value.slice(0, 60)}'` : String(value)
  return new OptionError('ARGUMENT_INVALID', name, `consumer.${method}(): ${name} must be ${wanted}, not ${shown}.`)
}
