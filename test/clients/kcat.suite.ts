/** kcat on the librdkafka of Debian: requests of an age that stays in use for years. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { command, mustRun } from '../support/command.ts'
import { saslUser } from '../support/kafka.ts'
import { findKcat } from '../support/kcat.ts'
import { loudly, type Target, unique } from '../support/targets.ts'

const kcat = await findKcat()

export function kcatClient({ brokers, saslBrokers, name }: Target): void {
  if ('missing' in kcat) return loudly(`kcat NOT RUN ON ${name}: ${kcat.missing}`)
  const run = async (args: readonly string[], input = ''): Promise<string> =>
    (await mustRun(kcat.program, ['-b', brokers.join(','), ...args], { input, timeoutMs: 60_000 })).stdout
  const numbered = (count: number): string => Array.from({ length: count }, (_, i) => `k${i}:value ${i}\n`).join('')

  describe('kcat', () => {
    // One wrong byte in how a batch is stored shows in at least one codec.
    for (const codec of ['none', 'gzip', 'snappy', 'lz4', 'zstd']) {
      for (const acks of ['0', '1', 'all']) {
        test(`Q4 Q9 · produce and consume, ${codec}, acks=${acks}`, async () => {
          const topic = unique('kcat')
          await run(['-P', '-t', topic, '-K:', '-z', codec, '-X', `acks=${acks}`, '-H', 'h=1'], numbered(100))
          const read = await run([
            '-C',
            '-t',
            topic,
            '-e',
            '-q',
            '-o',
            'beginning',
            '-X',
            'check.crcs=true',
            '-f',
            '%k:%s\\n',
          ])
          assert.equal(read, numbered(100))
        })
      }
    }

    test('Q2 G5 · reads from an offset, from the tail and from a time; lists metadata', async () => {
      const topic = unique('kcat')
      await run(['-P', '-t', topic, '-K:'], numbered(10))
      assert.equal(await run(['-C', '-t', topic, '-p', '0', '-o', '7', '-e', '-q', '-f', '%o ']), '7 8 9 ')
      assert.equal(await run(['-C', '-t', topic, '-p', '0', '-o', '-2', '-e', '-q', '-f', '%o ']), '8 9 ')
      assert.equal(await run(['-C', '-t', topic, '-o', 's@1', '-e', '-q', '-f', '%o,']), '0,1,2,3,4,5,6,7,8,9,')
      assert.match(await run(['-Q', '-t', `${topic}:0:-1`]), /offset 10/)
      const metadata = JSON.parse(await run(['-L', '-J'])) as { topics: { topic: string }[] }
      assert.ok(metadata.topics.some((found) => found.topic === topic))
    })

    // A member that goes leaves its position behind, or the next one reads everything again.
    test('Q7 · a balanced group commits and resumes', async () => {
      const topic = unique('kcat')
      const group = unique('kcat-group')
      await run(['-P', '-t', topic, '-K:'], numbered(10))
      const member = ['-G', group, '-q', '-X', 'auto.offset.reset=earliest', '-X', 'heartbeat.interval.ms=200']
      assert.equal(await run([...member, '-c', '4', '-f', '%o ', topic]), '0 1 2 3 ')
      assert.equal(await run([...member, '-c', '6', '-f', '%o ', topic]), '4 5 6 7 8 9 ')
    })

    test('X1 X2 · idempotent and transactional producing', async () => {
      const topic = unique('kcat')
      await run(['-P', '-t', topic, '-K:', '-X', 'enable.idempotence=true'], numbered(20))
      await run(['-P', '-t', topic, '-K:', '-X', `transactional.id=${unique('kcat-tx')}`], numbered(20))
      const committed = ['-X', 'isolation.level=read_committed']
      assert.equal(await run(['-C', '-t', topic, '-e', '-q', ...committed, '-f', '%k:%s\\n']), numbered(20).repeat(2))
    })

    // Not SCRAM: this librdkafka repeats its nonce in the last message, which Kafka has refused since CVE-2024-56128.
    if (saslBrokers.length > 0) {
      test('SASL PLAIN: the right password gets in, a wrong one does not', async () => {
        const settings = (password: string): string[] => [
          ...['-b', saslBrokers.join(','), '-X', 'security.protocol=SASL_PLAINTEXT', '-X', 'sasl.mechanisms=PLAIN'],
          ...['-X', `sasl.username=${saslUser.username}`, '-X', `sasl.password=${password}`],
        ]
        const topic = unique('kcat')
        await mustRun(kcat.program, [...settings(saslUser.password), '-P', '-t', topic], { input: 'one\n' })
        const read = [...settings(saslUser.password), '-C', '-t', topic, '-e', '-q', '-o', 'beginning']
        assert.equal((await mustRun(kcat.program, read)).stdout, 'one\n')
        const refused = await command(kcat.program, [...settings('wrong'), '-L', '-m', '2'])
        assert.notEqual(refused.code, 0)
        assert.match(refused.stderr, /[Aa]uthentication/)
      })
    }

    test('an unknown topic is an error, not a wait', async () => {
      const args = [
        '-b',
        brokers.join(','),
        '-C',
        '-t',
        unique('none'),
        '-p',
        '5',
        '-e',
        '-q',
        '-X',
        'allow.auto.create.topics=false',
      ]
      const { code, stderr } = await command(kcat.program, args, { timeoutMs: 30_000 })
      assert.notEqual(code, 0)
      assert.match(stderr, /[Uu]nknown (topic|partition)/)
    })
  })
}
