/**
 * Replays a script on a target and fails at the first answer that differs. The targets are the simulated cluster (every
 * `npm test`), Apache Kafka and the embedded broker (over the wire): what the model answers must be what Kafka answers.
 */
import type { Request, RequestKind, Response } from '../../src/testing/sim/cluster/requests.ts'
import { difference, fill, type Variables } from './match.ts'
import type { Control, Script, Step } from './script.ts'

export interface Exchange {
  readonly answered: boolean
  /** Rejects when no answer comes within the target's patience. */
  answer(): Promise<Response>
}

export interface ScriptTarget {
  /** Fresh topics, groups and transactional ids: nothing of an earlier script may shine through. */
  open(script: Script): Promise<void>
  /** Resolves when the request has surely arrived. Each actor has a connection of its own. */
  send(actor: string, request: Request): Promise<Exchange>
  advance(ms: number): Promise<void>
  control(control: Control): Promise<void>
  /** A node that is not this one. */
  otherNode(node: number): number
  close(): Promise<void>
}

/** `JoinGroup/MEMBER_ID_REQUIRED`: a kind of request and a code that it was answered with. */
export type AnswerName = `${RequestKind}/${string}`

export async function runScript(script: Script, target: ScriptTarget): Promise<ReadonlySet<AnswerName>> {
  const seen = new Set<AnswerName>()
  const variables: Variables = new Map()
  const begun = new Map<string, Exchange>()
  await target.open(script)
  try {
    await findCoordinators(target, variables)
    for (const [index, step] of script.steps.entries()) {
      try {
        await runStep(step, target, variables, begun, seen)
      } catch (error) {
        throw new Error(`${script.title}: step ${index} (${nameOf(step)}): ${(error as Error).message}`, {
          cause: error,
        })
      }
    }
  } finally {
    await target.close()
  }
  return seen
}

/** Scripts name the coordinators as `groupNode` and `txnNode`, and a node that is neither as `otherNode`. */
async function findCoordinators(target: ScriptTarget, variables: Variables): Promise<void> {
  for (const [keyType, name] of [
    ['group', 'groupNode'],
    ['transaction', 'txnNode'],
  ] as const) {
    const exchange = await target.send('runner', { kind: 'FindCoordinator', keyType, key: 'any' })
    const answer = await exchange.answer()
    if (answer.kind !== 'FindCoordinator') throw new Error(`FindCoordinator answered with ${answer.kind}`)
    variables.set(name, answer.nodeId)
    variables.set(keyType === 'group' ? 'otherNode' : 'otherTxnNode', target.otherNode(answer.nodeId))
  }
}

async function runStep(
  step: Step,
  target: ScriptTarget,
  variables: Variables,
  begun: Map<string, Exchange>,
  seen: Set<AnswerName>,
): Promise<void> {
  switch (step.kind) {
    case 'send': {
      const fields = fill(step.ask.fields, variables) as object
      const exchange = await target.send(step.actor, { kind: step.ask.kind, ...fields } as Request)
      if (step.id === null) return compare(step.expect, await exchange.answer(), variables, seen)
      begun.set(step.id, exchange)
      return
    }
    case 'waits':
      if (exchangeOf(begun, step.id).answered) {
        throw new Error(`already answered: ${JSON.stringify(await exchangeOf(begun, step.id).answer())}`)
      }
      return
    case 'end':
      return compare(step.expect, await exchangeOf(begun, step.id).answer(), variables, seen)
    case 'advance':
      return target.advance(step.ms)
    case 'control':
      return target.control(step.control)
  }
}

function compare(expected: unknown, answer: Response, variables: Variables, seen: Set<AnswerName>): void {
  for (const code of errorCodesOf(answer)) seen.add(`${answer.kind}/${code}`)
  const found = difference(expected, answer, variables)
  if (found !== null) throw new Error(`${found}\n    whole answer: ${JSON.stringify(answer)}`)
}

function exchangeOf(begun: ReadonlyMap<string, Exchange>, id: string): Exchange {
  const exchange = begun.get(id)
  if (exchange === undefined) throw new Error(`nothing was begun as ${id}: fix the script`)
  return exchange
}

/** All error codes anywhere in an answer. */
function errorCodesOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(errorCodesOf)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, field]) =>
    key === 'errorCode' ? [field as string] : key === 'batches' ? [] : errorCodesOf(field),
  )
}

function nameOf(step: Step): string {
  switch (step.kind) {
    case 'send':
      return `${step.actor}: ${step.ask.kind}`
    case 'control':
      return step.control.kind
    case 'advance':
      return `advance ${step.ms} ms`
    default:
      return `${step.kind} ${step.id}`
  }
}
