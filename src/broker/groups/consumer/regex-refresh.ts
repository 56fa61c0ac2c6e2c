/**
 * When the topics of a group's regular expressions are looked up. As in Kafka not inside the heartbeat that brings a new
 * expression but right after it, and for all expressions of the group together: at once for the first, then at most every
 * ten seconds, when an expression was never looked up, when topics were created, or when the last look is too long ago.
 *
 * A look takes as many turns of the event loop as it needs: many topics and large expressions hold nobody else up.
 */
import type { Uuid } from '../../../protocol/types.ts'
import type { BrokerClock } from '../../clock.ts'
import type { TopicsView } from '../ports.ts'
import type { ResolvedRegex } from './changes.ts'
import type { GroupState } from './group-state.ts'
import { compileTopicPattern, type TopicPattern } from './pattern/topic-pattern.ts'

const minIntervalMs = 10_000

/** Steps of expressions × characters of names that one turn may look at: some milliseconds. */
const turnWorkMax = 500_000

interface Look {
  readonly startedMs: number
  readonly patterns: readonly { readonly regex: string; readonly pattern: TopicPattern; readonly topics: Set<string> }[]
  readonly names: readonly string[]
  next: number
  readonly found: (resolved: ReadonlyMap<string, ResolvedRegex>) => void
}

export class RegexRefresh {
  readonly #state: GroupState
  readonly #clock: BrokerClock
  readonly #topics: TopicsView
  #cancel: (() => void) | undefined
  #hasNewTopics = true
  #seenTopicIds: ReadonlySet<Uuid> = new Set()

  constructor(state: GroupState, { clock, topics }: { readonly clock: BrokerClock; readonly topics: TopicsView }) {
    this.#state = state
    this.#clock = clock
    this.#topics = topics
  }

  topicsChanged(): void {
    if (this.#hasNewTopics || this.#state.regexSubscribers.size === 0) return
    for (const name of this.#topics.names()) {
      const topicId = this.#topics.topicId(name)
      if (topicId !== undefined && !this.#seenTopicIds.has(topicId)) this.#hasNewTopics = true
    }
  }

  /** When the topics were last looked up, for all expressions at the same time. */
  get lastLookMs(): number {
    const [any] = this.#state.resolvedRegexes.values()
    return any?.timestampMs ?? Number.NEGATIVE_INFINITY
  }

  /** After a heartbeat: calls back a little later with what was found, if it is time to look. */
  schedule(lastLookMs: number, intervalMs: number, found: Look['found']): void {
    const { regexSubscribers, resolvedRegexes } = this.#state
    if (regexSubscribers.size === 0 || this.#cancel !== undefined) return
    const sinceMs = this.#clock.now() - lastLookMs
    if (sinceMs <= minIntervalMs) return
    const regexes = [...regexSubscribers.keys()]
    const hasNewRegexes = regexes.some((regex) => !resolvedRegexes.has(regex))
    if (!hasNewRegexes && !this.#hasNewTopics && sinceMs <= intervalMs) return
    this.#cancel = this.#clock.timer(0, () => this.#work(this.#start(regexes, found)))
  }

  close(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  #start(regexes: readonly string[], found: Look['found']): Look {
    const names = [...this.#topics.names()]
    this.#seenTopicIds = new Set(names.flatMap((name) => this.#topics.topicId(name) ?? []))
    this.#hasNewTopics = false
    const patterns = regexes.flatMap((regex) => {
      const pattern = compileTopicPattern(regex)
      return 'problem' in pattern ? [] : [{ regex, pattern, topics: new Set<string>() }]
    })
    return { startedMs: this.#clock.now(), patterns, names, next: 0, found }
  }

  #work(look: Look): void {
    let work = 0
    for (; look.next < look.names.length && work < turnWorkMax; look.next++) {
      const name = look.names[look.next] ?? ''
      for (const { pattern, topics } of look.patterns) {
        if (pattern.matches(name)) topics.add(name)
        work += pattern.size * (name.length + 1)
      }
    }
    if (look.next < look.names.length) {
      this.#cancel = this.#clock.timer(0, () => this.#work(look))
      return
    }
    this.#cancel = undefined
    look.found(
      new Map(look.patterns.map(({ regex, topics }) => [regex, this.#resolved(regex, topics, look.startedMs)])),
    )
  }

  #resolved(regex: string, topics: ReadonlySet<string>, timestampMs: number): ResolvedRegex {
    return { topics, version: (this.#state.resolvedRegexes.get(regex)?.version ?? 0) + 1, timestampMs }
  }
}
