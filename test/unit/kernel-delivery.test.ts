/** At-most-once and exactly-once as pure decisions. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Command, TransactionOutcome, Work } from '../../src/kernel/events.ts'
import { decodeMap } from '../../src/kernel/offset-map/index.ts'
import { snapshot } from '../../src/kernel/snapshot.ts'
import { randomStream } from '../../src/testing/sim/random.ts'
import { type Of, type Options, offsets, TestKernel, works } from '../support/kernel.ts'

const partitions = [{ topic: 't', partition: 0 }]
const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, at) => from + at)
const sends = [{ size: 1 }]

describe('at-most-once', () => {
  const options: Options = { delivery: 'at-most-once', concurrency: { min: 2, max: 2 }, order: 'none' }

  test('R1 I1 · a chunk runs after its commit is acknowledged, while the next chunk commits', () => {
    const kernel = new TestKernel(options)
    const epoch = kernel.open()
    const polled = kernel.step({
      kind: 'polled',
      batches: [
        {
          epoch,
          count: 5,
          offsets: range(0, 5),
          keys: range(0, 5).map(String),
          sizes: range(0, 5).map(() => 1),
          nextPosition: 5 as never,
          logEnd: 5 as never,
          leaderEpoch: 0,
        },
      ],
    })
    assert.deepEqual(works(polled), [])
    assert.deepEqual(
      kernel.of('commit', polled).map(({ entries }) => [entries[0]!.position, entries[0]!.metadata]),
      [[2, '']],
    )
    const acked = kernel.ack(polled)
    assert.deepEqual(offsets(works(acked)), [0, 1])
    // Committed and not started would be lost in a crash: the next chunk waits until these have started.
    const next = kernel.step({ kind: 'tick' })
    assert.deepEqual(
      kernel.of('commit', [...acked, ...next]).map(({ entries }) => entries[0]!.position),
      [4],
    )
  })

  test('R1 I1 · no answer to a commit: nothing of it runs, the membership is renewed first', () => {
    const kernel = new TestKernel(options)
    const epoch = kernel.open()
    kernel.poll(epoch, range(0, 3))
    const after = kernel.ack(kernel.of('commit'), 'unknown')
    assert.deepEqual(works(after), [])
    assert.equal(kernel.of('rejoin', after).length, 1)
    assert.equal(kernel.state.leases.size, 0)
  })

  test('R1 · a refused commit is sent again and nothing starts before', () => {
    const kernel = new TestKernel(options)
    const epoch = kernel.open()
    kernel.poll(epoch, [0])
    assert.deepEqual(works(kernel.ack(kernel.of('commit'), 'refused')), [])
    const again = kernel.wait(100)
    assert.deepEqual(
      works(kernel.ack(again)).map(({ offset }) => offset),
      [0],
    )
  })

  test('R1 P5 · a drain runs what was committed; what does not start in time is counted as dropped', () => {
    const kernel = new TestKernel({ ...options, concurrency: { min: 1, max: 1 } })
    const epoch = kernel.open()
    kernel.poll(epoch, range(0, 4))
    const acked = kernel.ack(kernel.of('commit'))
    const [first] = works(acked)
    kernel.ack(acked)
    kernel.step({ kind: 'revoked', revocation: 1, partitions })
    assert.deepEqual(offsets(works(kernel.done(first!))), [1], 'committed: it runs during the drain')
    kernel.wait(500)
    assert.equal(kernel.of('released').length, 1)
    assert.equal(kernel.state.totals.dropped, 0)
    assert.equal(kernel.state.records, 0)
  })

  test('R1 · one attempt: a failure goes straight to the exit', () => {
    const kernel = new TestKernel(options)
    const epoch = kernel.open()
    kernel.poll(epoch, [0])
    const [work] = works(kernel.ack(kernel.of('commit')))
    assert.equal(kernel.of('exhaust', kernel.fail(work!)).length, 1)
  })

  test('R1 I4 · commits of many partitions go two at a time, and what waits goes together; an answer to nobody lets it go on', () => {
    const kernel = new TestKernel({ delivery: 'at-most-once' })
    const epochs = [0, 1, 2, 3, 4].map((partition) => kernel.open(partition))
    for (const epoch of epochs) kernel.poll(epoch, [0])
    const [first, second, ...others] = kernel.of('commit')
    assert.deepEqual([first!.entries.length, second!.entries.length, others.length], [1, 1, 0])
    // Its partition is gone by now: nobody hears the answer.
    kernel.step({ kind: 'lost', partitions: [{ topic: 't', partition: 0 }] })
    const [third] = kernel.of('commit', kernel.ack([first!]))
    assert.deepEqual(
      third!.entries.map(({ partition }) => partition),
      [2, 3, 4],
    )
    const started = [...kernel.ack([second!]), ...kernel.ack([third!])]
    assert.equal(works(started).length, 4)
  })
})

describe('exactly-once', () => {
  const options: Options = { delivery: 'exactly-once', commit: { everyMs: 100 } }
  const finish = (kernel: TestKernel, list: ReturnType<typeof works>): readonly Command[] =>
    kernel.settle(list.map((work) => ({ ...work, status: 'done', sends })))
  const transactions = (kernel: TestKernel, commands: readonly Command[] = kernel.commands): Of<'transact'>[] =>
    kernel.of('transact', commands)
  const end = (kernel: TestKernel, { id }: Of<'transact'>, outcome: TransactionOutcome): readonly Command[] =>
    kernel.step({ kind: 'transacted', id, outcome })
  const published = ({ publications }: Of<'transact'>): number[] => offsets(publications.map(({ work }) => work))

  test('X2 · outputs of finished records, position and map in one transaction; unfinished ones are never in it', () => {
    const kernel = new TestKernel(options)
    const epoch = kernel.open()
    const started = kernel.poll(epoch, range(0, 4))
    finish(kernel, [started[1]!, started[2]!])
    const [first] = transactions(kernel, kernel.wait(100))
    assert.deepEqual(published(first!), [1, 2])
    assert.equal(first!.entries[0]!.position, 0)
    const map = decodeMap(0, first!.entries[0]!.metadata)
    assert.deepEqual(map.kind === 'map' && map.runs, [1, 2])
    assert.equal(kernel.of('commit').length, 0)
  })

  test('X2 · while one transaction commits, records go on and join the next', () => {
    const kernel = new TestKernel(options)
    const epoch = kernel.open()
    const [a, b] = kernel.poll(epoch, [
      [0, 'a'],
      [1, 'b'],
      [2, 'a'],
    ])
    const next = works(finish(kernel, [a!]))
    assert.deepEqual(offsets(next), [2], 'the key goes on before the transaction ends')
    const [first] = transactions(kernel, kernel.wait(100))
    finish(kernel, [b!])
    assert.equal(transactions(kernel, kernel.wait(500)).length, 0)
    const after = [...end(kernel, first!, { kind: 'committed' }), ...kernel.wait(100)]
    const [second] = transactions(kernel, after)
    assert.deepEqual(published(second!), [1])
    assert.equal(second!.entries[0]!.position, 2)
  })

  test('X2 I5 · what waits for its transaction makes room for others, as long as one transaction could hold it', () => {
    const kernel = new TestKernel({
      ...options,
      limits: { records: 10 },
      commit: { everyMs: 100, everyRecords: 40 },
    })
    const epoch = kernel.open()
    let started = kernel.poll(epoch, range(0, 200))
    let handled = 0
    for (let rounds = 0; rounds < 50 && started.length > 0; rounds++) {
      assert.ok(kernel.state.records <= 10)
      handled += started.length
      started = works(finish(kernel, started))
    }
    assert.equal(kernel.state.resting, handled)
    assert.equal(handled, 50, 'no more than that, while the transaction is not answered')
    const [first] = transactions(kernel)
    assert.equal(published(first!).length, 20, 'it began when half of them were there')
    started = works(end(kernel, first!, { kind: 'committed' }))
    assert.equal(started.length, 10, 'there is room again')
    assert.equal(transactions(kernel).length, 2, 'and the others are in the next one at once')
    assert.equal(kernel.state.resting, 30)
    kernel.step({ kind: 'lost', partitions: [{ topic: 't', partition: 0 }] })
    assert.deepEqual([kernel.state.records, kernel.state.resting, kernel.state.bytes], [0, 0, 0])
  })

  test('P7 X5 · a partition whose outputs are withheld does not keep the others from theirs', () => {
    const kernel = new TestKernel({
      ...options,
      order: 'none',
      output: 'input',
      limits: { records: 20 },
      commit: { everyMs: 100, everyRecords: 40 },
    })
    const [stuck, other] = [kernel.open(0), kernel.open(1)]
    // Nothing after the first may be published before it: they rest, until no more may.
    let started: readonly Work[] = kernel.poll(stuck, range(0, 200)).slice(1)
    for (let rounds = 0; rounds < 50 && started.length > 0; rounds++) started = works(finish(kernel, started))
    assert.ok(kernel.state.resting >= 40)
    kernel.poll(other, range(0, 30))
    let published = 0
    for (let rounds = 0; rounds < 50; rounds++) {
      const commands = kernel.fresh()
      finish(
        kernel,
        works(commands).filter(({ partition }) => partition === 1),
      )
      for (const transaction of transactions(kernel, commands)) {
        published += transaction.publications.length
        end(kernel, transaction, { kind: 'committed' })
      }
      kernel.wait(100)
    }
    assert.equal(published, 30)
  })

  test('X4 · a definite abort puts the outputs back, ahead of newer ones', () => {
    const kernel = new TestKernel(options)
    const epoch = kernel.open()
    const [a, b] = kernel.poll(epoch, range(0, 3))
    finish(kernel, [b!])
    const [first] = transactions(kernel, kernel.wait(100))
    finish(kernel, [a!])
    end(kernel, first!, { kind: 'aborted' })
    const [second] = transactions(kernel, kernel.wait(100))
    assert.deepEqual(published(second!), [1, 0])
  })

  test('X4 · an unknown end: new producer first, then the committed position, then everything again', () => {
    const kernel = new TestKernel(options)
    const epoch = kernel.open()
    const [a] = kernel.poll(epoch, [0, 1])
    finish(kernel, [a!])
    const [first] = transactions(kernel, kernel.wait(100))
    const commands = end(kernel, first!, { kind: 'unknown' })
    const [open] = kernel.of('open', commands)
    assert.equal(open!.freshProducer, true)
    assert.notEqual(open!.leases[0]!.epoch, epoch)
    assert.equal(kernel.of('abort', commands)[0]!.reason, 'renewed')
    assert.equal(kernel.state.transaction.kind, 'resetting')
    kernel.step({ kind: 'producerReady' })
    kernel.opened(open!.leases[0]!.epoch)
    assert.deepEqual(
      offsets(
        kernel.poll(open!.leases[0]!.epoch, [
          [0, 'x'],
          [1, 'y'],
        ]),
      ),
      [0, 1],
    )
  })

  test('X3 · a fenced producer stops the consumer', () => {
    const kernel = new TestKernel(options)
    const [a] = kernel.poll(kernel.open(), [0, 1])
    finish(kernel, [a!])
    const [first] = transactions(kernel, kernel.wait(100))
    assert.equal(kernel.of('stop', end(kernel, first!, { kind: 'fenced', error: new Error('fenced') })).length, 1)
    assert.equal(kernel.state.leases.size, 0, 'closing has nothing to wait for')
  })

  test('X2 R5 · an output that can never be written fails its record, not every transaction for ever', () => {
    const kernel = new TestKernel(options)
    const [a, b] = kernel.poll(kernel.open(), range(0, 3))
    finish(kernel, [a!, b!])
    const [first] = transactions(kernel, kernel.wait(100))
    const commands = end(kernel, first!, {
      kind: 'rejected',
      works: [a!],
      permanent: true,
      error: new Error('too large'),
    })
    const [exhaust] = kernel.of('exhaust', commands)
    assert.equal(exhaust!.records[0]!.work.offset, 0)
    assert.deepEqual(published(transactions(kernel, commands)[0]!), [1])
    const letter = [{ size: 9 }]
    kernel.step({ kind: 'exhausted', results: [{ work: exhaust!.records[0]!.work, ok: true, sends: letter }] })
    end(kernel, transactions(kernel)[1]!, { kind: 'committed' })
    kernel.wait(200)
    const third = transactions(kernel)[2]!
    assert.deepEqual(
      third.publications.map((publication) => publication.sends),
      [letter],
    )
  })

  test('X2 R5 · a dead letter that is refused is tried again, later and visibly; others commit meanwhile', () => {
    const kernel = new TestKernel(options)
    const [a, b] = kernel.poll(kernel.open(), range(0, 3))
    const [exhaust] = kernel.of('exhaust', kernel.fail(a!, true))
    const { work } = exhaust!.records[0]!
    const exited = { kind: 'exhausted', results: [{ work, ok: true, sends: [{ size: 9 }] }] } as const
    kernel.step(exited)
    finish(kernel, [b!])
    const [first] = transactions(kernel, kernel.wait(100))
    assert.deepEqual(published(first!), [0, 1])
    const refusal = { kind: 'rejected', works: [work], permanent: false, error: new Error('no replicas') } as const
    const after = end(kernel, first!, refusal)
    assert.deepEqual(kernel.of('exhaust', after), [], 'not at once')
    assert.equal(
      kernel
        .of('notice', after)
        .some(({ notice }) => notice.kind === 'exhaust-retry' && notice.error === refusal.error),
      true,
    )
    const { blocking } = snapshot(kernel.state, kernel.nowMs).partitions[0]!
    assert.deepEqual([blocking!.doing, blocking!.why], ['waiting', refusal.error])
    const later = kernel.wait(50)
    const second = transactions(kernel, later)[0]!
    assert.deepEqual(published(second), [1], 'the others go without it')
    end(kernel, second, { kind: 'committed' })
    assert.equal(kernel.state.totals.exhausted, 0)
    const [again] = kernel.of('exhaust', [...later, ...kernel.wait(1_000)])
    assert.equal(again!.records[0]!.error, exhaust!.records[0]!.error, 'the error of the record, not of the refusal')
    kernel.step(exited)
    kernel.wait(200)
    end(kernel, transactions(kernel).at(-1)!, { kind: 'committed' })
    assert.equal(kernel.state.totals.exhausted, 1)
    assert.equal(kernel.state.homeOf({ topic: 't', partition: 0 }).lease!.tracker.position, 2)
    // I12: it has rested twice, and is counted once.
    assert.deepEqual([kernel.state.records, kernel.state.resting, kernel.state.bytes], [1, 0, 10])
  })

  test('X2 · outputs that are refused for now join again; those of several records that are refused for good fail all of them', () => {
    const kernel = new TestKernel(options)
    const works = kernel.poll(kernel.open(), range(0, 4))
    finish(kernel, works.slice(0, 3))
    const [first] = transactions(kernel, kernel.wait(100))
    const error = new Error('refused')
    const now = end(kernel, first!, { kind: 'rejected', works: works.slice(0, 2), permanent: false, error })
    assert.deepEqual(kernel.of('exhaust', now), [])
    const [second] = transactions(kernel, kernel.wait(50))
    assert.deepEqual(published(second!), [0, 1, 2])
    const ever = end(kernel, second!, { kind: 'rejected', works: works.slice(0, 2), permanent: true, error })
    const [exhaust] = kernel.of('exhaust', ever)
    assert.deepEqual(offsets(exhaust!.records.map(({ work }) => work)), [0, 1])
    assert.deepEqual(published(transactions(kernel, ever)[0]!), [2])
  })

  test('X5 · with a full map outputs are withheld and the partition pauses; the blocking record lets them out', () => {
    const kernel = new TestKernel({
      ...options,
      commit: { everyMs: 100, mapMaxChars: 100 },
      limits: { records: 2_000 },
      concurrency: { min: 2_000, max: 2_000 },
    })
    const epoch = kernel.open()
    const started = kernel.poll(epoch, range(0, 1_500))
    const random = randomStream(1, 'ragged')
    const ragged = started.filter(({ offset }) => offset > 0 && random() < 0.5)
    const running: Of<'transact'>[] = transactions(kernel, [...finish(kernel, ragged), ...kernel.wait(100)])
    let out = 0
    for (let at = 0; at < running.length; at++) {
      const each = running[at]!
      assert.ok(each.entries[0]!.metadata.length <= 100)
      out += each.publications.length
      running.push(...transactions(kernel, [...end(kernel, each, { kind: 'committed' }), ...kernel.wait(100)]))
    }
    assert.ok(out < ragged.length, `${out} of ${ragged.length} went out`)
    assert.deepEqual([...kernel.state.leases.get(epoch)!.pauses], ['map-full'])
    // Everything else finishes: the map is not needed any more and all outputs go out, each once.
    const others = [...kernel.commands].flatMap((command) => works([command]))
    const rest = new Map(others.map((work) => [work.offset, work]))
    for (const { offset } of ragged) rest.delete(offset)
    const more = transactions(kernel, [...finish(kernel, [...rest.values()]), ...kernel.wait(100)])
    for (let at = 0; at < more.length; at++) {
      out += more[at]!.publications.length
      more.push(...transactions(kernel, [...end(kernel, more[at]!, { kind: 'committed' }), ...kernel.wait(100)]))
    }
    assert.equal(out, ragged.length + rest.size)
    assert.equal(kernel.state.leases.get(epoch)!.pauses.size, 0)
    assert.equal(kernel.state.totals.truncated, 0)
  })

  test('X2 R2 · output in input order: only what nothing holds back joins', () => {
    const kernel = new TestKernel({ ...options, output: 'input' })
    const [a, b, c] = kernel.poll(kernel.open(), range(0, 4))
    finish(kernel, [c!, a!])
    const [first] = transactions(kernel, kernel.wait(100))
    assert.deepEqual(published(first!), [0])
    finish(kernel, [b!])
    end(kernel, first!, { kind: 'committed' })
    assert.deepEqual(published(transactions(kernel, kernel.wait(200))[0]!), [1, 2])
  })

  test('P5 X2 · revoked: drain, commit the transaction, let go', () => {
    const kernel = new TestKernel(options)
    const [a, b] = kernel.poll(kernel.open(), range(0, 3))
    finish(kernel, [a!])
    kernel.step({ kind: 'revoked', revocation: 1, partitions })
    finish(kernel, [b!])
    const [last] = transactions(kernel, kernel.wait(500))
    assert.deepEqual(published(last!), [0, 1])
    assert.equal(kernel.of('released').length, 0)
    end(kernel, last!, { kind: 'committed' })
    assert.equal(kernel.of('released').length, 1)
    assert.equal(kernel.state.records, 0)
  })
})
