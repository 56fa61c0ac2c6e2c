import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { asPosition } from '../../src/kernel/ids.ts'
import { LEASE_TABLE } from '../../src/kernel/lease.ts'
import { decodeMap } from '../../src/kernel/offset-map/index.ts'
import { offsets, TestKernel, works } from '../support/kernel.ts'

const partitions = [{ topic: 't', partition: 0 }]

describe('leases', () => {
  test('P4 · the table is complete, and fenced is for ever', () => {
    const states = Object.keys(LEASE_TABLE)
    for (const row of Object.values(LEASE_TABLE)) {
      for (const next of Object.values(row)) assert.ok(states.includes(next))
    }
    assert.deepEqual(new Set(Object.values(LEASE_TABLE.fenced)), new Set(['fenced']))
  })

  test('P5 I11 · revoked: nothing new starts, running work ends, then the map is committed, then it is let go', () => {
    const kernel = new TestKernel()
    const epoch = kernel.open()
    const [a, b, c] = kernel.poll(epoch, [
      [0, 'a'],
      [1, 'b'],
      [2, 'c'],
      [3, 'c'],
    ])
    kernel.done(c!)
    assert.deepEqual(works(kernel.step({ kind: 'revoked', revocation: 7, partitions })), [])
    assert.deepEqual(works(kernel.done(b!)), [], 'nothing starts after the revoke')
    assert.equal(kernel.of('released').length, 0)
    const final = kernel.wait(500)
    const [abort] = kernel.of('abort', final)
    assert.deepEqual(offsets(abort!.works), [0, 3])
    const [commit] = kernel.of('commit', final)
    assert.equal(commit!.entries[0]!.position, 0)
    const map = decodeMap(0, commit!.entries[0]!.metadata)
    assert.deepEqual(map.kind === 'map' && map.runs, [1, 2])
    assert.equal(kernel.of('released').length, 0)
    kernel.ack(final)
    assert.deepEqual(
      kernel.of('released').map(({ revocation }) => revocation),
      [7],
    )
    assert.equal(a!.offset, 0)
  })

  test('P5 · a drained lease does not wait for its time to pass; a clean one does not commit', () => {
    const kernel = new TestKernel()
    const epoch = kernel.open()
    const [a] = kernel.poll(epoch, [0])
    kernel.ack(kernel.done(a!))
    const commands = kernel.step({ kind: 'revoked', revocation: 1, partitions })
    assert.equal(kernel.of('commit', commands).length, 0)
    assert.equal(kernel.of('released', commands).length, 1)
  })

  test('P5 · a cooperative revoke touches only its own partitions', () => {
    const kernel = new TestKernel({ concurrency: { min: 2, max: 2 } })
    const a = kernel.open(0)
    const b = kernel.open(1)
    kernel.poll(a, [
      [0, 'x'],
      [1, 'x'],
    ])
    const [other] = kernel.poll(b, [
      [0, 'y'],
      [1, 'y'],
    ])
    kernel.step({ kind: 'revoked', revocation: 1, partitions })
    assert.deepEqual(
      works(kernel.done(other!)).map(({ partition, offset }) => [partition, offset]),
      [[1, 1]],
    )
  })

  test('P4 I6 · results of an older lease change nothing, even when the same member has the partition again', () => {
    const kernel = new TestKernel()
    const old = kernel.open()
    const [zombie] = kernel.poll(old, [[0, 'a']])
    kernel.step({ kind: 'lost', partitions })
    const epoch = kernel.open()
    assert.notEqual(epoch, old)
    kernel.poll(epoch, [
      [0, 'b'],
      [1, 'c'],
    ])
    kernel.done(zombie!)
    assert.equal(kernel.state.totals.stale, 1)
    assert.equal(kernel.state.leases.get(epoch)!.tracker.position, 0)
  })

  test('P4 · a partition that is assigned again while it is held keeps its lease', () => {
    const kernel = new TestKernel()
    kernel.open()
    assert.deepEqual(kernel.step({ kind: 'assigned', partitions }), [])
  })

  test('I8 · a handler of an ended lease holds its key until it settles, and others go on', () => {
    const kernel = new TestKernel()
    const old = kernel.open()
    const [zombie] = kernel.poll(old, [
      [0, 'a'],
      [1, 'b'],
    ])
    kernel.step({ kind: 'lost', partitions })
    const epoch = kernel.open()
    assert.deepEqual(
      offsets(
        kernel.poll(epoch, [
          [0, 'a'],
          [2, 'a'],
          [3, 'c'],
        ]),
      ),
      [3],
    )
    assert.equal(kernel.state.running, 3)
    const freed = works(kernel.fail(zombie!))
    assert.deepEqual(offsets(freed), [0])
    assert.deepEqual(offsets(works(kernel.done(freed[0]!))), [2])
  })

  test('P6 · a lease that is taken again starts from the committed map', () => {
    const kernel = new TestKernel()
    const epoch = kernel.open()
    const [, b, c] = kernel.poll(epoch, [0, 1, 2])
    kernel.done(b!, c!)
    const [commit] = kernel.of(
      'commit',
      kernel.step({ kind: 'revoked', revocation: 1, partitions }).concat(kernel.wait(500)),
    )
    kernel.ack([commit!])
    const { position, metadata } = commit!.entries[0]!
    const next = kernel.open(0, { position, metadata })
    assert.deepEqual(offsets(kernel.poll(next, [[0, 'x'], 1, 2, 3])), [0, 3])
    assert.equal(kernel.state.totals.restored, 2)
  })

  test('P6 I14 · foreign, corrupt and out-of-date metadata is ignored with a warning, and claims nothing', () => {
    const source = new TestKernel()
    const [, , c] = source.poll(source.open(), [0, 1, 2])
    source.done(c!)
    const [commit] = source.of('commit', source.wait(2_000))
    const ours = commit!.entries[0]!.metadata
    const cases: [string, string, Partial<{ position: number; logEnd: number }>][] = [
      ['NO_METADATA', 'foreign', {}],
      [ours.slice(0, -1), 'corrupt', {}],
      [ours, 'base-mismatch', { position: 5 }],
      [ours, 'truncated', { logEnd: 2 }],
    ]
    for (const [metadata, reason, { position = 0, logEnd = 100 }] of cases) {
      const kernel = new TestKernel()
      const epoch = kernel.open(0, { metadata, position: asPosition(position), logEnd: asPosition(logEnd) })
      const [notice] = kernel.of('notice')
      assert.equal(notice!.notice.kind === 'map-ignored' && notice!.notice.reason, reason)
      assert.deepEqual(offsets(kernel.poll(epoch, [position, position + 1, position + 2])), [
        position,
        position + 1,
        position + 2,
      ])
    }
  })

  test('G5 · where nothing was committed, the start is written down', () => {
    const kernel = new TestKernel()
    kernel.open(0, { position: asPosition(42), committed: false })
    kernel.wait(1_000)
    assert.equal(kernel.of('commit')[0]!.entries[0]!.position, 42)
  })

  test('a lease that is revoked while it opens is let go at once, and its late answer is ignored', () => {
    const kernel = new TestKernel()
    const [open] = kernel.of('open', kernel.step({ kind: 'assigned', partitions }))
    assert.equal(kernel.of('released', kernel.step({ kind: 'revoked', revocation: 1, partitions })).length, 1)
    assert.deepEqual(kernel.opened(open!.leases[0]!.epoch), [])
  })

  test('seek starts a new lease there, and the old one changes nothing any more', () => {
    const kernel = new TestKernel()
    const old = kernel.open()
    const [a] = kernel.poll(old, [[50, 'a']])
    const commands = kernel.step({
      kind: 'control',
      control: { kind: 'seek', topic: 't', partition: 0, position: asPosition(10) },
    })
    const [fetch] = kernel.of('fetch', commands)
    assert.equal(fetch!.from[0]!.position, 10)
    kernel.done(a!)
    const lease = kernel.state.homeOf({ topic: 't', partition: 0 }).lease!
    assert.equal(lease.tracker.position, 10)
    assert.notEqual(lease.epoch, old)
  })

  test('R7 · close drains every lease, commits and then says closed', () => {
    const kernel = new TestKernel()
    const a = kernel.open(0)
    kernel.open(1)
    const [work] = kernel.poll(a, [0])
    kernel.step({ kind: 'control', control: { kind: 'close', drainMs: 300 } })
    assert.equal(kernel.of('closed').length, 0)
    const commands = kernel.done(work!)
    assert.equal(kernel.of('closed', commands).length, 0)
    kernel.ack(commands)
    assert.equal(kernel.of('closed').length, 1)
  })
})
