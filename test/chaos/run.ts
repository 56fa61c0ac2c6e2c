/**
 * One run: a broker, a proxy in front of it, three consumer processes, a producer, and the faults of the plan, one after the
 * other. Then the faults stop, everything must be finished and committed, and the judge looks at what was written down.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { KafkaUnavailable } from '../support/kafka.ts'
import { RawKafka } from '../wire/support/raw-kafka.ts'
import { type BrokerName, type ChaosBroker, startChaosBroker } from './brokers.ts'
import { type Scene, strike } from './faults.ts'
import { type Broken, historyOf, judge, type Verdict } from './judge.ts'
import { type Entry, nowNs, readLedger } from './ledger.ts'
import { Load } from './load.ts'
import { Member, type Template } from './member.ts'
import { type FaultKind, members as memberCount, type Plan, partitions, sessionMs } from './plan.ts'
import { Progress } from './progress.ts'
import { ChaosProxy } from './proxy.ts'
import { type Found, readTopic } from './topics.ts'

const topic = 'chaos'
const outputTopic = 'chaos.out'
const letterTopic = 'chaos.dlq'
const group = 'chaos'
const stepMs = 4_000
const patienceMs = 60_000
/** So long without any change of what is committed, with everything up: it will not come any more. */
const standstillMs = 90_000
const largeHeapMb = 256
/** What a consumer may hold that is told nothing else. */
const defaultLimitRecords = 2_000

export interface Struck {
  readonly kind: FaultKind
  /** Null: not within a minute, or not measured. */
  readonly recoveryMs: number | null
  /** Not if the next fault did not wait for it, or there were no records left. */
  readonly isMeasured: boolean
}

export interface ChaosResult {
  readonly plan: Plan
  readonly broker: BrokerName
  readonly seconds: number
  readonly faults: readonly Struck[]
  readonly verdict: Verdict
  /** Kept only if a promise was broken. */
  readonly directory: string | null
  /** Of the first broken promise that is about a record. */
  readonly history: readonly Entry[]
}

export interface RunOptions {
  readonly plan: Plan
  readonly broker: BrokerName
  /** No new fault after so long. */
  readonly secondsMax: number
  /** Also when nothing is broken, the ledger stays. */
  readonly keep: boolean
  readonly log: (line: string) => void
}

export async function chaosRun(options: RunOptions): Promise<ChaosResult> {
  const directory = mkdtempSync(join(tmpdir(), 'fanlane-chaos-'))
  const clear = (): void => rmSync(directory, { recursive: true, force: true })
  // Whoever interrupts it does not want to look at it.
  process.once('exit', clear)
  try {
    const result = await runIn(directory, options)
    if (result.directory === null) clear()
    return result
  } catch (error) {
    if (error instanceof KafkaUnavailable) {
      clear()
      throw error
    }
    throw new Error(`the run did not come to its end; its ledger is in ${directory}`, { cause: error })
  } finally {
    process.off('exit', clear)
  }
}

async function runIn(
  directory: string,
  { plan, broker: brokerName, secondsMax, keep, log }: RunOptions,
): Promise<ChaosResult> {
  const startedMs = performance.now()
  await using stack = new AsyncDisposableStack()
  const proxy = stack.adopt(await ChaosProxy.start(), (each) => each.close())
  const broker = stack.adopt(await startChaosBroker(brokerName, proxy.port), (each) => each.close())
  proxy.target = broker.behindProxy
  await createTopics(broker)
  const address = `127.0.0.1:${proxy.port}`
  const template = templateOf(plan, address, directory)
  const heapMb = plan.large ? largeHeapMb : null
  const member = (name: string): Member => stack.adopt(new Member(name, template, heapMb), (each) => each.kill())
  const members = Array.from({ length: memberCount }, (_, index) => member(`m${index}`))
  const scene: Scene = { broker, proxy, members, guest: member('guest'), letterTopic }
  await Promise.all(members.map((each) => each.start()))
  const { seed, records, keys, valueBytes } = plan
  const load = stack.adopt(
    await Load.start({ address, topic, seed, records, keys, valueBytes, steps: plan.faults.length, stepMs }),
    (each) => each.abort(),
  )
  const progress = stack.adopt(new Progress(directory), (each) => each.close())

  const faults = await strikeAll({ plan, scene, load, progress, log, untilMs: startedMs + secondsMax * 1_000 })
  await load.finish()
  const input = await readTopic(broker.direct, topic, partitions)
  const stuck = await settle(broker, input, scene, progress)
  await Promise.all([...members, scene.guest].map((each) => each.close()))
  const entries = readLedger(directory)
  const verdict = judge({
    mode: plan.mode,
    input,
    acknowledged: load.acknowledged,
    entries,
    outputs: template.handler.output === null ? null : await readTopic(broker.direct, outputTopic, partitions),
    letters: await readTopic(broker.direct, letterTopic, 1),
    limitRecords: plan.large ? defaultLimitRecords : plan.settings.limitRecords,
    mayDieInside: plan.engine !== 'async',
  })
  const deaths = [...members, scene.guest].flatMap(({ deaths }) => deaths)
  const broken: Broken[] = [
    ...stuck.map((text) => ({ promise: 'I7', text })),
    ...deaths.map((text) => ({ promise: 'alive', text })),
    ...verdict.broken,
  ]
  const isKept = keep || broken.length > 0
  const first = verdict.broken.find(({ offset }) => offset !== undefined)
  return {
    plan,
    broker: brokerName,
    seconds: Math.round((performance.now() - startedMs) / 1_000),
    faults,
    verdict: { ...verdict, broken },
    directory: isKept ? directory : null,
    history: first === undefined ? [] : historyOf(entries, first.partition ?? -1, first.offset ?? -1),
  }
}

async function createTopics({ direct }: ChaosBroker): Promise<void> {
  await using raw = await RawKafka.connect([direct])
  await raw.createTopic(topic, partitions)
  await raw.createTopic(outputTopic, partitions)
  await raw.createTopic(letterTopic, 1)
}

function templateOf({ mode, settings, large, engine }: Plan, brokers: string, directory: string): Template {
  const { protocol, assignor, commitEveryMs, mapMaxChars, concurrency, limitRecords } = settings
  const { requestTimeoutMs, transactionTimeoutMs } = settings
  return {
    handler: {
      directory,
      output: mode === 'at-most-once' ? null : outputTopic,
      // The most frequent key has an eighth of all records, one after the other. Large ones shall pile up.
      work: { kind: 'mixed', usualMs: large ? 100 : 3, longMs: large ? 500 : 150 },
      engine,
    },
    options: {
      brokers,
      group,
      topics: [topic],
      delivery: mode,
      concurrency,
      // A heap of 256 MB takes the default limit of bytes.
      limits: large ? {} : { records: limitRecords },
      commit: { everyMs: commitEveryMs, mapMaxChars },
      ...(mode === 'at-most-once' ? {} : { retry: { attempts: 3, initialMs: 20, maxMs: 200 } }),
      drainMs: 3_000,
      closeMs: 15_000,
      client: {
        protocol,
        requestTimeoutMs,
        transactionTimeoutMs,
        ...(protocol === 'classic' ? { assignors: [assignor], sessionTimeoutMs: sessionMs, heartbeatMs: 500 } : {}),
      },
    },
  }
}

interface Striking {
  readonly plan: Plan
  readonly scene: Scene
  readonly load: Load
  readonly progress: Progress
  readonly log: (line: string) => void
  readonly untilMs: number
}

async function strikeAll({ plan, scene, load, progress, log, untilMs }: Striking): Promise<readonly Struck[]> {
  const struck: Struck[] = []
  const isSpent = (): boolean => load.isSpent
  await progress.recovery(nowNs(), patienceMs, isSpent)
  for (const [index, fault] of plan.faults.entries()) {
    if (performance.now() > untilMs) break
    load.nextStep()
    await sleep(fault.gapMs)
    const sinceNs = await strike(fault, scene)
    const recoveryMs = fault.isImpatient ? null : await progress.recovery(sinceNs, patienceMs, isSpent)
    const isMeasured = recoveryMs !== null || !(fault.isImpatient || load.isSpent)
    struck.push({ kind: fault.kind, recoveryMs, isMeasured })
    const how = recoveryMs === null ? (isMeasured ? 'NOT RECOVERED' : 'not waited for') : `${recoveryMs} ms`
    log(`${index + 1}/${plan.faults.length} ${wordsOf(fault)}: ${how}`)
  }
  return struck
}

function wordsOf(fault: object): string {
  const { kind, gapMs: _gap, isImpatient: _impatient, ...rest } = fault as Record<string, unknown>
  return [String(kind), ...Object.entries(rest).map(([name, value]) => `${name}=${value}`)].join(' ')
}

/** Everything in the log is committed; or what is not, when nothing moves any more. */
async function settle(
  { direct }: ChaosBroker,
  input: readonly Found[],
  { members }: Scene,
  progress: Progress,
): Promise<readonly string[]> {
  const ends = Array.from({ length: partitions }, () => 0)
  for (const { partition, offset } of input) ends[partition] = Math.max(ends[partition] ?? 0, offset + 1)
  let last = ''
  let sinceMs = performance.now()
  for (;;) {
    await using raw = await RawKafka.connect([direct])
    const stored = (await raw.stored(group)).filter((each) => each.topic === topic)
    const position = (partition: number): number => stored.find((each) => each.partition === partition)?.position ?? 0
    const open = ends.flatMap((end, partition) =>
      position(partition) < end ? [`partition ${partition}: ${position(partition)} of ${end} is committed`] : [],
    )
    if (open.length === 0) return []
    progress.look()
    const now = `${open.join()} ${progress.ended}`
    if (now !== last) sinceMs = performance.now()
    last = now
    if (performance.now() - sinceMs > standstillMs) {
      for (const member of members) member.tell()
      await sleep(1_000)
      return open
    }
    await sleep(100)
  }
}
