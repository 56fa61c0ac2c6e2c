/** What a seed stands for. Every kind of action and of fault is on or off by chance, so that seeds differ in kind. */
import type { LogConfig } from '../../../src/broker/log/config.ts'
import type { SyncPolicy } from '../../../src/broker/log/flusher.ts'
import { randomStream } from '../../../src/testing/sim/random.ts'

export interface Scenario {
  readonly seed: number
  readonly partitions: number
  readonly lives: number
  readonly stepsPerLife: number
  readonly syncPolicy: SyncPolicy
  readonly config: Partial<LogConfig>
  readonly checkpointBytes: number
  /** Operations of the disk end later, in any order. */
  readonly slowDisk: boolean
  /** Every prefix of every write, not a choice of them. */
  readonly everyPrefix: boolean
  readonly largeBatches: boolean
  /** Batches end eight bytes before a block does: the next one's base offset is lost or kept alone. */
  readonly alignsBatches: boolean
  readonly deletes: boolean
  readonly retains: boolean
  readonly replaces: boolean
  readonly producers: boolean
  /** The disk fails once in a life, with this error, in an operation of this kind. */
  readonly failsWith: 'nothing' | 'EIO' | 'ENOSPC'
  readonly failsIn: 'sync' | 'append' | 'any'
}

export function scenarioOf(seed: number): Scenario {
  const random = randomStream(seed, 'scenario')
  const on = (chance: number): boolean => random() < chance
  const one = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T
  const everyPrefix = seed % 8 === 0
  const replaces = on(0.35)
  return {
    seed,
    partitions: one([1, 1, 2, 3]),
    lives: everyPrefix ? 1 : one([1, 2, 3, 4]),
    stepsPerLife: everyPrefix ? 24 : one([20, 35, 50]),
    syncPolicy: one(['always', 'always', 'always', 'always', 'interval', 'os']),
    config: {
      segmentBytes: one(replaces ? [1, 200, 500] : [1, 200, 500, 1_200, 3_000, 100_000]),
      indexIntervalBytes: one([50, 50, 200, 600, 4_096]),
      retentionBytes: one([300, 1_000, 4_000]),
      retentionMs: -1,
      compacts: false,
    },
    checkpointBytes: one([150, 600, 2_000, 1_000_000]),
    slowDisk: on(0.6),
    everyPrefix,
    largeBatches: on(0.4),
    alignsBatches: on(0.25),
    deletes: on(0.5),
    retains: on(0.4),
    replaces,
    producers: on(0.6),
    failsWith: on(0.4) ? one(['EIO', 'ENOSPC']) : 'nothing',
    failsIn: one(['sync', 'sync', 'append', 'any']),
  }
}
