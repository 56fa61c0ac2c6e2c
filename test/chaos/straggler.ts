/**
 * The straggler: one partition, many records, one of which takes long while thousands after it finish. The consumer is killed
 * in the middle of it and starts again. What it had finished is in the map of its commits; a map that claims one record too
 * many loses that record for good, although the group has committed to the end.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomStream } from '../../src/testing/sim/random.ts'
import { until } from '../support/wait.ts'
import { RawKafka } from '../wire/support/raw-kafka.ts'
import { type Broken, judge } from './judge.ts'
import { readLedger } from './ledger.ts'
import { Member } from './member.ts'
import { Progress } from './progress.ts'
import { readTopic } from './topics.ts'

export interface StragglerOptions {
  readonly address: string
  /** Topic and groups begin with it. */
  readonly name: string
  readonly rounds: number
  readonly records: number
  readonly keys: number
  readonly longMs: number
  /** Two neighbours in forty take so long: unfinished records side by side, with finished ones behind them. */
  readonly slowMs: number
  readonly seed: number
  readonly log: (line: string) => void
}

export interface StragglerRound {
  readonly straggler: number
  readonly kills: number
  /** Records that no handler finished, although the group has committed to the end. */
  readonly unprocessed: number
  readonly reruns: number
  /** What the kills explain of them. */
  readonly bound: number
  readonly broken: readonly Broken[]
}

export interface StragglerResult {
  readonly rounds: readonly StragglerRound[]
  /** Kept only if a promise was broken. */
  readonly directory: string | null
}

const batch = 1_000
const limitRecords = 2_000
const roundWithinMs = 300_000

export async function stragglerRounds(options: StragglerOptions): Promise<StragglerResult> {
  const chance = randomStream(options.seed, 'straggler')
  const directory = mkdtempSync(join(tmpdir(), 'fanlane-straggler-'))
  await fill(options)
  const rounds: StragglerRound[] = []
  for (let number = 1; number <= options.rounds; number++) {
    const straggler = Math.floor((chance() * options.records) / 10)
    // Every second time the one that has restored a map is killed as well.
    const kills = [chance(), ...(number % 2 === 0 ? [chance()] : [])]
    const round = await oneRound(options, join(directory, `${number}`), number, straggler, kills)
    rounds.push(round)
    options.log(
      `round ${number}: killed ${kills.length} times, unprocessed ${round.unprocessed}, run twice ${round.reruns} of at most ${round.bound}`,
    )
  }
  const isBroken = rounds.some(({ broken }) => broken.length > 0)
  if (!isBroken) rmSync(directory, { recursive: true, force: true })
  return { rounds, directory: isBroken ? directory : null }
}

async function fill({ address, name, records, keys }: StragglerOptions): Promise<void> {
  await using raw = await RawKafka.connect([address])
  await raw.createTopic(name, 1)
  for (let from = 0; from < records; from += batch) {
    const record = (_: unknown, at: number): { key: string; value: string } => {
      const key = `k${(from + at) % keys}`
      return { key, value: `${key}:${Math.floor((from + at) / keys)}` }
    }
    await raw.produce(name, 0, Array.from({ length: Math.min(batch, records - from) }, record))
  }
}

async function oneRound(
  { address, name, records, longMs, slowMs }: StragglerOptions,
  directory: string,
  number: number,
  straggler: number,
  kills: readonly number[],
): Promise<StragglerRound> {
  const group = `${name}-${number}`
  mkdirSync(directory)
  await using stack = new AsyncDisposableStack()
  const member = stack.adopt(
    new Member('one', {
      handler: {
        directory,
        output: null,
        work: { kind: 'straggler', offset: straggler, longMs, slowMs },
        engine: 'async',
      },
      options: {
        brokers: address,
        group,
        topics: [name],
        limits: { records: limitRecords },
        client: { sessionTimeoutMs: 1_500, heartbeatMs: 300 },
      },
    }),
    (each) => each.kill(),
  )
  const progress = stack.adopt(new Progress(directory), (each) => each.close())
  await using raw = await RawKafka.connect([address])
  const isCommitted = async (): Promise<boolean> => (await raw.position(group, name, 0)) >= records
  for (const kill of kills) {
    await member.start()
    const from = progress.ended
    const enough = from + Math.max(1, Math.floor(kill * (records - from)))
    // Nearly all may be finished by now: then it is killed when nothing but the straggler is left, or even later.
    const isTime = async (): Promise<boolean> => {
      progress.look()
      return progress.ended >= enough || (await isCommitted())
    }
    await until(`${group}: ${enough} have ended`, isTime, roundWithinMs)
    await member.kill()
  }
  await member.start()
  await until(`${group} has committed ${records}`, isCommitted, roundWithinMs)
  await member.close()
  const input = await readTopic(address, name, 1)
  const entries = readLedger(directory)
  const { lost, reruns, bound, broken } = judge({
    mode: 'at-least-once',
    input,
    acknowledged: [],
    entries,
    outputs: null,
    letters: [],
    limitRecords,
    mayDieInside: false,
  })
  const deaths = member.deaths.map((text) => ({ promise: 'alive', text }))
  return { straggler, kills: kills.length, unprocessed: lost, reruns, bound, broken: [...deaths, ...broken] }
}
