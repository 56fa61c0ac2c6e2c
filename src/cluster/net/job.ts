/**
 * One question on its way: first in a queue, then on a connection, then answered. It is settled exactly once; whoever holds
 * it is told when its time is up.
 */
import type { Clock } from '../../ports/clock.ts'
import type { Api } from '../../protocol/api.ts'
import type { Reader } from '../../protocol/reader.ts'
import type { Input } from '../../protocol/types.ts'
import type { Writer } from '../../protocol/writer.ts'
import type { Answer, Question } from '../wire.ts'
import { patiently } from './patience.ts'

export interface Holder {
  /** The job's time is up: settle it. */
  expired(job: Job): void
}

/** What is needed of an API to choose a version and write the header. */
export type ApiShape = Pick<Api<never, never>, 'key' | 'name' | 'minVersion' | 'maxVersion' | 'flexibleFrom'>

export interface JobOptions {
  readonly timeoutMs: number
  readonly maxVersion: number
  /** False: nobody answers, it is done when it is sent. */
  readonly expectsAnswer: boolean
}

export interface Job {
  readonly api: ApiShape
  readonly maxVersion: number
  readonly timeoutMs: number
  readonly expectsAnswer: boolean
  /** Who has it now. */
  holder: Holder | null
  readonly isSettled: boolean
  write(writer: Writer, version: number): void
  read(reader: Reader, version: number): unknown
  /** `body` is what `read` gave. */
  answer(body: unknown, version: number, node: number): void
  silence(): void
  refuse(error: unknown): void
}

export function createJob<Q, R>(
  clock: Clock,
  api: Api<Q, R>,
  question: Question<Q>,
  { timeoutMs, maxVersion, expectsAnswer }: JobOptions,
): { readonly job: Job; readonly answered: Promise<Answer<R> | null> } {
  const { promise, resolve, reject } = Promise.withResolvers<Answer<R> | null>()
  let isSettled = false
  const settle = (): boolean => {
    if (isSettled) return false
    isSettled = true
    job.holder = null
    cancel()
    return true
  }
  const job: Job = {
    api,
    maxVersion,
    timeoutMs,
    expectsAnswer,
    holder: null,
    get isSettled() {
      return isSettled
    },
    write: (writer, version) => api.writeRequest(writer, inVersion(question, version), version),
    read: (reader, version) => api.readResponse(reader, version),
    answer: (body, version, node) => {
      if (settle()) resolve({ body: body as R, version, node })
    },
    silence: () => {
      if (settle()) resolve(null)
    },
    refuse: (error) => {
      if (settle()) reject(error)
    },
  }
  const expire = (): void => {
    if (job.holder === null) job.silence()
    else job.holder.expired(job)
  }
  const cancel = patiently(clock, clock.now() + timeoutMs, expire)
  return { job, answered: promise }
}

function inVersion<Q>(question: Question<Q>, version: number): Input<Q> {
  return typeof question === 'function' ? (question as (version: number) => Input<Q>)(version) : question
}
