/** Kafka's command line tools, as operators run them. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { CommandOptions } from '../support/command.ts'
import { java, mustRunJava, whyNoJava } from '../support/java.ts'
import { loudly, type Target, unique } from '../support/targets.ts'

const tools = 'org.apache.kafka.tools'

/** What the compatibility test is told to expect. */
const compatible: Readonly<Record<string, boolean>> = {
  'offsets-for-times-supported': true,
  'cluster-id-supported': true,
  'create-topics-supported': true,
  // Answered «no authorizer here», which is an answer.
  'describe-acls-supported': true,
  'describe-configs-supported': true,
  'idempotent-producer-supported': true,
  // Brokers before 0.10.1 could not send a record larger than the fetch.
  'expect-record-too-large-exception': false,
}

const missing = await whyNoJava()

export function javaTools({ brokers, name }: Target): void {
  if (missing !== undefined) return loudly(`Java tools NOT RUN ON ${name}: ${missing}`)
  const bootstrap = ['--bootstrap-server', brokers.join(',')]
  const run = (main: string, args: readonly string[], options?: CommandOptions): Promise<string> =>
    mustRunJava(main, [...bootstrap, ...args], options)
  const topics = (...args: string[]): Promise<string> => run(`${tools}.TopicCommand`, args)
  const groups = (...args: string[]): Promise<string> => run(`${tools}.consumer.group.ConsumerGroupCommand`, args)

  describe('Java tools', () => {
    // The first commands of every tutorial.
    test('Q1 · kafka-topics creates, alters, describes, lists and deletes', async () => {
      const topic = unique('tools')
      await topics('--create', '--topic', topic, '--partitions', '2', '--config', 'retention.ms=3600000')
      await topics('--alter', '--topic', topic, '--partitions', '3')
      assert.match(await topics('--describe', '--topic', topic), /PartitionCount: 3.*retention\.ms=3600000/)
      assert.ok((await topics('--list')).split('\n').includes(topic))
      await topics('--delete', '--topic', topic)
      assert.ok(!(await topics('--list')).split('\n').includes(topic))
      const again = await java(`${tools}.TopicCommand`, [...bootstrap, '--describe', '--topic', topic])
      assert.notEqual(again.code, 0)
      assert.match(`${again.stdout}${again.stderr}`, /does not exist/)
    })

    // Keys and headers have to survive a way through two other programs.
    test('Q1 Q2 · console producer and consumer', async () => {
      const topic = unique('console')
      await topics('--create', '--topic', topic)
      const input = 'a:1\tk1\tone\nb:2\tk2\ttwo\n'
      const parse = ['parse.key=true', 'parse.headers=true'].flatMap((p) => ['--property', p])
      await run(`${tools}.ConsoleProducer`, ['--topic', topic, ...parse], { input })
      const print = ['print.key=true', 'print.headers=true', 'print.offset=true'].flatMap((p) => ['--property', p])
      const args = ['--topic', topic, '--from-beginning', '--max-messages', '2', '--timeout-ms', '30000', ...print]
      const output = await run('org.apache.kafka.tools.consumer.ConsoleConsumer', args)
      assert.deepEqual(output.trim().split('\n'), ['Offset:0\ta:1\tk1\tone', 'Offset:1\tb:2\tk2\ttwo'])
    })

    // The benchmark's own drivers: if these fail, no number can be trusted.
    test('Q5 · producer and consumer performance tools', async () => {
      const topic = unique('perf')
      await topics('--create', '--topic', topic, '--partitions', '3')
      const settings = [
        '--producer-props',
        `bootstrap.servers=${brokers.join(',')}`,
        'acks=all',
        'compression.type=lz4',
      ]
      const size = ['--num-records', '20000', '--record-size', '100', '--throughput', '-1']
      const sent = await mustRunJava(`${tools}.ProducerPerformance`, ['--topic', topic, ...size, ...settings])
      assert.match(sent, /20000 records sent/)
      const read = await run(`${tools}.ConsumerPerformance`, ['--topic', topic, '--messages', '20000'])
      const columns = read.trim().split('\n').at(-1)?.split(', ') ?? []
      assert.ok(Number(columns[4]) >= 20_000, read)
      const latency = await mustRunJava(`${tools}.EndToEndLatency`, [brokers.join(','), topic, '50', 'all', '100'])
      assert.match(latency, /Percentiles/)
    })

    // Lag is what operators look at; a reset is what they do about it.
    test('Q7 G5 · kafka-consumer-groups lists, describes, resets and deletes', async () => {
      const topic = unique('lag')
      const group = unique('lag-group')
      await topics('--create', '--topic', topic)
      await run(`${tools}.ConsoleProducer`, ['--topic', topic], { input: '1\n2\n3\n4\n5\n' })
      const read = [
        '--topic',
        topic,
        '--group',
        group,
        '--from-beginning',
        '--max-messages',
        '3',
        '--timeout-ms',
        '30000',
      ]
      await run('org.apache.kafka.tools.consumer.ConsoleConsumer', [
        ...read,
        '--consumer-property',
        'max.poll.records=3',
      ])
      assert.ok((await groups('--list')).split('\n').includes(group))
      const described = await groups('--describe', '--group', group)
      assert.match(described, new RegExp(`${group}\\s+${topic}\\s+0\\s+3\\s+5\\s+2`))
      await groups('--reset-offsets', '--group', group, '--topic', topic, '--to-earliest', '--execute')
      assert.match(await groups('--describe', '--group', group), new RegExp(`${topic}\\s+0\\s+0\\s+5\\s+5`))
      assert.match(await groups('--describe', '--group', group, '--state'), /Empty/)
      await groups('--delete-offsets', '--group', group, '--topic', topic)
      await groups('--delete', '--group', group)
      assert.ok(!(await groups('--list')).split('\n').includes(group))
    })

    test('Q8 · kafka-configs changes and describes a topic, and describes a broker', async () => {
      const topic = unique('configs')
      await topics('--create', '--topic', topic)
      const entity = ['--entity-type', 'topics', '--entity-name', topic]
      const configs = (...args: string[]): Promise<string> => run('kafka.admin.ConfigCommand', args)
      await configs(...entity, '--alter', '--add-config', 'max.message.bytes=2000000,cleanup.policy=[compact,delete]')
      const described = await configs(...entity, '--describe')
      assert.match(described, /max\.message\.bytes=2000000/)
      assert.match(described, /cleanup\.policy=compact,delete/)
      await configs(...entity, '--alter', '--delete-config', 'max.message.bytes')
      assert.doesNotMatch(await configs(...entity, '--describe'), /max\.message\.bytes/)
      assert.match(
        await configs('--entity-type', 'brokers', '--entity-name', '1', '--describe', '--all'),
        /log\.segment\.bytes/,
      )
    })

    test('X3 · kafka-transactions lists and describes; kafka-get-offsets agrees', async () => {
      const topic = unique('txns')
      const transactionalId = unique('txn')
      await topics('--create', '--topic', topic)
      const producer = [
        '--producer-props',
        `bootstrap.servers=${brokers.join(',')}`,
        `transactional.id=${transactionalId}`,
      ]
      const size = [
        '--num-records',
        '100',
        '--record-size',
        '10',
        '--throughput',
        '-1',
        '--transaction-duration-ms',
        '60000',
      ]
      await mustRunJava(`${tools}.ProducerPerformance`, ['--topic', topic, ...size, ...producer])
      assert.match(
        await run(`${tools}.TransactionsCommand`, ['list']),
        new RegExp(`${transactionalId}.*CompleteCommit`),
      )
      const described = await run(`${tools}.TransactionsCommand`, ['describe', '--transactional-id', transactionalId])
      assert.match(described, /CompleteCommit/)
      // A hundred records and the marker.
      assert.equal((await run(`${tools}.GetOffsetShell`, ['--topic', topic])).trim(), `${topic}:0:101`)
      const hanging = await run(`${tools}.TransactionsCommand`, ['find-hanging', '--broker-id', '1'])
      assert.doesNotMatch(hanging, new RegExp(topic))
    })

    // Kafka's own system tests are built from these three.
    test('Q9 Q7 · verifiable producer and consumer', async () => {
      const topic = unique('verifiable')
      await topics('--create', '--topic', topic, '--partitions', '2')
      const sent = await run(`${tools}.VerifiableProducer`, ['--topic', topic, '--max-messages', '500', '--acks', '-1'])
      assert.match(sent, /"sent":500,"acked":500/)
      for (const protocol of ['classic', 'consumer']) {
        const group = ['--group-id', unique('verifiable'), '--group-protocol', protocol]
        const args = ['--topic', topic, ...group, '--max-messages', '500', '--reset-policy', 'earliest', '--verbose']
        const read = await run(`${tools}.VerifiableConsumer`, args)
        const values = new Set([...read.matchAll(/"name":"record_data".*?"value":"(\d+)"/g)].map(([, value]) => value))
        assert.equal(values.size, 500, protocol)
        assert.match(read, /"name":"offsets_committed".*"success":true/)
      }
    })

    test('X2 · the transactional message copier copies everything once', async () => {
      const [input, output] = [unique('copy-in'), unique('copy-out')]
      for (const topic of [input, output]) await topics('--create', '--topic', topic)
      await run(`${tools}.VerifiableProducer`, ['--topic', input, '--max-messages', '200'])
      const route = [
        '--input-topic',
        input,
        '--output-topic',
        output,
        '--input-partition',
        '0',
        '--max-messages',
        '200',
      ]
      const ids = ['--transactional-id', unique('copier'), '--consumer-group', unique('copier')]
      // It aborts at random, and starts over from the committed offset.
      const chaos = ['--transaction-size', '20', '--enable-random-aborts', '--group-mode']
      await mustRunJava(`${tools}.TransactionalMessageCopier`, [
        ...['--broker-list', brokers.join(',')],
        ...route,
        ...ids,
        ...chaos,
      ])
      const args = [
        '--topic',
        output,
        '--from-beginning',
        '--isolation-level',
        'read_committed',
        '--max-messages',
        '200',
      ]
      const copied = await run(`${tools}.consumer.ConsoleConsumer`, [...args, '--timeout-ms', '30000'])
      const numbers = copied.trim().split('\n').map(Number)
      assert.deepEqual(
        numbers,
        Array.from({ length: 200 }, (_, i) => i),
      )
    })

    test('Q1 · the client compatibility test of Kafka’s own suite', async () => {
      const topic = unique('compatibility')
      await topics('--create', '--topic', topic)
      const wanted = Object.entries(compatible).flatMap(([name, value]) => [`--${name}`, String(value)])
      const size = ['--num-cluster-nodes', '1']
      const output = await run(`${tools}.ClientCompatibilityTest`, ['--topic', topic, ...size, ...wanted])
      assert.match(output, /SUCCESS/)
    })

    test('kafka-broker-api-versions, kafka-cluster, kafka-groups, kafka-log-dirs and kafka-delete-records', async () => {
      const topic = unique('misc')
      await topics('--create', '--topic', topic)
      await run(`${tools}.ConsoleProducer`, ['--topic', topic], { input: '1\n2\n3\n' })
      assert.match(await run(`${tools}.BrokerApiVersionsCommand`, []), /Produce\(0\): 0 to \d+ \[usable: \d+\]/)
      assert.match(
        await run(`${tools}.LogDirsCommand`, ['--describe', '--topic-list', topic]),
        new RegExp(`${topic}-0`),
      )
      const folder = mkdtempSync(join(tmpdir(), 'fanlane-tools-'))
      const file = join(folder, 'offsets.json')
      writeFileSync(file, JSON.stringify({ partitions: [{ topic, partition: 0, offset: 2 }], version: 1 }))
      const deleted = await run(`${tools}.DeleteRecordsCommand`, ['--offset-json-file', file])
      rmSync(folder, { recursive: true })
      assert.match(deleted, /low_watermark: 2/)
    })
  })
}
