/** What the consumer's client writes: publications and transactions, on the simulated cluster. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { entry, publication, SimBench } from './sim-bench.ts'

describe('X2 · one transaction', () => {
  test('outputs and positions, one after the other', async () => {
    const bench = new SimBench(1, { markerDelayMs: () => 30 })
    const { transactions } = bench.writer('a')
    for (let round = 1; round <= 5; round++) {
      const outcome = await bench.during(
        transactions.transact(
          [entry(0, round), entry(1, round)],
          [publication(`a/${round}`, `b/${round}`), publication(`c/${round}`)],
        ),
      )
      assert.equal(outcome.kind, 'committed')
    }
    await bench.run(100)
    assert.equal(bench.values().length, 15)
    assert.equal(new Set(bench.values()).size, 15)
    assert.deepEqual([bench.committed(0), bench.committed(1)], [5, 5])
  })

  test('only outputs, only positions, nothing at all', async () => {
    const bench = new SimBench()
    const { transactions } = bench.writer('a')
    assert.equal((await bench.during(transactions.transact([], [publication('x')]))).kind, 'committed')
    assert.equal((await bench.during(transactions.transact([entry(0, 1)], []))).kind, 'committed')
    assert.equal((await bench.during(transactions.transact([], []))).kind, 'committed')
    assert.deepEqual(bench.values(), ['x'])
    assert.equal(bench.committed(0), 1)
  })

  test('several batches of a partition, in order', async () => {
    const bench = new SimBench()
    const { transactions } = bench.writer('a', {}, { batchBytes: 200 })
    const sends = Array.from({ length: 40 }, (_, n) => `k/${n}`)
    assert.equal((await bench.during(transactions.transact([], [publication(...sends)]))).kind, 'committed')
    assert.deepEqual(bench.values(), sends)
  })

  const silences = [
    ['AddPartitionsToTxn', 'lose-request'],
    ['AddPartitionsToTxn', 'lose-answer'],
    ['Produce', 'lose-request'],
    ['Produce', 'lose-answer'],
    ['AddOffsetsToTxn', 'lose-answer'],
    ['TxnOffsetCommit', 'lose-request'],
    ['TxnOffsetCommit', 'lose-answer'],
    ['EndTxn', 'lose-request'],
    ['EndTxn', 'lose-answer'],
    ['EndTxn', { lateMs: 5_000 }],
    ['TxnOffsetCommit', { lateMs: 5_000 }],
    ['Produce', { lateMs: 5_000 }],
  ] as const
  for (const [kind, fate] of silences) {
    test(`X4 · ${kind} ${JSON.stringify(fate)}: unknown, spent until it is renewed, in the end exactly once`, async () => {
      const bench = new SimBench()
      const { transactions } = bench.writer('a')
      bench.strike(kind, fate)
      const first = await bench.during(transactions.transact([entry(0, 1)], [publication('x')]))
      assert.equal(first.kind, 'unknown')
      assert.equal((await bench.during(transactions.transact([entry(0, 1)], [publication('x')]))).kind, 'unknown')
      await bench.during(transactions.reset())
      // What the control plane does: look where the group stands, and do what is missing.
      const isIn = bench.committed(0) === 1
      assert.equal(isIn, bench.values().includes('x'))
      if (!isIn) {
        const again = await bench.during(transactions.transact([entry(0, 1)], [publication('x')]))
        assert.equal(again.kind, 'committed')
      }
      await bench.run(60_000)
      assert.equal((await bench.during(transactions.transact([entry(0, 2)], [publication('y')]))).kind, 'committed')
      assert.deepEqual(bench.values().toSorted(), ['x', 'y'])
      assert.equal(bench.committed(0), 2)
    })
  }

  test('the coordinator moves: what was certainly not done is done there', async () => {
    const bench = new SimBench()
    const { transactions } = bench.writer('a')
    await bench.during(transactions.transact([entry(0, 1)], [publication('x')]))
    bench.cluster.moveCoordinator(bench.clock.now(), 'transaction', 200)
    assert.equal((await bench.during(transactions.transact([entry(0, 2)], [publication('y')]))).kind, 'committed')
    bench.cluster.moveCoordinator(bench.clock.now(), 'group', 200)
    assert.equal((await bench.during(transactions.transact([entry(0, 3)], [publication('z')]))).kind, 'committed')
    assert.deepEqual(bench.values().toSorted(), ['x', 'y', 'z'])
  })

  test('I10 · metadata over the limit is told, and nothing is in', async () => {
    const bench = new SimBench(1, { metadataMaxChars: 3 })
    const { transactions } = bench.writer('a')
    const outcome = await bench.during(transactions.transact([entry(0, 1, 'long')], [publication('x')]))
    assert.equal(outcome.kind, 'too-large')
    assert.equal(
      (await bench.during(transactions.transact([entry(0, 1, 'fit')], [publication('y')]))).kind,
      'committed',
    )
    assert.deepEqual(bench.values(), ['y'])
  })

  test('one output that is too large is found among the others, and nothing is in', async () => {
    const bench = new SimBench(1, { batchBytesMax: 1_000 })
    const { transactions } = bench.writer('a')
    const guilty = publication(`k/${'x'.repeat(2_000)}`)
    const publications = [publication('k/1'), publication('k/2'), guilty, publication('k/3')]
    const outcome = await bench.during(transactions.transact([entry(0, 4)], publications))
    assert.equal(outcome.kind, 'rejected')
    assert.equal(outcome.kind === 'rejected' && outcome.works[0], guilty.work)
    const others = publications.filter((each) => each !== guilty)
    assert.equal((await bench.during(transactions.transact([entry(0, 4)], others))).kind, 'committed')
    assert.deepEqual(bench.values(), ['k/1', 'k/2', 'k/3'])
  })

  test('X2 · an output to a topic that does not exist fails its record and nobody else', async () => {
    const bench = new SimBench()
    const { transactions } = bench.writer('a')
    const wrong = publication('x')
    const sends = wrong.sends.map((send) => ({ ...send, topic: 'nowhere' }))
    const lost = { ...wrong, sends }
    const outcome = await bench.during(transactions.transact([entry(0, 1)], [publication('y'), lost]))
    assert.deepEqual(outcome.kind === 'rejected' && [outcome.works, outcome.permanent], [[lost.work], true])
    assert.equal(bench.committed(0), -1)
  })

  test('X3 · a lease that has ended takes nothing with it, not even in the middle', async () => {
    const bench = new SimBench()
    const writer = bench.writer('a')
    writer.ended.add(1)
    assert.equal((await bench.during(writer.transactions.transact([entry(0, 1)], [publication('x')]))).kind, 'aborted')
    writer.ended.clear()
    bench.fate = ({ kind }) => {
      if (kind === 'AddOffsetsToTxn') writer.ended.add(1)
      return 'deliver'
    }
    assert.equal((await bench.during(writer.transactions.transact([entry(0, 1)], [publication('x')]))).kind, 'aborted')
    assert.deepEqual(bench.values(), [])
    assert.equal(bench.committed(0), -1)
  })

  for (const isGenerated of [true, false]) {
    test(`X3 · somebody takes the id: a ${isGenerated ? 'generated one is renewed' : 'user’s is given up'}`, async () => {
      const bench = new SimBench()
      const options = { transactionalId: 'same', transactionalIdIsGenerated: isGenerated }
      const a = bench.writer('a', options)
      const b = bench.writer('b', options)
      await bench.during(a.transactions.transact([entry(0, 1)], [publication('a')]))
      await bench.during(b.transactions.transact([entry(1, 1)], [publication('b')]))
      const outcome = await bench.during(a.transactions.transact([entry(0, 2)], [publication('zombie')]))
      assert.equal(outcome.kind, isGenerated ? 'unknown' : 'fenced')
      assert.deepEqual(bench.values().toSorted(), ['a', 'b'])
    })
  }

  test('X3 · fenced between adding and writing: the coordinator says by whom', async () => {
    const bench = new SimBench()
    const options = { transactionalId: 'same', transactionalIdIsGenerated: false }
    const a = bench.writer('a', options)
    const b = bench.writer('b', options)
    await bench.during(a.transactions.transact([], [publication('a')]))
    let isFrozen = false
    bench.fate = ({ kind }, sender) => {
      if (kind !== 'Produce' || sender !== 'a' || isFrozen) return 'deliver'
      isFrozen = true
      return { lateMs: 1_000 }
    }
    const zombie = a.transactions.transact([entry(0, 2)], [publication('zombie')])
    await bench.run(100)
    await bench.during(b.transactions.transact([], [publication('b')]))
    assert.equal((await bench.during(zombie)).kind, 'fenced')
    assert.deepEqual(bench.values().toSorted(), ['a', 'b'])
  })

  test('closed: unknown, at once', async () => {
    const bench = new SimBench()
    const { transactions, wire } = bench.writer('a')
    await bench.during(transactions.transact([entry(0, 1)], [publication('x')]))
    wire.close()
    assert.equal((await bench.during(transactions.transact([entry(0, 2)], [publication('y')]))).kind, 'unknown')
  })

  for (let seed = 1; seed <= 40; seed++) {
    test(`I9 · exactly once over a bad network (seed ${seed})`, async () => {
      const bench = new SimBench(seed, { markerDelayMs: () => 20 })
      const chance = bench.clock.stream('faults')
      bench.fate = () => {
        const draw = chance()
        if (draw < 0.08) return draw < 0.04 ? 'lose-request' : 'lose-answer'
        return draw < 0.12 ? { lateMs: chance() * 8_000 } : 'deliver'
      }
      const { transactions } = bench.writer('a', {}, { batchBytes: 150 })
      for (let next = 0; next < 20; ) {
        const outputs = Array.from({ length: 1 + (next % 4) }, (_, n) => `${next}/${n}`)
        const outcome = await bench.during(transactions.transact([entry(0, next + 1)], [publication(...outputs)]))
        if (outcome.kind === 'unknown') await bench.during(transactions.reset())
        // Markers take a moment; a reader would wait for them.
        await bench.run(100)
        next = Math.max(0, bench.committed(0))
        if (outcome.kind === 'committed') assert.ok(next > 0)
      }
      bench.fate = () => 'deliver'
      await bench.run(60_000)
      const wanted = Array.from({ length: 20 }, (_, next) =>
        Array.from({ length: 1 + (next % 4) }, (_, n) => `${next}/${n}`),
      ).flat()
      assert.deepEqual(bench.values().toSorted(), wanted.toSorted())
    })
  }
})

describe('publishing', () => {
  for (let seed = 1; seed <= 40; seed++) {
    test(`in order per key, nothing missing, nothing twice (seed ${seed})`, async () => {
      const bench = new SimBench(seed)
      const chance = bench.clock.stream('faults')
      bench.fate = () => {
        const draw = chance()
        if (draw < 0.1) return draw < 0.05 ? 'lose-request' : 'lose-answer'
        return draw < 0.15 ? { lateMs: chance() * 6_000 } : 'deliver'
      }
      const { publisher } = bench.writer('a', {}, { batchBytes: 150 })
      const all: ReturnType<typeof publisher.publish>[] = []
      for (let n = 0; n < 80; n++) {
        all.push(publisher.publish([publication(`${n % 7}/${n}`)]))
        await bench.run(chance() * 200)
      }
      const results = (await bench.during(Promise.all(all))).flat()
      assert.ok(results.every(({ ok }) => ok))
      assert.equal(bench.values().length, 80)
      for (let key = 0; key < 7; key++) {
        const numbers = bench
          .values()
          .filter((value) => value.startsWith(`${key}/`))
          .map((value) => Number(value.split('/')[1]))
        assert.deepEqual(
          numbers,
          numbers.toSorted((a, b) => a - b),
        )
      }
    })
  }

  test('a record that is too large is a permanent failure of its own publication', async () => {
    const bench = new SimBench(1, { batchBytesMax: 1_000 })
    const { publisher } = bench.writer('a')
    const large = publication(`k/${'x'.repeat(2_000)}`)
    const [first, second, third] = await bench.during(
      publisher.publish([publication('k/1'), large, publication('k/2')]),
    )
    assert.equal(first?.ok, true)
    assert.equal(third?.ok, true)
    assert.equal(second?.ok, false)
    assert.equal(second?.permanent, true)
    assert.equal(second?.work, large.work)
    assert.deepEqual(bench.values(), ['k/1', 'k/2'])
  })

  test('a topic that does not exist is a passing failure, and nothing of the publication is written', async () => {
    const bench = new SimBench()
    const { publisher } = bench.writer('a')
    const { work, sends } = publication('x', 'y')
    const [result] = await bench.during(
      publisher.publish([{ work, sends: sends.map((send, n) => (n === 1 ? { ...send, topic: 'nowhere' } : send)) }]),
    )
    assert.equal(result?.ok, false)
    assert.equal(result?.permanent, false)
    assert.deepEqual(bench.values(), [])
  })

  test('closed: not acknowledged, not permanent', async () => {
    const bench = new SimBench()
    const { publisher, wire } = bench.writer('a')
    bench.fate = ({ kind }) => (kind === 'Produce' ? 'lose-request' : 'deliver')
    const published = publisher.publish([publication('x')])
    await bench.run(100)
    wire.close()
    publisher.close()
    const [result] = await bench.during(published)
    assert.equal(result?.ok, false)
    assert.equal(result?.permanent, false)
  })

  test('a publication without records is acknowledged at once', async () => {
    const bench = new SimBench()
    const { publisher } = bench.writer('a')
    assert.equal((await bench.during(publisher.publish([publication()])))[0]?.ok, true)
  })

  test('the log is cut under us: unacknowledged records are written again under a new name', async () => {
    const bench = new SimBench()
    const { publisher } = bench.writer('a')
    await bench.during(publisher.publish([publication('k/1')]))
    await bench.during(publisher.publish([publication('k/2')]))
    const partition = bench.cluster.readCommitted('out', 0).length > 0 ? 0 : 1
    bench.cluster.truncate('out', partition, 0)
    const results = await bench.during(publisher.publish([publication('k/3')]))
    assert.equal(results[0]?.ok, true)
    assert.deepEqual(bench.values(), ['k/3'])
  })
})
