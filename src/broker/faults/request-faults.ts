/**
 * Faults that a test plants into the way of requests: an error code instead of an answer, a cut connection before or after
 * the request took effect, a delay. A fault matches by API, topic, group and client, and is spent after `times` hits.
 */
import { OptionError } from '../../errors.ts'
import { type ErrorName, errorCodes } from '../../protocol/errors.ts'
import type { BrokerClock } from '../clock.ts'
import { CutConnection } from '../server/connection.ts'
import { type Answer, noAnswer, type RequestContext, type Route } from '../server/route.ts'
import { FaultBed, type Planted, type PlantedFault } from './planted.ts'

export interface FaultMatch {
  /** As Kafka calls it: 'Produce', 'OffsetCommit' …; without it every API. */
  readonly api?: string
  readonly topic?: string
  readonly group?: string
  readonly clientId?: string
  /** Looks at the decoded request. Not with `isolate: true`: a function cannot travel to another thread. */
  readonly when?: (request: object) => boolean
  /** How often it strikes; without it, until it is removed. */
  readonly times?: number
}

export type FaultEffect =
  /** The request is not applied; the answer carries this error. */
  | { readonly error: ErrorName }
  /** The connection is cut, before the request is applied or after, with the answer lost. */
  | { readonly drop: 'before' | 'after' }
  /** The request is applied only after a while. */
  | { readonly delayMs: number }

export type RequestFault = FaultMatch & FaultEffect

export class RequestFaults {
  readonly #bed = new FaultBed<RequestFault>()
  readonly #clock: BrokerClock
  readonly #topicName: (id: string) => string | undefined
  readonly #apiNames: () => readonly string[]
  /** Requests that are being delayed: each can be given up. */
  readonly #delayed: Set<() => void> = new Set()

  constructor(clock: BrokerClock, topicName: (id: string) => string | undefined, apiNames: () => readonly string[]) {
    this.#clock = clock
    this.#topicName = topicName
    this.#apiNames = apiNames
  }

  inject(fault: RequestFault): PlantedFault {
    this.#check(fault)
    return this.#bed.plant(fault)
  }

  clear(): void {
    this.#bed.clear()
  }

  /** The broker is gone: whoever is being delayed is not served any more, and keeps nobody alive. */
  close(): void {
    this.clear()
    for (const giveUp of this.#delayed) giveUp()
  }

  get isEmpty(): boolean {
    return this.#bed.isEmpty
  }

  /** Lets the request through to `apply`, or does to it what the first matching fault says. */
  async pass(
    route: Route,
    request: object,
    context: RequestContext,
    apply: () => Answer<object> | Promise<Answer<object>>,
  ): Promise<Answer<object>> {
    const planted = this.#match(route, request, context)
    if (planted === undefined) return apply()
    const { fault } = planted
    this.#bed.strike(planted)
    if ('error' in fault) return route.refuse(request, errorCodes[fault.error], context)
    if ('delayMs' in fault) {
      // A slow broker makes the next requests of this connection wait as well: pipelined writes stay in their order.
      const { promise: applied, resolve: isApplied } = Promise.withResolvers<void>()
      context.hold?.(applied)
      try {
        await this.#delay(fault.delayMs, route)
        return await apply()
      } finally {
        isApplied()
      }
    }
    if (fault.drop === 'after') {
      const answer = await apply()
      if (answer === noAnswer) return answer
    }
    throw new CutConnection(`a planted fault cut ${route.api.name}`)
  }

  #delay(ms: number, route: Route): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        cancel()
        this.#delayed.delete(giveUp)
        reject(new CutConnection(`the broker was closed while a planted fault delayed ${route.api.name}`))
      }
      const cancel = this.#clock.timer(ms, () => {
        this.#delayed.delete(giveUp)
        resolve()
      })
      this.#delayed.add(giveUp)
    })
  }

  #match(route: Route, request: object, context: RequestContext): Planted<RequestFault> | undefined {
    for (const planted of this.#bed) {
      const { api, topic, group, clientId, when } = planted.fault
      if (api !== undefined && api !== route.api.name) continue
      if (clientId !== undefined && clientId !== context.clientId) continue
      if (topic !== undefined && !mentions(request, topicFields, (v) => v === topic || this.#topicName(v) === topic))
        continue
      if (group !== undefined && !mentions(request, groupFields, (v) => v === group)) continue
      if (when !== undefined && !when(request)) continue
      return planted
    }
    return undefined
  }

  #check(fault: RequestFault): void {
    const wrong = (option: string, message: string): never => {
      throw new OptionError('OPTION_INVALID', option, message)
    }
    const names = this.#apiNames()
    if (fault.api !== undefined && !names.includes(fault.api))
      wrong('api', `There is no API '${fault.api}'. Known are ${names.join(', ')}.`)
    if ('error' in fault && !Object.hasOwn(errorCodes, fault.error))
      wrong(
        'error',
        `Kafka has no error '${String(fault.error)}': write its name as in the protocol, for example NOT_COORDINATOR.`,
      )
    if ('drop' in fault && fault.drop !== 'before' && fault.drop !== 'after')
      wrong('drop', "'drop' of a fault must be 'before' or 'after'.")
    if ('delayMs' in fault && !(fault.delayMs >= 0))
      wrong('delayMs', "'delayMs' of a fault must be a number of milliseconds from 0.")
    if (fault.times !== undefined && !(fault.times > 0)) wrong('times', "'times' of a fault must be a positive number.")
    if (!('error' in fault || 'drop' in fault || 'delayMs' in fault))
      wrong('error', 'A fault has to say what shall happen: error, drop or delayMs.')
  }
}

const topicFields: ReadonlySet<string> = new Set([
  'topic',
  'topics',
  'topicId',
  'topicData',
  'name',
  'topicNames',
  'topicIds',
])
const groupFields: ReadonlySet<string> = new Set([
  'groupId',
  'groupIds',
  'groups',
  'groupsNames',
  'key',
  'coordinatorKeys',
])

/** Whether some field with one of these names, at any depth, holds a text that fits. */
function mentions(value: unknown, fields: ReadonlySet<string>, fits: (text: string) => boolean): boolean {
  if (Array.isArray(value)) return value.some((element) => mentions(element, fields, fits))
  if (value === null || typeof value !== 'object' || Buffer.isBuffer(value)) return false
  return Object.entries(value).some(([name, inner]) => {
    if (typeof inner === 'string') return fields.has(name) && fits(inner)
    if (Array.isArray(inner) && fields.has(name) && inner.some((e) => typeof e === 'string' && fits(e))) return true
    return mentions(inner, fields, fits)
  })
}
