/**
 * @confluentinc/kafka-javascript (its raw interface) and node-rdkafka: addons that have to be built. PEERS_NODE names the
 * Node.js that they were built for, if it is not this one.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { until } from '../../../../test/support/wait.ts'
import { delivered, type Outcome, seenIf, type Trial, type Trials } from '../outcome.ts'
import type { AbortedName, Stage } from '../stage.ts'

const main = fileURLToPath(new URL('librdkafka-member.cjs', import.meta.url))

interface News {
  readonly kind: 'record' | 'said' | 'committed' | 'error' | 'unusable'
  readonly value?: string
  readonly said?: string
  readonly metadata?: string | null
  readonly reason?: string
}

type How = 'commit' | 'commitCb' | 'commitSync' | 'transaction'

class Member {
  readonly news: News[] = []
  readonly #child: ChildProcess

  constructor(module: string, brokers: readonly string[], group: string, topic: string, settings: object = {}) {
    const spec = JSON.stringify({ module, brokers, group, topic, settings })
    this.#child = spawn(process.env.PEERS_NODE ?? process.execPath, [main, spec], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    process.once('exit', () => this.#child.kill('SIGKILL'))
    if (this.#child.stdout === null) throw new Error('no pipe')
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.news.push(JSON.parse(line) as News))
  }

  get values(): readonly string[] {
    return this.news.filter(({ kind }) => kind === 'record').map(({ value }) => String(value))
  }

  /** An addon that does not load is no trial. */
  async has(count: number): Promise<void> {
    await until(`${count} records`, () => {
      const unusable = this.news.find(({ kind }) => kind === 'unusable')
      if (unusable !== undefined) throw new Error(`IT DOES NOT LOAD: ${unusable.reason}`)
      return this.values.length >= count
    })
  }

  async commit(how: How, offset: number, withinMs: number, metadata?: string): Promise<string> {
    return (await this.#ask({ how, offset, metadata }, 'said', withinMs))?.said ?? 'did not settle'
  }

  async metadata(): Promise<string | null> {
    return (await this.#ask({ how: 'committed' }, 'committed', 10_000))?.metadata ?? null
  }

  async #ask(line: object, kind: News['kind'], withinMs: number): Promise<News | undefined> {
    const from = this.news.length
    this.#child.stdin?.write(`${JSON.stringify(line)}\n`)
    const end = performance.now() + withinMs
    const find = (): News | undefined => this.news.slice(from).find((each) => each.kind === kind)
    await until('an answer', () => find() !== undefined || performance.now() > end, withinMs + 1_000)
    return find()
  }
}

const ways: readonly How[] = ['commit', 'commitCb', 'commitSync']

export function librdkafka(module: string): Trials {
  const join = (brokers: readonly string[], group: string, topic: string, settings: object = {}): Member =>
    new Member(module, brokers, group, topic, settings)

  const eviction: Trial = async (stage) => {
    const topic = await stage.topic(1, 90)
    const group = stage.name('group')
    const stalled = join(stage.brokers, group, topic)
    await stalled.has(90)
    await stage.evict(group)
    const heir = join(stage.brokers, group, topic, { 'session.timeout.ms': 10_000, 'heartbeat.interval.ms': 100 })
    await heir.has(90)
    await heir.commit('commitSync', 90, 10_000)
    const before = await stage.raw.position(group, topic, 0)
    const said = await stalled.commit('commitSync', 10, 10_000)
    const after = await stage.raw.position(group, topic, 0)
    return seenIf(after < before, `the heir had committed ${before}; commitSync(10) ${said}; now ${after}`)
  }

  const aborted =
    (name: AbortedName): Trial =>
    async (stage) => {
      const { topic, group, committed, partitionMaxBytes } = await stage.aborted(name)
      const member = join(stage.brokers, group, topic, {
        'isolation.level': 'read_committed',
        'max.partition.fetch.bytes': partitionMaxBytes,
      })
      await member.has(1)
      const isAll = await stage.becomes(() => member.values.includes('plain'), 20_000)
      return delivered(member.values, committed, isAll)
    }

  const metadata: Trial = async (stage) => {
    const topic = await stage.topic(1, 10)
    const group = stage.name('group')
    const member = join(stage.brokers, group, topic)
    await member.has(10)
    const said = await member.commit('commitSync', 5, 10_000, 'a map')
    const [stored] = await stage.raw.stored(group)
    const read = await member.metadata()
    const text = `commitSync with 'a map' ${said}; stored is ${JSON.stringify(stored?.metadata)}, read back as ${JSON.stringify(read)}`
    return seenIf(stored?.metadata !== 'a map' || read !== 'a map', text)
  }

  const transactionMetadata: Trial = async (stage) => {
    const topic = await stage.topic(1, 10)
    const group = stage.name('group')
    const member = join(stage.brokers, group, topic)
    await member.has(10)
    const said = await member.commit('transaction', 5, 30_000, 'a map')
    await stage.becomes(async () => (await stage.raw.stored(group)).length > 0, 5_000)
    const [stored] = await stage.raw.stored(group)
    const text = `the transaction with 'a map' ${said}; stored is ${JSON.stringify(stored?.metadata)}`
    return seenIf(stored?.metadata !== 'a map', text)
  }

  return {
    eviction,
    'aborted-one': aborted('aborted-one'),
    'aborted-two': aborted('aborted-two'),
    'aborted-split': aborted('aborted-split'),
    'aborted-mixed': aborted('aborted-mixed'),
    'aborted-inside': aborted('aborted-inside'),
    metadata,
    revoke: 'its rebalance callback can be waited for',
    'revoked-records': 'there is no trial for addons',
    'early-success': (stage) => earlySuccess(stage, join),
    'transaction-metadata': transactionMetadata,
    'transaction-lost-offsets': 'there is no trial for addons',
    'transaction-fencing': 'there is no trial for addons',
    zombie: 'there is no trial for addons',
    'large-send': 'it queues records and makes its own batches',
    'fresh-topic': 'there is no trial for addons',
    outage: 'there is no trial for addons',
  }
}

/** Each way of committing, while nothing reaches the broker; and to a broker that refuses. */
async function earlySuccess(
  stage: Stage,
  join: (brokers: readonly string[], group: string, topic: string) => Member,
): Promise<Outcome> {
  const topic = await stage.topic(1, 10)
  const { brokers, proxy } = await stage.throughProxy()
  const found: string[] = []
  let isSeen = false
  for (const how of ways) {
    const group = stage.name('group')
    const member = join(brokers, group, topic)
    await member.has(10)
    proxy.pause()
    const said = await member.commit(how, 9, 3_000)
    const position = await stage.raw.position(group, topic, 0)
    proxy.resume()
    if (said === 'reported success') isSeen = true
    found.push(`${how} ${said} (stored: ${position})`)
  }
  return seenIf(isSeen, `with a broker that could not hear: ${found.join(', ')}`)
}
