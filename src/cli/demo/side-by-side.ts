/** The race as the dashboard shows it, while it is under way: both rates, the speed-up, and whether the order held. */
import type { Beside, BesideRun } from '../../dashboard/frames.ts'
import { perSecond, type Race, ratioOf } from './report.ts'

export class SideBySide {
  #first: Race | null = null
  #second: Race | null = null

  /** How far the one under way has come; `before`: the one that it has to beat. */
  tell(now: Race, before: Race | null): void {
    this.#first = before ?? now
    this.#second = before === null ? null : now
  }

  frame(): Beside {
    const [first, second] = [this.#first, this.#second]
    const outOfOrder = (first?.racer.checker.outOfOrder ?? 0) + (second?.racer.checker.outOfOrder ?? 0)
    return {
      title: 'Speed-up on the same orders',
      runs: [runOf('one at a time', first, second !== null), runOf('fanlane', second, false)],
      ratio: first === null || second === null ? null : ratioOf(second, first),
      check: { ok: outOfOrder === 0, words: outOfOrder === 0 ? 'order ok' : `${outOfOrder} out of order` },
    }
  }
}

function runOf(name: string, race: Race | null, isOver: boolean): BesideRun {
  return { name, records: race?.records ?? 0, perSecond: race === null ? null : perSecond(race), isOver }
}
