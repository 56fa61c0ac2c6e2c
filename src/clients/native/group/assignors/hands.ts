/** Who holds which partitions while a plan is made, and the search for a way to pass one on from member to member. */
import { type Board, nobody } from './board.ts'

export interface SearchOptions {
  readonly isGoal: (member: number) => boolean
  readonly isClosed: (member: number) => boolean
  /** Pass on only what is not at home where it is. */
  readonly looseOnly: boolean
}

export interface Found {
  /** nobody: there is no way. */
  readonly goal: number
  readonly reached: readonly number[]
}

export class Hands {
  readonly holder: Int32Array
  readonly load: Int32Array
  readonly #board: Board
  /** By member, by topic: partitions. */
  readonly #held: readonly Map<number, number[]>[]
  /** Of the last search, by member: where it was reached from, and with which topic. */
  readonly #from: Int32Array
  readonly #with: Int32Array
  readonly #memberSeen: Int32Array
  readonly #topicSeen: Int32Array
  #searches = 0

  /** Everything is at home. */
  constructor(board: Board) {
    const { memberIds, topics, home } = board
    this.#board = board
    this.holder = new Int32Array(home.length).fill(nobody)
    this.load = new Int32Array(memberIds.length)
    this.#held = memberIds.map(() => new Map())
    this.#from = new Int32Array(memberIds.length)
    this.#with = new Int32Array(memberIds.length)
    this.#memberSeen = new Int32Array(memberIds.length)
    this.#topicSeen = new Int32Array(topics.length)
    for (const [partition, owner] of home.entries()) if (owner !== nobody) this.give(partition, owner)
  }

  give(partition: number, member: number): void {
    const before = this.holder[partition] ?? nobody
    if (before === member) return
    const topic = this.#board.topicOf[partition] ?? 0
    if (before !== nobody) {
      this.#count(before, -1)
      const all = this.#held[before]?.get(topic) ?? []
      all.splice(all.indexOf(partition), 1)
      if (all.length === 0) this.#held[before]?.delete(topic)
    }
    this.holder[partition] = member
    this.#count(member, 1)
    const all = this.#held[member]?.get(topic)
    if (all === undefined) this.#held[member]?.set(topic, [partition])
    else all.push(partition)
  }

  /**
   * The cheapest way from member to member that ends at a goal: what is not at home where it is can be passed on for nothing.
   * Of several goals in reach of one member, the emptiest.
   */
  search(start: number, options: SearchOptions): Found {
    this.#searches++
    this.#memberSeen[start] = this.#searches
    const reached = [start]
    const costly: [member: number, topic: number][] = []
    for (let at = 0, paid = 0; at < reached.length || paid < costly.length; ) {
      let goal = nobody
      if (at < reached.length) {
        const member = reached[at++] ?? nobody
        for (const [topic, partitions] of this.#held[member] ?? []) {
          if (this.#isLoose(partitions, member)) goal = this.#reach(member, topic, goal, reached, options)
          else if (!options.looseOnly) costly.push([member, topic])
        }
      } else {
        for (const end = costly.length; paid < end; paid++) {
          const [member, topic] = costly[paid] ?? [nobody, 0]
          goal = this.#reach(member, topic, goal, reached, options)
        }
      }
      if (goal !== nobody) return { goal, reached }
    }
    return { goal: nobody, reached }
  }

  /** Each member on the way of the last search, from `start` to `goal`, passes one partition on to the next. */
  moveAlong(goal: number, start: number): void {
    for (let to = goal; to !== start; ) {
      const from = this.#from[to] ?? nobody
      this.give(this.#pick(from, this.#with[to] ?? 0, to), to)
      to = from
    }
  }

  #count(member: number, by: 1 | -1): void {
    this.load[member] = (this.load[member] ?? 0) + by
  }

  #isLoose(partitions: readonly number[], member: number): boolean {
    return partitions.some((partition) => this.#board.home[partition] !== member)
  }

  /** Over one topic that the member holds. Gives the best goal so far. */
  #reach(member: number, topic: number, goal: number, reached: number[], { isGoal, isClosed }: SearchOptions): number {
    if (this.#topicSeen[topic] === this.#searches) return goal
    this.#topicSeen[topic] = this.#searches
    let best = goal
    for (const reader of this.#board.topics[topic]?.readers ?? []) {
      if (this.#memberSeen[reader] === this.#searches || isClosed(reader)) continue
      this.#memberSeen[reader] = this.#searches
      this.#from[reader] = member
      this.#with[reader] = topic
      reached.push(reader)
      if (isGoal(reader) && (best === nobody || (this.load[reader] ?? 0) < (this.load[best] ?? 0))) best = reader
    }
    return best
  }

  #pick(from: number, topic: number, to: number): number {
    const { home } = this.#board
    const partitions = this.#held[from]?.get(topic) ?? []
    return (
      partitions.find((partition) => home[partition] === to) ??
      partitions.find((partition) => home[partition] !== from) ??
      partitions.at(-1) ??
      nobody
    )
  }
}
