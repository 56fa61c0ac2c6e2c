import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Work } from '../../src/kernel/events.ts'
import { decodeMap } from '../../src/kernel/offset-map/index.ts'
import { offsets, TestKernel, works } from '../support/kernel.ts'

const partitions = [{ topic: 't', partition: 0 }]
const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, at) => from + at)

describe('commits', () => {
  test('G6 · on an interval while there is work, at once when there is none left', () => {
    const kernel = new TestKernel()
    const epoch = kernel.open()
    const [a, b] = kernel.poll(epoch, [0, 1])
    assert.equal(kernel.of('commit', kernel.done(a!)).length, 0)
    assert.equal(kernel.of('commit', kernel.wait(999)).length, 0)
    const onTime = kernel.wait(1)
    assert.equal(kernel.of('commit', onTime)[0]!.entries[0]!.position, 1)
    kernel.ack(onTime)
    kernel.wait(100)
    assert.equal(kernel.of('commit', kernel.done(b!))[0]!.entries[0]!.position, 2)
  })

  test('G6 · on a count', () => {
    const kernel = new TestKernel({ commit: { everyRecords: 3 } })
    const epoch = kernel.open()
    const started = kernel.poll(epoch, range(0, 10))
    assert.equal(kernel.of('commit', kernel.done(started[1]!, started[2]!)).length, 0)
    assert.equal(kernel.of('commit', kernel.done(started[3]!)).length, 1)
  })

  test('G6 I15 · sooner when completions run far ahead', () => {
    const kernel = new TestKernel({ limits: { records: 20 }, commit: { everyMs: 1_000_000 } })
    const epoch = kernel.open()
    let started: readonly Work[] = kernel.poll(epoch, range(0, 100)).slice(1)
    let commits = 0
    while (started.length > 0) {
      kernel.nowMs += 100_000
      const commands = kernel.done(...started)
      commits += kernel.of('commit', commands).length
      kernel.ack(commands)
      started = works(commands)
    }
    assert.ok(commits >= 2, `${commits} commits`)
  })

  test('G6 I15 · an eighth of the limit does not wait for the interval, but for a tenth of it', () => {
    const kernel = new TestKernel({ limits: { records: 80 } })
    const epoch = kernel.open()
    const [first, ...started] = kernel.poll(epoch, range(0, 60))
    kernel.ack(kernel.wait(2_000))
    assert.equal(kernel.of('commit', kernel.done(...started.slice(0, 9))).length, 0)
    const commands = kernel.done(started[9]!)
    assert.equal(kernel.of('commit', commands).length, 1)
    kernel.ack(commands)
    assert.equal(kernel.of('commit', kernel.done(...started.slice(10, 30))).length, 0)
    assert.equal(kernel.of('commit', kernel.wait(99)).length, 0)
    assert.equal(kernel.of('commit', kernel.wait(1)).length, 1)
    assert.ok(first)
  })

  test('G6 · early commits of many partitions leave time for other work', () => {
    const kernel = new TestKernel({
      limits: { records: 4_000 },
      concurrency: { min: 4_000, max: 4_000 },
      order: 'partition',
    })
    const epochs = range(0, 800).map((partition) => kernel.open(partition))
    const started = epochs.flatMap((epoch) => [...kernel.poll(epoch, [0, 1])])
    kernel.ack(kernel.wait(5_000))
    const commands = kernel.done(...started)
    const rest = works(commands)
    assert.equal(rest.length, 800)
    kernel.ack(commands)
    kernel.done(...rest.slice(0, 700))
    assert.equal(kernel.of('commit', kernel.wait(100)).length, 0)
    assert.equal(kernel.of('commit', kernel.wait(100)).length, 1)
  })

  test('G6 · by hand only, if told so; the call is answered when everything finished is acknowledged', () => {
    const kernel = new TestKernel({ commit: { manual: true } })
    const epoch = kernel.open()
    const [a] = kernel.poll(epoch, [0, 1])
    kernel.done(a!)
    assert.equal(kernel.of('commit', kernel.wait(60_000)).length, 0)
    const commands = kernel.step({ kind: 'control', control: { kind: 'commit', ticket: 5 } })
    assert.equal(kernel.of('commit', commands).length, 1)
    assert.equal(kernel.of('answered').length, 0)
    kernel.ack(commands)
    assert.equal(kernel.of('answered')[0]!.ticket, 5)
    assert.equal(
      kernel.of('answered', kernel.step({ kind: 'control', control: { kind: 'commit', ticket: 6 } })).length,
      1,
    )
  })

  test('I4 · one commit under way per partition; the newest state goes next', () => {
    const kernel = new TestKernel({ commit: { everyRecords: 1 } })
    const epoch = kernel.open()
    const started = kernel.poll(epoch, range(0, 4))
    const first = kernel.done(started[0]!)
    assert.equal(kernel.of('commit', first).length, 1)
    assert.equal(kernel.of('commit', kernel.done(started[1]!)).length, 0)
    assert.equal(kernel.of('commit', kernel.done(started[2]!)).length, 0)
    kernel.ack(first)
    const next = kernel.wait(1_000)
    assert.deepEqual(
      kernel.of('commit', next).map(({ entries }) => entries[0]!.position),
      [3],
    )
  })

  test('I4 I7 · a commit without an answer is sent again, and again for a while, though nothing is new', () => {
    const kernel = new TestKernel()
    const epoch = kernel.open()
    const [a] = kernel.poll(epoch, [0])
    const commands = kernel.done(a!)
    kernel.ack(commands, 'unknown')
    const again = kernel.wait(100)
    assert.equal(kernel.of('commit', again).length, 1)
    kernel.ack(again)
    // The lost request may still land: an idle partition heals it within an interval.
    const healing = kernel.wait(1_000)
    assert.equal(kernel.of('commit', healing)[0]!.entries[0]!.position, 1)
    kernel.ack(healing)
    for (let round = 0; round < 6; round++) kernel.ack(kernel.wait(1_000))
    assert.equal(kernel.of('commit', kernel.wait(60_000)).length, 0, 'it ends when nothing can land any more')
  })

  test('G6 · a refused commit is sent again; clean only when acknowledged', () => {
    const kernel = new TestKernel()
    const epoch = kernel.open()
    const [a] = kernel.poll(epoch, [0])
    kernel.ack(kernel.done(a!), 'refused')
    const again = kernel.wait(100)
    assert.equal(kernel.of('commit', again).length, 1)
    kernel.ack(again)
    assert.equal(kernel.of('commit', kernel.wait(60_000)).length, 0)
  })

  test('P6 I10 · refused as too large: first base64, then half as long, until it fits', () => {
    const kernel = new TestKernel({ commit: { mapMaxChars: 100 }, concurrency: { min: 1_000, max: 1_000 } })
    const epoch = kernel.open()
    const started = kernel.poll(epoch, range(0, 900))
    let commands = kernel.done(...started.filter(({ offset }) => Math.imul(offset, 0x9e3779b1) > 0))
    commands = [...commands, ...kernel.wait(1_000)]
    const lengths: number[] = []
    for (const limit of [0, 0, 40]) {
      const { metadata } = kernel.of('commit', commands)[0]!.entries[0]!
      lengths.push(metadata.length)
      commands = kernel.ack(commands, metadata.length > limit ? 'too-large' : 'ok')
    }
    assert.ok(
      lengths.every((length, at) => length <= [100, 100, 50][at]!),
      `${lengths}`,
    )
    assert.equal(kernel.state.mapAlphabet, 'base64')
    assert.ok(kernel.state.totals.truncated > 0)
  })

  test('I6 · a commit answered with "fenced" ends the lease; nothing of it is committed again', () => {
    const kernel = new TestKernel()
    const epoch = kernel.open()
    const [a] = kernel.poll(epoch, [0])
    kernel.ack(kernel.done(a!), 'fenced')
    assert.equal(kernel.state.leases.size, 0)
    assert.equal(kernel.of('commit', kernel.wait(60_000)).length, 0)
  })

  test('I7 · records that were restored as finished move the position, and that is committed', () => {
    const kernel = new TestKernel()
    const epoch = kernel.open()
    const started = kernel.poll(epoch, range(0, 4))
    kernel.done(started[1]!, started[2]!, started[3]!)
    const [commit] = kernel.of('commit', kernel.wait(1_000))
    const { metadata } = commit!.entries[0]!
    const again = new TestKernel()
    const next = again.open(0, { metadata })
    // 0 has vanished (compaction): nothing is left to run, and yet the position must reach the end.
    again.poll(next, [1, 2, 3])
    again.wait(1_000)
    assert.equal(again.of('commit')[0]!.entries[0]!.position, 4)
  })

  test('P5 · a final commit that is refused is tried again until its time is over', () => {
    const kernel = new TestKernel()
    const epoch = kernel.open()
    const [a] = kernel.poll(epoch, [0, 1])
    kernel.done(a!)
    let commands: readonly import('../../src/kernel/events.ts').Command[] = [
      ...kernel.step({ kind: 'revoked', revocation: 1, partitions }),
      ...kernel.wait(500),
    ]
    let tries = 0
    for (let round = 0; round < 60 && kernel.of('released').length === 0; round++) {
      tries += kernel.of('commit', commands).length
      kernel.ack(commands, 'refused')
      commands = kernel.wait(50)
    }
    assert.ok(tries > 5)
    assert.equal(kernel.of('released').length, 1)
    assert.ok(kernel.of('notice').some(({ notice }) => notice.kind === 'final-commit-failed'))
  })

  test('P6 · the map that is committed is exactly what is finished', () => {
    const kernel = new TestKernel()
    const epoch = kernel.open()
    const started = kernel.poll(epoch, range(0, 50))
    const finished = started.filter(({ offset }) => offset % 7 !== 0)
    kernel.done(...finished)
    const [commit] = kernel.of('commit', kernel.wait(1_000))
    const { position, metadata } = commit!.entries[0]!
    const map = decodeMap(position, metadata)
    assert.ok(map.kind === 'map')
    const claimed: number[] = []
    let cursor: number = position
    for (const [at, run] of map.runs.entries()) {
      if (at % 2 === 1) claimed.push(...range(cursor, run))
      cursor += run
    }
    assert.deepEqual(claimed, offsets(finished))
  })
})
