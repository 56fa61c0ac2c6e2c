/** What all commands share: how they are called wrongly, how they end, what they never print. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type RunningBroker, startBroker } from '../../src/broker/index.ts'
import { entries } from '../../src/cli/catalog.ts'
import { programFor } from '../../src/cli/program.ts'
import { createProducer } from '../../src/create-producer.ts'
import { directory, fanlane, mainFile, start } from './cli-support.ts'

describe('the frame of the command line', { concurrency: 2 }, () => {
  let broker: RunningBroker
  let env: { readonly KAFKA_BROKERS: string }
  before(async () => {
    broker = await startBroker({ topics: { orders: 2, many: 1 } })
    env = { KAFKA_BROKERS: broker.brokers.join(',') }
    const producer = await createProducer({ brokers: broker.brokers })
    await producer.send(
      Array.from({ length: 50_000 }, (_, at) => ({ topic: 'many', value: `a line that is not short ${at}` })),
    )
    await producer.close()
  })
  after(() => broker.close())

  test('every command explains itself, with an example, in 72 columns', async () => {
    const program = await programFor('all')
    assert.deepEqual(
      program.commands.map((each) => each.name()),
      entries.map(({ name }) => name),
    )
    for (const command of program.commands) {
      let help = ''
      command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 72 })
      command.outputHelp()
      assert.match(help, new RegExp(`^Usage: fanlane ${command.name()}`))
      assert.match(help, /Example: /, command.name())
      for (const line of help.split('\n')) assert.ok(line.length <= 72, `${command.name()}: ${line}`)
    }
  })

  test('called wrongly: exit code 2, nothing on stdout, a word of help, and what may have been meant', async () => {
    for (const [args, said] of [
      [['topisc'], /Did you mean topics\?/],
      [['topics', 'crate', 'x'], /Did you mean create\?/],
      [['consume', 'orders', '--formt', 'json'], /Did you mean --format\?/],
      [['lag', '--every', 'x'], /whole number/],
      [['run', 'nothing.ts'], /Which group\?|no module/],
    ] as const) {
      const { code, out, err } = await fanlane(args, { env })
      assert.ok(code === 2 || code === 1, `${args.join(' ')}: ${code}`)
      assert.equal(out, '')
      assert.match(err, said)
      assert.ok(!/ at .*\.ts:\d+/.test(err), 'no stack')
    }
    const json = await fanlane(['consume', '--json'], { env })
    assert.equal(json.code, 2)
    assert.equal(json.json<{ error: { code: string } }>().error.code, 'USAGE')
  })

  test('no broker: a clear error within seconds, as JSON too', async () => {
    const { code, err, json } = await fanlane(['groups', '--json', '--brokers', '127.0.0.1:1', '--timeout', '1500'])
    assert.equal(code, 1)
    assert.match(err, /^BROKERS_UNREACHABLE: Nobody answers at 127\.0\.0\.1:1/)
    assert.equal(json<{ error: { code: string } }>().error.code, 'BROKERS_UNREACHABLE')
  })

  test('who reads stops reading (| head): no noise, no error', async () => {
    const shell = spawn(
      'bash',
      ['-c', `set -o pipefail; "$0" "$1" consume many | head -1; echo "\${PIPESTATUS[0]}"`, process.execPath, mainFile],
      {
        env: { ...process.env, ...env },
      },
    )
    let text = ''
    shell.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    let noise = ''
    shell.stderr.setEncoding('utf8').on('data', (chunk: string) => (noise += chunk))
    await once(shell, 'close')
    assert.equal(text, 'a line that is not short 0\n0\n')
    assert.equal(noise, '')
  })

  test('an interrupt ends consume --follow in good order; a second one, later, ends a process that hangs with 130', async (t) => {
    const following = start(['consume', 'orders', '--follow', '--json'], { env })
    const producer = await createProducer({ brokers: broker.brokers })
    t.after(() => producer.close())
    await producer.send({ topic: 'orders', key: 'k', value: 'v' })
    await following.says(/"value":"v"/)
    following.child.kill('SIGINT')
    const { code, json } = await following.ended
    assert.equal(code, 0)
    assert.ok(json<{ records: number }>().records >= 1)

    const where = directory(t)
    writeFileSync(
      join(where, 'hangs.ts'),
      "export default () => { console.log('began'); return new Promise(() => {}) }\n",
    )
    const hanging = start(['run', 'hangs.ts', '--topic', 'orders', '--group', 'hangs', '--close-ms', '60000'], {
      env,
      cwd: where,
    })
    await hanging.says(/began/)
    hanging.child.kill('SIGINT')
    // npm sends the same interrupt twice: only a later one is another.
    const again = setInterval(() => hanging.child.kill('SIGINT'), 400)
    const { code: left } = await hanging.ended
    clearInterval(again)
    assert.equal(left, 130)
  })

  test('secrets are in no output and in no error: not of config, not of a refused login, not of a config file that is wrong', async (t) => {
    const canary = 'hunter2-canary-42'
    const where = directory(t)
    const guarded = await startBroker({ sasl: { users: { me: 'another' } } })
    t.after(() => guarded.close())
    const secret = { KAFKA_SASL_MECHANISM: 'PLAIN', KAFKA_SASL_USERNAME: 'me', KAFKA_SASL_PASSWORD: canary }
    const outputs = await Promise.all([
      fanlane(['config', '--all'], { env: secret }),
      fanlane(['config', '--json'], { env: { ...secret, FANLANE_DASHBOARD_TOKEN: canary } }),
      fanlane(['topics', '--json', '--brokers', guarded.brokers.join()], { env: secret }),
      fanlane(['doctor', '--timeout', '2000', '--brokers', guarded.brokers.join()], { env: secret }),
    ])
    writeFileSync(
      join(where, 'fanlane.config.json'),
      `{"client":{"sasl":{"mechanism":"plain","password":"${canary}"}}, oops`,
    )
    outputs.push(await fanlane(['config'], { cwd: where }))
    writeFileSync(
      join(where, 'fanlane.config.json'),
      `{"client":{"sasl":{"password":"${canary}"},"tls":"${canary}"},"group":7}`,
    )
    outputs.push(await fanlane(['config', '--json'], { cwd: where }))
    for (const { out, err } of outputs) assert.ok(!`${out}${err}`.includes(canary), `${out}${err}`)
    assert.match(outputs[0]?.out ?? '', /client\.sasl\.password +\[redacted\] +KAFKA_SASL_PASSWORD/)
    assert.equal(outputs[2]?.code, 1)
    assert.match(outputs[2]?.err ?? '', /SASL|AUTHENTICATION|log/i)
  })
})
