/**
 * Everything a dashboard shows of one group: its instances, asked together; its history; its actions and their audit log.
 */
import { FanlaneError } from '../errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import { actionInWords } from './actions.ts'
import type {
  Action,
  AuditFrame,
  Beside,
  ConfigAnswer,
  DeadLetterContent,
  DeadLetters,
  Frame,
  HistoryFrame,
  MemberFrame,
} from './frames.ts'
import { HISTORY_PARTITIONS_MAX, HistoryRing } from './history.ts'
import type { Answer, Instance, Question } from './instance.ts'
import { merged } from './merge.ts'

const AUDIT_MAX = 200
const HISTORY_CELLS = 160

/** What only the brokers know. Absent where there are none. */
export interface GroupTools {
  members(group: string): Promise<readonly MemberFrame[]>
  deadLetters(query: {
    readonly topic?: string
    readonly group?: string
    readonly count: number
    readonly before?: string
  }): Promise<DeadLetters>
  deadLetter(at: {
    readonly topic: string
    readonly partition: number
    readonly offset: number
  }): Promise<DeadLetterContent | null>
  /** Resolves to what was done, in words. */
  redrive(action: Action & { readonly kind: 'redrive' }): Promise<string>
  close(): Promise<void>
}

export interface BoardParts {
  readonly group: string
  readonly clock: Clock
  readonly logger: Logger
  readonly tools: GroupTools | null
  /** Where actions are written down, beside the log. */
  readonly audit?: (entry: AuditFrame) => void
  /** What is compared here, if anything is. */
  readonly beside?: () => Beside | null
}

export class Board {
  readonly #parts: BoardParts
  readonly #local: Set<Instance> = new Set()
  readonly #elsewhere: Instance[] = []
  readonly #history: HistoryRing = new HistoryRing()
  readonly #audit: AuditFrame[] = []
  /** Time that looking has taken of this process. */
  spentMs = 0

  constructor(parts: BoardParts) {
    this.#parts = parts
  }

  get group(): string {
    return this.#parts.group
  }

  get tools(): GroupTools | null {
    return this.#parts.tools
  }

  get isEmpty(): boolean {
    return this.#local.size === 0
  }

  add(instance: Instance): void {
    this.#local.add(instance)
  }

  remove(instance: Instance): void {
    this.#local.delete(instance)
  }

  addElsewhere(instance: Instance): void {
    this.#elsewhere.push(instance)
  }

  /** Only of this process: what a dashboard elsewhere asks for. */
  async ownAnswers(question: Question): Promise<readonly Answer[]> {
    const asked = this.#timed(() => [...this.#local].map((instance) => instance.look(question)))
    return (await Promise.all(asked)).flat()
  }

  async frameJson(question: Question): Promise<string> {
    const frame = await this.frame(question)
    return this.#timed(() => JSON.stringify(frame))
  }

  async frame(question: Question): Promise<Frame> {
    const [answers, members] = await Promise.all([this.#answers(question), this.#members(question)])
    const audit = question.page === 'errors' ? this.#audit.toReversed() : []
    const beside = this.#parts.beside?.() ?? null
    return this.#timed(() =>
      merged({ group: this.group, at: this.#parts.clock.now(), question, answers, members, audit, beside }),
    )
  }

  async remember(): Promise<void> {
    const question: Question = {
      page: 'partitions',
      from: 0,
      count: HISTORY_PARTITIONS_MAX,
      sort: 'stuck',
      find: '',
      cells: HISTORY_CELLS,
      isAlone: false,
    }
    const { at, overview, detail, beside } = await this.frame(question)
    const partitions = detail.page === 'partitions' ? detail.partitions : []
    const frame: HistoryFrame = { at, overview, partitions, beside }
    this.#timed(() => this.#history.push(frame))
  }

  history(): string {
    return this.#history.json()
  }

  async config(): Promise<ConfigAnswer> {
    for (const instance of [...this.#local, ...this.#elsewhere]) {
      const config = await instance.config()
      if (config !== null) return config
    }
    return { options: [] }
  }

  /** Tried, and written down, whatever comes of it. `isPeer`: somebody else's dashboard asks, for what is here. */
  async act(action: Action, who: string, isPeer: boolean): Promise<string | null> {
    const what = actionInWords(action)
    try {
      const done = action.kind === 'redrive' ? await this.#redrive(action) : await this.#steer(action, isPeer)
      if (done === null && !isPeer) {
        throw new FanlaneError('ACTION_REFUSED', `${what}: no instance of this group holds it now.`)
      }
      this.#write({ at: this.#parts.clock.now(), what, outcome: 'done', message: done, who })
      return done
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      this.#write({ at: this.#parts.clock.now(), what, outcome: 'refused', message, who })
      throw error
    }
  }

  /** Told, and refused before anything was tried. */
  refused(what: string, who: string, message: string): void {
    this.#write({ at: this.#parts.clock.now(), what, outcome: 'refused', message, who })
  }

  async close(): Promise<void> {
    await this.#parts.tools?.close()
  }

  /** Of what is done in one go. */
  #timed<Result>(work: () => Result): Result {
    const { clock } = this.#parts
    const startMs = clock.now()
    try {
      return work()
    } finally {
      this.spentMs += clock.now() - startMs
    }
  }

  async #answers(asked: Question): Promise<readonly Answer[]> {
    const question = { ...asked, isAlone: this.#local.size + this.#elsewhere.length === 1 }
    const own = this.ownAnswers(question)
    const others = Promise.all(this.#elsewhere.map((instance) => instance.look(question)))
    return [...(await own), ...(await others).flat()]
  }

  async #members({ page }: Question): Promise<readonly MemberFrame[] | null> {
    if (page !== 'group' || this.#parts.tools === null) return null
    try {
      return await this.#parts.tools.members(this.group)
    } catch (error) {
      // The brokers are away: instances still know what they hold.
      this.#parts.logger.debug({ error }, 'the members of the group cannot be asked for')
      return null
    }
  }

  async #redrive(action: Action & { readonly kind: 'redrive' }): Promise<string> {
    if (this.#parts.tools === null)
      throw new FanlaneError(
        'ACTION_REFUSED',
        'There is no broker to redrive through: this consumer reads from a log in memory.',
      )
    return this.#parts.tools.redrive(action)
  }

  async #steer(action: Action, isPeer: boolean): Promise<string | null> {
    const asked = [...this.#local, ...(isPeer ? [] : this.#elsewhere)]
    const results = await Promise.allSettled(asked.map((instance) => instance.act(action)))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    const done = results.filter((result) => result.status === 'fulfilled' && result.value).length
    return done === 0 ? null : `${actionInWords(action)}: done${done === 1 ? '' : ` by ${done} instances`}.`
  }

  #write(entry: AuditFrame): void {
    this.#audit.push(entry)
    if (this.#audit.length > AUDIT_MAX) this.#audit.shift()
    const { at, ...told } = entry
    this.#parts.logger.warn({ audit: told }, `dashboard action ${entry.outcome}`)
    this.#parts.audit?.(entry)
  }
}
