/** How `npm run bench` is called. */
import { parseArgs } from 'node:util'
import { contenders } from '../contenders/index.ts'
import { workloads } from '../workloads/index.ts'
import type { BrokerKind } from './brokers.ts'

export const help: string = `npm run bench -- [options]
  --only W1,W4          these workloads (default: all)
  --variants c100,p8    these variants of them (default: all)
  --contenders a,b      these contenders (default: all): ${contenders.map(({ name }) => name).join(', ')}
  --broker kafka        kafka, embedded, or kafka,embedded (default: both, where a workload has a use for it)
  --rounds N            rounds of each (default 3; of W5 20)
  --quick               tiny sizes, one round: to see that it works
  --json                the last line of stdout is one JSON object, and bench/results/latest.json is written
  --us 0,50,1000        for W6: how many microseconds handlers burn (1000)
  --profile             CPU profiles and flame graphs of the contenders in Node, in bench/results/profiles; with --json
                        where fanlane's time goes is also kept for docs/BENCHMARKS.md
  --build FOLDER        this build of fanlane (default: it is built)
  --page                only make docs/BENCHMARKS.md from bench/results/latest.json
A whole run takes about an hour and a half; it says at the beginning how long the chosen part takes.`

export interface Options {
  readonly only: readonly string[]
  /** Null: all. */
  readonly variants: readonly string[] | null
  readonly contenders: readonly string[] | null
  readonly brokers: readonly BrokerKind[]
  readonly rounds: number
  /** Also for workloads that have a number of their own. */
  readonly roundsAsked: boolean
  readonly quick: boolean
  readonly handlerUs: readonly number[]
  readonly json: boolean
  readonly profile: boolean
  readonly build: string | null
  readonly page: boolean
  readonly help: boolean
}

const listOf = (text: string | undefined): string[] => (text ?? '').split(',').filter((each) => each !== '')

/** Throws with what is wrong. */
export function optionsOf(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      variants: { type: 'string' },
      contenders: { type: 'string' },
      broker: { type: 'string', default: 'kafka,embedded' },
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      us: { type: 'string', default: '1000' },
      profile: { type: 'boolean', default: false },
      build: { type: 'string' },
      page: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const ids = workloads.map(({ id }) => id as string)
  const only = listOf(values.only).map((id) => id.toUpperCase())
  const asked = listOf(values.contenders)
  const brokers = listOf(values.broker)
  demandKnown('--only', only, ids)
  demandKnown(
    '--contenders',
    asked,
    contenders.map(({ name }) => name),
  )
  demandKnown('--broker', brokers, ['kafka', 'embedded'])
  const rounds = values.rounds === undefined ? (values.quick ? 1 : 3) : Number(values.rounds)
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error(`--rounds must be a whole number from 1, not ${values.rounds}`)
  const handlerUs = listOf(values.us).map(Number)
  if (!handlerUs.every((us) => us >= 0)) throw new Error(`--us must be numbers with commas, not ${values.us}`)
  return {
    only: only.length === 0 ? ids : only,
    variants: values.variants === undefined ? null : listOf(values.variants),
    contenders: asked.length === 0 ? null : asked,
    brokers: brokers as BrokerKind[],
    rounds,
    roundsAsked: values.rounds !== undefined || values.quick,
    quick: values.quick,
    handlerUs,
    json: values.json,
    profile: values.profile,
    build: values.build ?? null,
    page: values.page,
    help: values.help,
  }
}

function demandKnown(option: string, asked: readonly string[], known: readonly string[]): void {
  const unknown = asked.filter((each) => !known.includes(each))
  if (unknown.length > 0) throw new Error(`${option}: no ${unknown.join(', ')}; there are ${known.join(', ')}`)
}
