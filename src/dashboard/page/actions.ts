/** What can be done, in words, before it is done. Every action is asked about first. */
import type { Action } from '../frames.ts'
import { count, cut } from './format.ts'
import { nameOf } from './words.ts'

export interface Question {
  readonly title: string
  /** What will happen. */
  readonly text: string
  /** The word on the button. */
  readonly verb: string
  readonly isDangerous: boolean
  readonly number?: { readonly label: string; readonly value: number; readonly min: number; readonly max: number }
  /** `value`: of the number asked for, or 0. */
  action(value: number): Action
}

export type Ask = (question: Question) => void

interface At {
  readonly topic: string
  readonly partition: number
}

const concurrencyMax = 100_000

export function skipRecord({ topic, partition }: At, offset: number): Question {
  return {
    title: 'Skip the record?',
    text: `The record ${nameOf({ topic, partition })}@${offset} will count as finished and is not handled. No dead letter is written. This cannot be undone.`,
    verb: 'Skip the record',
    isDangerous: true,
    action: () => ({ kind: 'skip', topic, partition, offset }),
  }
}

export function pausePartition({ topic, partition }: At, kind: 'pause' | 'resume'): Question {
  const name = nameOf({ topic, partition })
  return {
    title: kind === 'pause' ? 'Pause the partition?' : 'Resume the partition?',
    text:
      kind === 'pause'
        ? `No record of ${name} is started until it is resumed. What runs now goes on to its end; the lag grows meanwhile.`
        : `Records of ${name} are started again.`,
    verb: kind === 'pause' ? 'Pause' : 'Resume',
    isDangerous: false,
    action: () => ({ kind, topic, partition }),
  }
}

export function pauseTopic(topic: string, kind: 'pause' | 'resume'): Question {
  return {
    title: kind === 'pause' ? 'Pause the topic?' : 'Resume the topic?',
    text:
      kind === 'pause'
        ? `No record of any partition of ${cut(topic)} is started until it is resumed. What runs now goes on to its end; the lag grows meanwhile.`
        : `Records of all partitions of ${cut(topic)} are started again.`,
    verb: kind === 'pause' ? 'Pause' : 'Resume',
    isDangerous: false,
    action: () => ({ kind, topic }),
  }
}

export function pauseKey({ topic, partition }: At, key: string, kind: 'pause' | 'resume'): Question {
  const name = nameOf({ topic, partition })
  return {
    title: kind === 'pause' ? 'Pause the key?' : 'Resume the key?',
    text:
      kind === 'pause'
        ? `No record of the key ${cut(key)} in ${name} is started until it is resumed. Other keys go on, but the position of ${name} cannot pass the first record that waits.`
        : `Records of the key ${cut(key)} in ${name} are started again, in their order.`,
    verb: kind === 'pause' ? 'Pause' : 'Resume',
    isDangerous: false,
    action: () => ({ kind, topic, partition, key }),
  }
}

export function releaseKey({ topic, partition }: At, key: string | null, depth: number): Question {
  const what = key === null ? `what is parked in ${nameOf({ topic, partition })} without a key` : `the key ${cut(key)}`
  return {
    title: 'Release what is parked?',
    text: `${count(depth)} ${depth === 1 ? 'record' : 'records'} of ${what} will run in order, as any other. If they fail again, they are parked again.`,
    verb: 'Release',
    isDangerous: false,
    action: () => ({ kind: 'release', topic, partition, key }),
  }
}

export function changeConcurrency(
  now: number,
  instance: { readonly id: string; readonly name: string } | null,
): Question {
  return {
    title: 'Change the concurrency?',
    text: `So many handlers may run at once in ${instance === null ? 'every instance of the group' : cut(instance.name)}. It holds until the process ends; handlers that run now are not stopped.`,
    verb: 'Change',
    isDangerous: false,
    number: { label: 'Handlers at once', value: Math.max(1, now), min: 1, max: concurrencyMax },
    action: (limit) => ({ kind: 'concurrency', limit, ...(instance === null ? {} : { instance: instance.id }) }),
  }
}

export function redriveOne({ topic, partition }: At, offset: number, source: string): Question {
  return {
    title: 'Redrive the letter?',
    text: `The letter ${nameOf({ topic, partition })}@${offset} is written to ${source} again and is handled as a new record, behind what is there now.`,
    verb: 'Redrive',
    isDangerous: false,
    action: () => ({ kind: 'redrive', topic, partition, offset }),
  }
}

export function redriveAll(topic: string, letters: number): Question {
  return {
    title: 'Redrive all letters?',
    text: `All letters of ${cut(topic)} that have not been redriven (${count(letters)} at most) are written to where they came from again, in order, and are handled as new records. If the cause is not mended, they will fail again.`,
    verb: 'Redrive all',
    isDangerous: true,
    action: () => ({ kind: 'redrive', topic }),
  }
}
