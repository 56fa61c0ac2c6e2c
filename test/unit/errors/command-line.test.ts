/** Errors of the command line that its other tests do not meet. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mock, test } from 'node:test'
import { startBroker } from '../../../src/broker/index.ts'
import { fail } from '../../../src/cli/failure.ts'
import { LINE_MAX_BYTES, linesOf } from '../../../src/cli/output/lines.ts'
import { directory, fanlane } from '../../e2e/cli-support.ts'

test('a code in JSON, and an exit code that tells whose fault it is', async (t) => {
  const cwd = directory(t)
  const broken = directory(t)
  writeFileSync(join(broken, 'package.json'), '{ "name": ')
  await using broker = await startBroker({ topics: { orders: 1 } })
  const to = ['--brokers', broker.brokers.join()]
  const cases = [
    [2, 'CONFIG_CONTRADICTION', ['topics'], { env: { KAFKA_SASL_MECHANISM: 'plain' } }],
    [1, 'HANDLER_NOT_FOUND', ['run', 'nowhere.ts', '--topic', 'orders', '--group', 'g', ...to], {}],
    [1, 'INPUT_UNREADABLE', ['produce', 'orders', '--file', 'nowhere.txt', ...to], {}],
    [1, 'NOTHING_TO_RESET', ['groups', 'reset', 'nobody', '--to', 'earliest', '--yes', ...to], {}],
    [1, 'NAME_INVALID', ['init', '--topic', 'not a name'], {}],
    [1, 'PACKAGE_UNREADABLE', ['init', '--topic', 'orders'], { cwd: broken }],
  ] as const
  await Promise.all(
    cases.map(async ([exitCode, code, args, options]) => {
      const ended = await fanlane([...args, '--json'], { cwd, ...options })
      const { error } = ended.json<{ error: { code: string; message: string } }>()
      assert.deepEqual([error.code, ended.code], [code, exitCode], `${args.join(' ')}: ${ended.out}${ended.err}`)
    }),
  )
})

test('LINE_TOO_LONG: input without line ends does not fill the memory', async () => {
  const piece = Buffer.alloc(16 * 2 ** 20, 'x')
  async function* endless(): AsyncGenerator<Buffer> {
    for (let bytes = 0; bytes <= LINE_MAX_BYTES; bytes += piece.length) yield piece
    assert.fail('it should have stopped')
  }
  await assert.rejects(
    async () => {
      for await (const line of linesOf(endless())) assert.fail(`a line of ${line.length} bytes`)
    },
    { code: 'LINE_TOO_LONG' },
  )
})

test('UNEXPECTED: an error of nobody we know, with its stack for people and one line for programs', () => {
  const lines: string[] = []
  mock.method(console, 'log', (line: string) => lines.push(line))
  mock.method(console, 'error', (line: string) => lines.push(line))
  const exitCode = fail(new TypeError('cannot read properties of undefined'), true, '')
  mock.restoreAll()
  assert.equal(exitCode, 1)
  assert.match(lines[0] ?? '', /TypeError: cannot read/)
  assert.equal((JSON.parse(lines[1] ?? '') as { error: { code: string } }).error.code, 'UNEXPECTED')
})
