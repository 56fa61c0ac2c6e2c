/** Errors of the command line that its other tests do not meet. */
import assert from 'node:assert/strict'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startBroker } from '../../../src/broker/index.ts'
import { LINE_MAX_BYTES } from '../../../src/cli/output/lines.ts'
import { directory, fanlane } from '../../e2e/cli-support.ts'

interface Told {
  readonly error: { readonly code: string; readonly message: string }
}

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
      const { error } = ended.json<Told>()
      assert.deepEqual([error.code, ended.code], [code, exitCode], `${args.join(' ')}: ${ended.out}${ended.err}`)
    }),
  )
})

test('LINE_TOO_LONG: input without line ends does not fill the memory', async (t) => {
  const cwd = directory(t)
  writeFileSync(join(cwd, 'endless.txt'), '')
  truncateSync(join(cwd, 'endless.txt'), LINE_MAX_BYTES + 2 ** 20)
  await using broker = await startBroker({ topics: { orders: 1 } })
  const produce = ['produce', 'orders', '--file', 'endless.txt', '--brokers', broker.brokers.join(), '--json']
  const ended = await fanlane(produce, { cwd })
  assert.deepEqual([ended.json<Told>().error.code, ended.code], ['LINE_TOO_LONG', 1], ended.err)
})

test('UNEXPECTED: an error of nobody we know, with its stack for people and one line for programs', async (t) => {
  const cwd = directory(t)
  const config = `export default { get brokers() { throw new TypeError('the vault is sealed') } }`
  writeFileSync(join(cwd, 'fanlane.config.ts'), config)
  const ended = await fanlane(['topics', '--json'], { cwd })
  assert.match(ended.err, /TypeError: the vault is sealed\n\s+at /)
  assert.deepEqual([ended.json<Told>().error.code, ended.code], ['UNEXPECTED', 1])
})
