/**
 * Whose fault it was that a worker died. A record that kills workers must end as a dead letter, and its neighbours must not:
 * so what was running when a worker died runs in smaller company next time, until the guilty one is alone with its worker.
 *
 * Calls that wait for promises run at the same time, perhaps a hundred of them, and one after the other would take a hundred
 * times as long. So company shrinks in two steps: first to the square root of what it was, then to one.
 */
import { FanlaneError } from '../../../errors.ts'
import { endText, type WorkerEnd } from '../link.ts'
import { type Task, UNSUSPECTED } from './task.ts'

export interface Scene {
  /** Calls that had begun and were not over. */
  readonly begun: readonly Task[]
  /** The call that the worker was inside of. */
  readonly entered: Task | null
  /** Nothing else was waiting for a promise then. */
  readonly wasAlone: boolean
  /** We ended the worker because of this one. */
  readonly blockedBy: Task | null
}

export interface Verdict {
  readonly task: Task
  /** It was this one, and no other. */
  readonly isCertain: boolean
  /** How many may run beside it next time, itself included. */
  readonly companyMax: number
}

/** So few are run one by one straight away. */
const FEW = 4

export function blame({ begun, entered, wasAlone, blockedBy }: Scene): readonly Verdict[] {
  const suspects = suspectsOf(begun, blockedBy ?? (wasAlone ? entered : null))
  const companyMax = suspects.size <= FEW ? 1 : Math.ceil(Math.sqrt(suspects.size))
  return begun.map((task) => {
    if (!suspects.has(task)) return { task, isCertain: false, companyMax: UNSUSPECTED }
    // Of a batch it is not known which record it was; they are tried one by one.
    return { task, isCertain: suspects.size === 1 && task.works.length === 1, companyMax }
  })
}

function suspectsOf(begun: readonly Task[], known: Task | null): ReadonlySet<Task> {
  return known !== null && begun.includes(known) ? new Set([known]) : new Set(begun)
}

/** What the records of a dead worker fail with. */
export function deathError(name: string, end: WorkerEnd, verdict: Verdict, others: number): FanlaneError {
  const what = `The worker (${name}) ${endText(end)} while it ran ${recordsOf(verdict.task)}`
  const company = others === 0 ? '' : ` and ${others} other call${others === 1 ? '' : 's'}`
  const next =
    verdict.companyMax === UNSUSPECTED
      ? 'It was not the cause; it is tried again.'
      : 'It is tried again in a worker of its own, so that nothing else suffers.'
  return new FanlaneError('WORKER_DIED', `${what}${company}. ${next} ${fixOf(end)}`, {
    retriable: true,
    cause: end.error ?? undefined,
  })
}

/** What they fail with where we ended the worker, because one of them did not come back from its handler. */
export function blockedError(name: string, { task, companyMax }: Verdict, handlerTimeoutMs: number): FanlaneError {
  const fix = 'Raise handlerTimeoutMs, or let the handler await in between.'
  if (companyMax === UNSUSPECTED) {
    return new FanlaneError(
      'WORKER_DIED',
      `The worker (${name}) was ended while it ran ${recordsOf(task)}, because another record blocked it for longer than handlerTimeoutMs (${handlerTimeoutMs}). It is tried again. ${fix}`,
      { retriable: true },
    )
  }
  return new FanlaneError(
    'WORKER_BLOCKED',
    `${recordsOf(task)} blocked its worker (${name}) for longer than handlerTimeoutMs (${handlerTimeoutMs}). A handler that does not come back to its event loop cannot be told to stop, so the worker was ended. ${fix}`,
    { retriable: true },
  )
}

function recordsOf({ works }: Task): string {
  const [first] = works
  const name = first === undefined ? 'nothing' : `${first.topic}-${first.partition}@${first.offset}`
  return works.length > 1 ? `a batch of ${works.length} from ${name}` : name
}

function fixOf({ signal, exitCode, error }: WorkerEnd): string {
  const isMemory =
    (error as { readonly code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY' ||
    signal === 'SIGABRT' ||
    exitCode === 134
  if (isMemory) return 'Give workers more memory (engine: { kind, memoryMb }), or fewer records at once (concurrency).'
  if (error !== null) return 'Catch errors of callbacks and timers in the handler, and await its promises.'
  if (signal !== null) return 'See who sent the signal; the kernel of the system does when memory is short.'
  return 'A handler must not call process.exit().'
}
