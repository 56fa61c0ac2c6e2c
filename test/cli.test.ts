/** The command line, from outside: what it prints, what it refuses, how it ends. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { root } from '../scripts/files.ts'
import { OrderChecker } from '../src/cli/demo/order-checker.ts'
import { OrderStream } from '../src/cli/demo/orders.ts'
import type { DemoResult } from '../src/cli/demo/report.ts'

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function fanlane(
  args: readonly string[],
  onOutput: (out: string, interrupt: () => void) => void = () => {},
): Promise<Ended> {
  const child = spawn(process.execPath, [join(root, 'src/cli/main.ts'), ...args])
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
    onOutput(out, () => child.kill('SIGINT'))
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, out, err }))
  })
}

describe('fanlane demo', { concurrency: 2 }, () => {
  test('--json prints one object: in order, committed to the log end, retried, one dead letter', async () => {
    const { code, out, err } = await fanlane(['demo', '--seconds', '1', '--json'])
    assert.equal(code, 0, err)
    assert.equal(out.trimEnd().split('\n').length, 1)
    const result = JSON.parse(out) as DemoResult
    assert.equal(result.ok, true)
    assert.equal(result.fanlane.outOfOrderStarts, 0)
    assert.equal(result.fanlane.deadLetters, 1)
    assert.equal(result.deadLetter?.attempts, 3)
    assert.ok(result.fanlane.retries > 2)
    assert.ok(result.fanlane.records > result.oneAtATime.records)
    for (const { position, logEnd } of result.fanlane.committed) assert.equal(position, logEnd)
  })

  test('without a terminal it prints plain lines of 60 columns at most', async () => {
    const { code, out, err } = await fanlane(['demo', '--seconds', '1'])
    assert.equal(code, 0, err)
    assert.match(out, /^speed-up +[\d.]+ x$/m)
    assert.match(out, /npm run sim/)
    assert.ok(!out.includes('\u{1b}') && !out.includes('\r'))
    for (const line of out.split('\n')) assert.ok(line.length <= 60, line)
  })

  test('an interrupt drains, commits and ends with 0', async () => {
    let sent = false
    const { code, out, err } = await fanlane(['demo', '--seconds', '6'], (text, interrupt) => {
      if (sent || !/fanlane +\d/.test(text)) return
      sent = true
      interrupt()
    })
    assert.equal(code, 0, err)
    assert.match(out, /Interrupted/)
    const [committed, ahead] = ['committed', 'finished ahead of it'].map((name) => lastNumber(out, name))
    assert.ok((committed as number) + (ahead as number) > 0)
  })

  for (const args of [
    [],
    ['dmeo'],
    ['demo', 'now'],
    ['demo', '--seconds', '0'],
    ['demo', '--seconds', 'x'],
    ['demo', '--fast'],
  ]) {
    test(`refuses: fanlane ${args.join(' ')}`, async () => {
      const { code, out, err } = await fanlane(args)
      assert.equal(code, 2)
      assert.equal(out, '')
      assert.match(err, /Usage: fanlane/)
    })
  }

  test('--help explains itself', async () => {
    const { code, out } = await fanlane(['--help'])
    assert.equal(code, 0)
    assert.match(out, /Usage: fanlane <command>/)
    for (const command of ['demo', 'broker']) {
      const help = await fanlane([command, '--help'])
      assert.equal(help.code, 0)
      assert.match(help.out, new RegExp(`Usage: fanlane ${command}`))
      for (const line of help.out.split('\n')) assert.ok(line.length <= 72, line)
    }
  })
})

function lastNumber(out: string, row: string): number {
  const line = out.split('\n').find((each) => each.startsWith(row)) ?? ''
  return Number(line.split(/\s+/).at(-1)?.replaceAll(',', ''))
}

describe('the order checker of the demo', () => {
  const order = (number: number) => ({ customer: 'a', number, fate: 'fine' }) as const

  test('is content with order, retries included', () => {
    const checker = new OrderChecker()
    for (const number of [0, 1]) {
      checker.started(order(number))
      checker.started(order(number))
      checker.over(order(number))
    }
    assert.equal(checker.outOfOrder, 0)
  })

  test('notices a start before the earlier order is over, and one that comes too late', () => {
    const checker = new OrderChecker()
    checker.started(order(0))
    checker.started(order(1))
    assert.equal(checker.outOfOrder, 1)
    checker.over(order(1))
    checker.started(order(0))
    assert.equal(checker.outOfOrder, 2)
  })

  test('the stream is skewed, and numbers the orders of each customer', () => {
    const stream = new OrderStream()
    const counts = new Map<string, number>()
    for (let count = 0; count < 20_000; count++) {
      const { customer, number } = stream.next()
      assert.equal(number, counts.get(customer) ?? 0)
      counts.set(customer, number + 1)
    }
    const first = counts.get('customer-1') ?? 0
    assert.ok(Math.abs(first / 20_000 - stream.hottestShare) < 0.003)
    assert.ok(first > 20 * (counts.get('customer-4999') ?? 0))
  })
})
