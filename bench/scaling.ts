/**
 * The tables of docs/SCALING.md: `npm run bench:scaling` (`-- --json`, `-- --check` only computes). Takes what a record costs from
 * bench/results/latest.json, simulates large groups, weighs commits, and writes the numbers into the page between their marks; the words
 * around them are written by hand.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../scripts/files.ts'
import { orUsage } from '../scripts/usage.ts'
import { readLatest } from './core/files.ts'
import { machine } from './core/machine.ts'
import { markdownTable, replaceBetween } from './core/marks.ts'
import { figure } from './core/plots.ts'
import { isGood, type Results } from './core/results.ts'
import { shown, spreadOf } from './core/stats.ts'
import {
  assignorRow,
  type ClassicRow,
  type ConsumerRow,
  classicRebalance,
  consumerRebalance,
  type GroupSize,
} from './scaling/groups.ts'
import { type Costs, needOf } from './scaling/model.ts'
import { commitRows } from './scaling/traffic.ts'

const HELP = `npm run bench:scaling -- [options]
  --check    compute and print, and leave docs/SCALING.md as it is
  --json     the last line of stdout is one JSON object`

const { check, json, help } = orUsage(
  HELP,
  () =>
    parseArgs({
      options: {
        check: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values,
)
if (help) {
  console.log(HELP)
  process.exit(0)
}

/** CPU microseconds for a record, the median of the rounds; null: not measured. */
function cpuUs(results: Results | null, workload: string, variant: string, name: string): number | null {
  const found = results?.variants.find(
    (each) => each.workload === workload && each.variant === variant && each.broker === 'kafka',
  )
  const one = found?.contenders.find((each) => each.name === name)
  const values = one?.rounds.filter(isGood).map(({ cpuSeconds }) => ((cpuSeconds ?? 0) / one.records) * 1e6)
  return spreadOf(values ?? [])?.median ?? null
}

const latest = readLatest()
const isMeasured = latest !== null && !latest.about.quick
const noOpUs = isMeasured ? cpuUs(latest, 'W4', 'p8', 'ours-reading') : null
const waitingUs = isMeasured ? cpuUs(latest, 'W1', 'c1000', 'ours') : null

/** Until it is measured: of the right size, and said to be assumed. */
const assumed = { noOpUs: 3, waitingUs: 15 }

const common = {
  concurrency: 1_000,
  recordBytes: 1_000,
  commitMs: 1_000,
  busyShare: 0.7,
  partitionBytesPerSecond: 10e6,
}
const rates = [1e4, 1e6, 1e8]

const commits = commitRows()
const usualCommitBytes = commits[2]?.bytesPerPartition ?? 0

const kinds: Readonly<Record<string, Costs>> = {
  'pass through: no waiting, 2 µs of handler CPU': {
    ...common,
    ownUs: noOpUs ?? assumed.noOpUs,
    handlerUs: 2,
    handlerMs: 0,
    commitBytes: usualCommitBytes,
  },
  'a call to a database: 5 ms, 20 µs of handler CPU': {
    ...common,
    ownUs: waitingUs ?? assumed.waitingUs,
    handlerUs: 20,
    handlerMs: 5,
    commitBytes: usualCommitBytes,
  },
  'a call to a slow service: 200 ms, 20 µs of handler CPU': {
    ...common,
    ownUs: waitingUs ?? assumed.waitingUs,
    handlerUs: 20,
    handlerMs: 200,
    commitBytes: usualCommitBytes,
  },
}

const needs = Object.entries(kinds).flatMap(([kind, costs]) => rates.map((rate) => ({ kind, ...needOf(rate, costs) })))

const size: GroupSize = { members: 1_000, partitions: 100_000 }
const assignors = (['cooperative-sticky', 'sticky', 'range', 'roundrobin'] as const).map((name) =>
  assignorRow(name, size),
)
const sizes: GroupSize[] = [{ members: 100, partitions: 10_000 }, size, { members: 1_500, partitions: 150_000 }]
const classic: ClassicRow[] = []
const consumer: ConsumerRow[] = []
for (const each of sizes) {
  classic.push(await classicRebalance(each))
  consumer.push(await consumerRebalance(each))
}

const ms = (value: number): string => `${shown(Math.round(value))} ms`
const bytes = (value: number): string => `${figure(value)}${/\d$/.test(figure(value)) ? ' ' : ''}B`
const place = `Simulated on ${machine()}, Node ${process.versions.node}.`

const tables: Readonly<Record<string, string>> = {
  costs: markdownTable(
    ['what', 'CPU µs per record', 'from'],
    [
      [
        'a handler that does nothing',
        shown(noOpUs ?? assumed.noOpUs),
        noOpUs === null ? 'assumed: not measured yet' : 'W4 p8',
      ],
      [
        'a handler that waits 5 ms (timer and promise included)',
        shown(waitingUs ?? assumed.waitingUs),
        waitingUs === null ? 'assumed: not measured yet' : 'W1 c1000',
      ],
    ],
  ),
  needs: markdownTable(
    [
      'stream',
      'records/s',
      'records/s an instance',
      'bound by',
      'instances',
      'partitions',
      'in flight',
      'bytes/s in',
      'commit bytes/s',
    ],
    needs.map((need) => [
      need.kind,
      figure(need.recordsPerSecond),
      figure(need.perInstance),
      need.bound,
      figure(need.instances),
      `${figure(need.partitions)} (${need.partitionsFor})`,
      figure(need.inFlight),
      bytes(need.inBytesPerSecond),
      bytes(need.commitBytesPerSecond),
    ]),
  ),
  assignors: `${markdownTable(
    [
      'assignor',
      'first assignment',
      'one member left',
      'one member came',
      'partitions of others that moved when one left',
    ],
    assignors.map(({ assignor, freshMs, leaveMs, joinMs, movedOfOthers }) => [
      assignor,
      ms(freshMs),
      ms(leaveMs),
      ms(joinMs),
      shown(movedOfOthers),
    ]),
  )}\n\n${place}`,
  classic: `${markdownTable(
    ['members', 'partitions', 'all joins', 'the leader assigns', 'all syncs', 'to the leader', 'from the leader', ''],
    classic.map((row) => [
      shown(row.members),
      shown(row.partitions),
      ms(row.joinMs),
      ms(row.assignMs),
      ms(row.syncMs),
      bytes(row.leaderInBytes),
      bytes(row.leaderOutBytes),
      row.failed === null ? 'works' : `**fails: ${row.failed}**`,
    ]),
  )}\n\n${place}`,
  consumer: `${markdownTable(
    ['members', 'partitions', 'assign all', 'one member came', 'a heartbeat', ''],
    consumer.map((row) => [
      shown(row.members),
      shown(row.partitions),
      ms(row.assignMs),
      ms(row.joinMs),
      `${shown(Math.round(row.heartbeatUs))} µs`,
      row.failed === null ? 'works' : `**fails: ${row.failed}**`,
    ]),
  )}\n\n${place}`,
  commits: markdownTable(
    [
      'offset map',
      'characters',
      'bytes a partition and commit',
      '1,000 partitions, once a second',
      '100,000 partitions, once a second',
    ],
    commits.map(({ map, chars, bytesPerPartition }) => [
      map,
      shown(chars),
      shown(bytesPerPartition),
      `${bytes(bytesPerPartition * 1e3)}/s`,
      `${bytes(bytesPerPartition * 1e5)}/s`,
    ]),
  ),
}

const file = join(root, 'docs', 'SCALING.md')
for (const [name, table] of Object.entries(tables)) console.log(`\n${name}\n${table}`)
if (!check) {
  const page = Object.entries(tables).reduce(
    (text, [name, table]) => replaceBetween(text, name, table),
    readFileSync(file, 'utf8'),
  )
  writeFileSync(file, page)
  console.log('\nwritten: docs/SCALING.md')
}
if (json) console.log(JSON.stringify({ isMeasured, kinds, needs, assignors, classic, consumer, commits }))
process.exit(0)
