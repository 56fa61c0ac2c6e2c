/** Sequences that once went wrong, each as short as it can be told. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { asPosition } from '../../src/kernel/ids.ts'
import { encodeMap } from '../../src/kernel/offset-map/index.ts'
import { Outbox } from '../../src/kernel/outbox.ts'
import { nextDeadline } from '../../src/kernel/step.ts'
import { randomStream } from '../../src/testing/sim/random.ts'
import { verifyCounters } from '../../src/testing/sim/world/verify.ts'
import { offsets, TestKernel, works } from '../support/kernel.ts'

const partitions = [{ topic: 't', partition: 0 }]
const bad = new Error('bad')

describe('batches', () => {
  for (const by of ['key', 'any'] as const) {
    test(`I3 I8 · by ${by}: what follows an undecodable record in its lane waits for its dead letter`, () => {
      const kernel = new TestKernel({ batch: { max: 4, min: 1, lingerMs: 0, by } })
      const epoch = kernel.open()
      const rows = [
        [0, 'k'],
        [1, 'k'],
        [2, 'k'],
      ] as const
      assert.deepEqual(kernel.poll(epoch, rows, { failures: new Map([[0, bad]]) }), [])
      const [exhaust] = kernel.of('exhaust')
      const after = kernel.step({ kind: 'exhausted', results: [{ work: exhaust!.records[0]!.work, ok: true }] })
      assert.deepEqual(offsets(works(after)), [1, 2])
    })

    test(`I8 I12 · by ${by}: an undecodable record that is skipped does not start its follower twice`, () => {
      const kernel = new TestKernel({ batch: { max: 2, min: 1, lingerMs: 0, by }, onExhausted: 'skip' })
      const epoch = kernel.open()
      kernel.step({ kind: 'control', control: { kind: 'pause', selection: { topic: 't' } } })
      kernel.poll(
        epoch,
        [
          [0, 'k'],
          [1, 'k'],
          [2, 'k'],
        ],
        { failures: new Map([[0, bad]]) },
      )
      kernel.step({ kind: 'control', control: { kind: 'resume', selection: { topic: 't' } } })
      verifyCounters(kernel.state)
      assert.deepEqual(new Set(offsets(works(kernel.commands))).size, works(kernel.commands).length)
    })
  }

  test('a small batch of a paused partition does not ask to be woken again and again', () => {
    const kernel = new TestKernel({ batch: { max: 4, min: 1, lingerMs: 5, by: 'any' } })
    const epoch = kernel.open()
    kernel.step({ kind: 'control', control: { kind: 'pause', selection: { topic: 't' } } })
    kernel.poll(epoch, [0])
    kernel.nowMs += 20
    kernel.step({ kind: 'tick' })
    assert.ok(nextDeadline(kernel.state) > kernel.nowMs)
  })

  test('the linger time is that of the first record, however many follow', () => {
    const kernel = new TestKernel({ batch: { max: 100, min: 100, lingerMs: 50, by: 'key' } })
    const epoch = kernel.open()
    kernel.poll(epoch, [[0, 'a']])
    const started: number[] = []
    for (let offset = 1; offset < 4; offset++) {
      started.push(...offsets(works(kernel.wait(40))), ...offsets(kernel.poll(epoch, [[offset, 'a']])))
    }
    assert.deepEqual(started, [0, 1])
  })

  test('a paused key is not started by its linger time', () => {
    const kernel = new TestKernel({ batch: { max: 4, min: 4, lingerMs: 50, by: 'key' } })
    kernel.poll(kernel.open(), [[0, 'a']])
    kernel.step({ kind: 'control', control: { kind: 'pause', selection: { topic: 't', key: 'a' } } })
    assert.deepEqual(works(kernel.wait(200)), [])
    kernel.step({ kind: 'control', control: { kind: 'resume', selection: { topic: 't', key: 'a' } } })
    assert.deepEqual(offsets(works(kernel.wait(50))), [0])
  })
})

describe('commits', () => {
  test('G6 · by hand: a second call while the first is under way is answered too', () => {
    const kernel = new TestKernel({ commit: { manual: true } })
    const [a, b] = kernel.poll(kernel.open(), [0, 1])
    kernel.done(a!)
    const first = kernel.step({ kind: 'control', control: { kind: 'commit', ticket: 1 } })
    kernel.done(b!)
    kernel.step({ kind: 'control', control: { kind: 'commit', ticket: 2 } })
    kernel.ack(kernel.ack(first))
    assert.deepEqual(
      kernel.of('answered').map(({ ticket, isCommitted }) => [ticket, isCommitted]),
      [
        [1, true],
        [2, true],
      ],
    )
  })

  test('G6 · by hand: a call is not answered with success when the partition is lost before', () => {
    const kernel = new TestKernel({ commit: { manual: true } })
    const [a] = kernel.poll(kernel.open(), [0])
    kernel.done(a!)
    kernel.step({ kind: 'control', control: { kind: 'commit', ticket: 1 } })
    kernel.step({ kind: 'lost', partitions })
    assert.deepEqual(
      kernel.of('answered').map(({ isCommitted }) => isCommitted),
      [false],
    )
  })

  test('I4 · healing is owed until a commit that was sent after the danger is stored', () => {
    const kernel = new TestKernel()
    const [a] = kernel.poll(kernel.open(), [0])
    kernel.ack(kernel.done(a!), 'unknown')
    let last = 0
    let refusals = 3
    for (let round = 0; round < 40; round++) {
      const commands = kernel.wait(500)
      if (kernel.of('commit', commands).length > 0) last = kernel.nowMs
      const isDangerOver = kernel.nowMs > 1_000 + 5_000
      kernel.ack(commands, isDangerOver && refusals-- > 0 ? 'refused' : 'ok')
    }
    assert.ok(last >= 1_000 + 5_000, 'the last one is sent after a late request could land')
    assert.ok(last < kernel.nowMs - 5_000, 'and then it ends')
  })
})

describe('controls and limits', () => {
  test('R3 · a running record that is skipped stays skipped when its time-out comes', () => {
    const kernel = new TestKernel({ handlerTimeoutMs: 50 })
    const [a] = kernel.poll(kernel.open(), [0])
    kernel.step({ kind: 'control', control: { kind: 'skip', topic: 't', partition: 0, offset: 0 as never } })
    kernel.wait(50)
    kernel.fail(a!)
    assert.equal(kernel.state.totals.skipped, 1)
    assert.equal(kernel.state.totals.retries, 0)
  })

  test('R7 · partitions that come while we close are not taken', () => {
    const kernel = new TestKernel()
    const [a] = kernel.poll(kernel.open(), [0])
    kernel.step({ kind: 'control', control: { kind: 'close', drainMs: 1_000 } })
    assert.deepEqual(kernel.step({ kind: 'assigned', partitions: [{ topic: 't', partition: 1 }] }), [])
    kernel.ack(kernel.done(a!))
    assert.equal(kernel.of('closed').length, 1)
  })

  test('P7 · pause and resume within one step: the last word is the one that is told', () => {
    const lease = { topic: 't', partition: 0, epoch: 1 as never }
    for (const [first, last] of [
      ['pause', 'resume'],
      ['resume', 'pause'],
    ] as const) {
      const out = new Outbox()
      out[first](lease)
      out[last](lease)
      assert.deepEqual(out.take(), [{ kind: last, leases: [lease] }])
    }
  })

  test('I1 · at-most-once: a seek waits until no commit is under way, or records would start twice', () => {
    const kernel = new TestKernel({ delivery: 'at-most-once' })
    const epoch = kernel.open()
    kernel.poll(epoch, [0, 1])
    const seek = () =>
      kernel.step({ kind: 'control', control: { kind: 'seek', topic: 't', partition: 0, position: asPosition(50) } })
    assert.ok(kernel.of('notice', seek()).some(({ notice }) => notice.kind === 'control-refused'))
    assert.ok(kernel.state.leases.has(epoch))
    kernel.ack(kernel.of('commit'))
    assert.equal(kernel.of('fetch', seek())[0]!.from[0]!.position, 50)
  })

  test('I4 · a seek takes over the healing that the lease before it owed', () => {
    const kernel = new TestKernel()
    const [a] = kernel.poll(kernel.open(), [0])
    kernel.ack(kernel.done(a!), 'unknown')
    kernel.step({ kind: 'control', control: { kind: 'seek', topic: 't', partition: 0, position: asPosition(7) } })
    assert.equal(kernel.state.leaseOf({ topic: 't', partition: 0 })!.commit.healOwed, true)
  })

  test('G6 P5 · by hand: a call during a drain is committed before the partition is let go', () => {
    const kernel = new TestKernel({ commit: { manual: true } })
    const [a] = kernel.poll(kernel.open(), [0, 1])
    kernel.done(a!)
    kernel.step({ kind: 'revoked', revocation: 1, partitions })
    const commands = kernel.step({ kind: 'control', control: { kind: 'commit', ticket: 1 } })
    kernel.ack([...commands, ...kernel.wait(500)])
    assert.deepEqual(
      kernel.of('answered').map(({ isCommitted }) => isCommitted),
      [true],
    )
  })

  test('X5 · a restored map that is longer than today’s limit is worked off, not waited for', () => {
    const random = randomStream(1, 'ragged')
    const runs = Array.from({ length: 400 }, () => 1 + Math.floor(random() * 3))
    const end = runs.reduce((sum, run) => sum + run, 0)
    const metadata = encodeMap(0, runs, { maxChars: 4_000, alphabet: 'wide', truncate: false })!.text
    const kernel = new TestKernel({
      delivery: 'exactly-once',
      order: 'none',
      commit: { mapMaxChars: 20, everyMs: 10 },
      limits: { records: 50 },
    })
    const epoch = kernel.open(0, { metadata, logEnd: asPosition(end) })
    assert.ok(metadata.length > 20)
    const queue = [
      ...kernel.poll(
        epoch,
        Array.from({ length: end }, (_, at) => at),
      ),
    ]
    let committed = 0
    for (let round = 0; round < 2_000 && committed < end; round++) {
      const commands = [...kernel.done(...queue.splice(0)), ...kernel.wait(10)]
      for (let at = 0; at < commands.length; at++) {
        const command = commands[at]!
        if (command.kind !== 'transact') continue
        committed = command.entries[0]!.position
        commands.push(...kernel.step({ kind: 'transacted', id: command.id, outcome: { kind: 'committed' } }))
      }
      queue.push(...works(commands))
    }
    assert.equal(committed, end)
  })

  test('I5 · a large record does not starve while small ones of others fill every gap', () => {
    const kernel = new TestKernel({ limits: { bytes: 100 }, order: 'none' })
    const small = kernel.open(0)
    const large = kernel.open(1)
    const queue = [
      ...kernel.poll(
        small,
        Array.from({ length: 300 }, (_, at) => at),
      ),
    ]
    kernel.poll(large, [0], { sizes: [60] })
    let before = 0
    while (queue.length > 0) {
      const work = queue.shift()!
      if (work.epoch === large) break
      before++
      queue.push(...works(kernel.done(work)))
    }
    assert.ok(before < 50, `${before} small ones went first`)
  })

  test('I7 · room that the end of a lease makes is given to those who wait, in the same step', () => {
    const kernel = new TestKernel({ limits: { bytes: 100 }, order: 'partition' })
    const a = kernel.open(0)
    const b = kernel.open(1)
    kernel.poll(a, [0], { sizes: [60] })
    kernel.poll(b, [0], { sizes: [200] })
    kernel.step({ kind: 'revoked', revocation: 1, partitions })
    const last = kernel.wait(500)
    const ended = kernel.of('released').length > 0 ? last : kernel.ack(last)
    assert.deepEqual(
      works(ended).map(({ partition }) => partition),
      [1],
    )
  })

  test('I5 · a record above the limit gets its turn under load', () => {
    const kernel = new TestKernel({ limits: { bytes: 100 }, order: 'none' })
    const small = kernel.open(0)
    const huge = kernel.open(1)
    const queue = [
      ...kernel.poll(
        small,
        Array.from({ length: 300 }, (_, at) => at),
      ),
    ]
    kernel.poll(huge, [0], { sizes: [500] })
    let before = 0
    while (queue.length > 0) {
      const work = queue.shift()!
      if (work.epoch === huge) break
      before++
      queue.push(...works(kernel.done(work)))
    }
    assert.ok(before < 50, `${before} small ones went first`)
  })

  test('I11 · at-most-once: nothing starts when the drain time is over', () => {
    const kernel = new TestKernel({ delivery: 'at-most-once', concurrency: { min: 1, max: 1 }, order: 'none' })
    kernel.poll(kernel.open(), [0, 1])
    const acked = kernel.ack(kernel.of('commit'))
    kernel.ack(acked)
    const [first] = works(acked)
    kernel.step({ kind: 'revoked', revocation: 1, partitions })
    kernel.nowMs += 500
    assert.deepEqual(works(kernel.done(first!)), [])
    assert.equal(kernel.state.totals.dropped, 1)
  })
})
