/**
 * One call of the admin: several things are asked for, each is done, refused, or asked for again until the time is up. What
 * always holds: every item ends with a result or an error of its own, and an error tells what was asked, of whom, and what
 * the last answer was.
 */
import { Backoff, sleep } from '../cluster/backoff.ts'
import { type Answer, anyNode, type Question } from '../cluster/wire.ts'
import { FanlaneError } from '../errors.ts'
import type { Api } from '../protocol/api.ts'
import { errorCodes, errorName } from '../protocol/errors.ts'
import { isPassing, isUnknownTopic, refusal } from './advice.ts'
import type { AdminContext, Deadline } from './context.ts'
import { AdminError } from './failures.ts'

export interface Plan<Item, Result> {
  /** The API, as messages call it. */
  readonly request: string
  readonly items: readonly Item[]
  readonly nameOf: (item: Item) => string
  readonly deadline: Deadline
  /**
   * True: brokers answer from their own copy of the metadata, where a new topic comes a moment later; so one that is unknown
   * is asked for a little longer. False: whoever answers knows.
   */
  readonly isTopicNewsLate?: boolean
  /** One try for what is still open. */
  readonly attempt: (open: readonly Item[], errand: Errand<Item, Result>) => Promise<void>
}

/** What asking needs of an errand, whatever its results are. */
export interface Asking<Item> {
  readonly context: AdminContext
  ask<Q, R>(
    items: readonly Item[],
    node: number,
    api: Api<Q, R>,
    question: Question<Q>,
    settings?: AskSettings,
  ): Promise<Answer<R> | null>
  refused(item: Item, code: number, node: number, api: { readonly name: string }, detail?: string | null): void
  fail(item: Item, error: FanlaneError): void
}

export interface AskSettings {
  /** It changes something: silence means that it may have been applied. */
  readonly applies?: boolean
  readonly maxVersion?: number
}

/** How long a topic that a broker does not know is asked for again. */
const unknownTopicMs = 1_000

/** Resolves to the results in the order of the items; rejects with an AdminError if one of them failed. */
export async function run<Item, Result>(context: AdminContext, plan: Plan<Item, Result>): Promise<readonly Result[]> {
  return new Errand(context, plan).run()
}

export class Errand<Item, Result> implements Asking<Item> {
  readonly context: AdminContext
  readonly #plan: Plan<Item, Result>
  readonly #results: Map<Item, Result> = new Map()
  readonly #errors: Map<Item, FanlaneError> = new Map()
  /** The last answer about what is still open. */
  readonly #lastWords: Map<Item, string> = new Map()
  readonly #unsure: Set<Item> = new Set()
  readonly #unknownUntilMs: number
  #tries = 0

  constructor(context: AdminContext, plan: Plan<Item, Result>) {
    this.context = context
    this.#plan = plan
    this.#unknownUntilMs = plan.isTopicNewsLate ? context.wire.clock.now() + unknownTopicMs : 0
  }

  async run(): Promise<readonly Result[]> {
    const { request, items, nameOf, attempt } = this.#plan
    const { clock } = this.context.wire
    const backoff = new Backoff(clock)
    for (let open = this.#open(); open.length > 0; open = this.#open()) {
      this.#tries++
      await attempt(open, this)
      if (this.#open().length === 0) break
      const pauseMs = backoff.next()
      if (this.#isOver(pauseMs)) this.#giveUp()
      else await sleep(clock, pauseMs)
    }
    const failures = items.flatMap((item) => {
      const error = this.#errors.get(item)
      return error === undefined ? [] : [{ name: nameOf(item), error }]
    })
    const results = items.flatMap((item) => (this.#results.has(item) ? [this.#results.get(item) as Result] : []))
    if (failures.length > 0) throw new AdminError(request, failures, results)
    return results
  }

  /** How long one request may take now. */
  get patienceMs(): number {
    const share = Math.min(this.context.requestTimeoutMs, this.#plan.deadline.timeoutMs / 3, this.#leftMs())
    return Math.max(1, Math.ceil(share))
  }

  /** For these items. null: there is no answer, and what that means for them is noted already. */
  async ask<Q, R>(
    items: readonly Item[],
    node: number,
    api: Api<Q, R>,
    question: Question<Q>,
    settings: AskSettings = {},
  ): Promise<Answer<R> | null> {
    try {
      return await this.#ask(items, node, api, question, settings)
    } catch (error) {
      if (!(error instanceof FanlaneError)) throw error
      for (const item of items) this.fail(item, error)
      return null
    }
  }

  /** The same for what an older broker may not know. */
  async askIfServed<Q, R>(
    items: readonly Item[],
    node: number,
    api: Api<Q, R>,
    question: Question<Q>,
  ): Promise<Answer<R> | null | 'unserved'> {
    try {
      return await this.#ask(items, node, api, question, {})
    } catch (error) {
      if (!(error instanceof FanlaneError)) throw error
      if (error.code === 'UNSUPPORTED_VERSION') return 'unserved'
      for (const item of items) this.fail(item, error)
      return null
    }
  }

  done(item: Item, result: Result): void {
    this.#results.set(item, result)
  }

  fail(item: Item, error: FanlaneError): void {
    this.#errors.set(item, error)
  }

  /** `node` answered `api` with this code, which is an error: it passes, or it is final. */
  refused(item: Item, code: number, node: number, api: { readonly name: string }, detail: string | null = null): void {
    if (code === errorCodes.REQUEST_TIMED_OUT) this.#unsure.add(item)
    const isEarly = isUnknownTopic(code) && this.context.wire.clock.now() < this.#unknownUntilMs
    if (isEarly || isPassing(code)) {
      this.#lastWords.set(item, `broker ${node} answered ${api.name} with ${errorName(code)}`)
    } else this.fail(item, refusal(code, api.name, this.#plan.nameOf(item), detail))
  }

  /** An earlier try met silence: what it asked for may have been done then. */
  isUnsure(item: Item): boolean {
    return this.#unsure.has(item)
  }

  async #ask<Q, R>(
    items: readonly Item[],
    node: number,
    api: Api<Q, R>,
    question: Question<Q>,
    { applies = false, ...options }: AskSettings,
  ): Promise<Answer<R> | null> {
    // Nobody answers in no time, and a connection that is given up for it hurts others.
    if (this.#leftMs() < this.#leastMs()) return null
    const answer = await this.context.wire.ask(node, api, question, { timeoutMs: this.patienceMs, ...options })
    if (answer !== null) return answer
    for (const item of items) {
      this.#lastWords.set(item, `${node === anyNode ? 'no broker' : `broker ${node} never`} answered ${api.name}`)
      if (applies) this.#unsure.add(item)
    }
    return null
  }

  #open(): readonly Item[] {
    return this.#plan.items.filter((item) => !this.#results.has(item) && !this.#errors.has(item))
  }

  #leftMs(): number {
    return this.#plan.deadline.atMs - this.context.wire.clock.now()
  }

  /** With less time than this a request is not worth sending. */
  #leastMs(): number {
    return this.#plan.deadline.timeoutMs / 20
  }

  #isOver(pauseMs: number): boolean {
    return this.#leftMs() - pauseMs < this.#leastMs() || !this.context.wire.isOpen
  }

  #giveUp(): void {
    const { request, nameOf, deadline } = this.#plan
    const { wire, trouble } = this.context
    for (const item of this.#open()) {
      const what = `${request} of ${nameOf(item)}`
      if (!wire.isOpen) {
        this.fail(
          item,
          new FanlaneError('CLIENT_CLOSED', `${what}: the admin was closed before it was answered. Open a new one.`),
        )
        continue
      }
      const words = this.#lastWords.get(item) ?? 'the answers said nothing about it'
      const troubles = trouble()
      const reason = troubles.map(({ message }) => ` ${message}`).join('')
      const doubt = this.isUnsure(item) ? ' It may have been applied all the same: look before you ask again.' : ''
      const tries = this.#tries === 1 ? '1 try' : `${this.#tries} tries`
      const message =
        `${what} was not done within ${deadline.timeoutMs} ms, ${tries}; the last time ${words}.${reason}${doubt} ` +
        'Look whether the brokers are up and can be reached, or give it more time (timeoutMs).'
      this.fail(item, new FanlaneError('TIMEOUT', message, { retriable: true, cause: troubles[0] }))
    }
  }
}
