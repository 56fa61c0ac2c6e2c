/**
 * What the handler of a record does. Decided by the record and the attempt alone, so that it does not depend on who
 * runs it or when: poison stays poison wherever it goes.
 */
import type { Scenario } from './scenario.ts'

export interface Behaviour {
  readonly ms: number
  readonly inline: boolean
  readonly deferred: boolean
  readonly fails: boolean
  readonly permanent: boolean
  /** Does not listen to its abort signal. */
  readonly stubborn: boolean
  /** Outputs it sends if it succeeds. */
  readonly outputs: number
}

export function behaviourOf(scenario: Scenario, partition: number, offset: number, attempt: number): Behaviour {
  const { handler } = scenario
  const record = (purpose: number): number => draw(scenario.seed, partition, offset, 0, purpose)
  const run = (purpose: number): number => draw(scenario.seed, partition, offset, attempt, purpose)
  const poison = record(1) < handler.poison
  const slow = record(2) < handler.slow
  return {
    ms: slow ? handler.slowMs : handler.minMs + run(3) * (handler.maxMs - handler.minMs),
    inline: record(4) < handler.inline,
    deferred: record(5) < handler.deferred,
    fails: poison || run(6) < handler.failing,
    permanent: poison && record(7) < 0.5,
    stubborn: record(8) < handler.stubborn,
    outputs: outputsOf(scenario, partition, offset),
  }
}

export function outputsOf(scenario: Scenario, partition: number, offset: number): number {
  return draw(scenario.seed, partition, offset, 0, 9) < scenario.handler.sending ? 1 : 0
}

/** A number in [0, 1) from five whole ones. */
function draw(seed: number, partition: number, offset: number, attempt: number, purpose: number): number {
  let hash = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b)
  for (const part of [partition, offset % 4_294_967_296, attempt, purpose]) {
    hash = Math.imul(hash ^ part, 0xc2b2ae35)
    hash = Math.imul(hash ^ (hash >>> 15), 0x27d4eb2f)
    hash ^= hash >>> 13
  }
  return (hash >>> 0) / 4_294_967_296
}
