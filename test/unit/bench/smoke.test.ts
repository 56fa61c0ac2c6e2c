/** The benchmark itself, as small as it gets: it runs, judges, prints a table and one JSON object, and leaves nothing behind. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Process } from '../../../bench/core/processes.ts'
import type { Results } from '../../../bench/core/results.ts'
import { root } from '../../../scripts/files.ts'
import { command } from '../../support/command.ts'

const main = join(root, 'bench', 'main.ts')

describe('npm run bench', () => {
  test('--quick on the embedded broker: two contenders, nothing lost, one JSON object at the end', async () => {
    const chosen = ['--only', 'W1', '--contenders', 'ours,one-at-a-time', '--broker', 'embedded']
    const args = [main, '--quick', ...chosen, '--build', join(root, 'src'), '--json']
    const { code, stdout, stderr } = await command(process.execPath, args, { timeoutMs: 60_000 })
    assert.equal(code, 0, stderr)
    const results = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Results
    assert.equal(results.variants.length, 1)
    for (const { name, rounds, absent } of results.variants[0]?.contenders ?? []) {
      assert.equal(absent, null)
      const [first] = rounds
      assert.ok(first !== undefined && 'rate' in first, `${name}: ${JSON.stringify(first)}`)
      assert.deepEqual([first.lost, first.reordered, first.broken], [0, 0, null])
      assert.ok((first.rate ?? 0) > 0 && (first.cpuSeconds ?? 0) > 0 && (first.peakRssMb ?? 0) > 10)
    }
    assert.match(stdout, /records\/s +steady records\/s +of the ideal/)
  })

  test('called wrongly, it says how it is called', async () => {
    const { code, stderr } = await command(process.execPath, [main, '--only', 'W99'])
    assert.equal(code, 2)
    assert.match(stderr, /no W99; there are W1/)
  })
})

describe('a contender that does not behave', () => {
  const script = (text: string) => ({ file: process.execPath, args: ['--eval', text] })

  test('hangs: it is killed, and said to have been late', async () => {
    const hung = new Process(script('console.log("last words"); setInterval(() => {}, 1_000)'))
    await assert.rejects(hung.outcome(700), /not over within 0.7 s: last words/)
    assert.ok(hung.hasEnded)
  })

  test('crashes: its last words are in the reason', async () => {
    await assert.rejects(
      new Process(script('throw new Error("no broker")')).outcome(20_000),
      /ended with 1[\s\S]*no broker/,
    )
  })

  test('ends without an outcome, or is no program at all', async () => {
    await assert.rejects(new Process(script('')).outcome(20_000), /ended with 0/)
    await assert.rejects(new Process({ file: '/no/such/program', args: [] }).outcome(20_000), /does not start/)
  })

  test('ends by itself when the runner was killed', async () => {
    // Nobody listens there: it tries for a while.
    const place = { brokers: ['127.0.0.1:1'], topic: 't', group: 'g', ends: [1], sessionMs: 0 }
    const task = JSON.stringify({ ...place, events: { file: 'never written', kind: 'seen', durable: false } })
    const child = spawn(process.execPath, [join(root, 'bench/contenders/node/main.ts'), 'kafkajs-each', task], {
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    child.stdin.end()
    const code = await new Promise((resolve) => child.once('exit', resolve))
    assert.equal(code, 3)
  })
})
