import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Request } from '../../../../../src/testing/sim/cluster/requests.ts'
import { entry, publication, Script } from './script.ts'
import { TxnConsumer } from './txn-consumer.ts'
import { outputs, World } from './world.ts'

const partitions = [0, 1, 2, 3]

function committed(world: World): number {
  return partitions.reduce((sum, partition) => sum + Math.max(0, world.committed(partition)), 0)
}

/** The first request of this kind meets this fate. */
function strike(world: World, kind: Request['kind'], fate: 'lose-request' | 'lose-answer'): void {
  world.fate = (request) => {
    if (request.kind !== kind) return 'deliver'
    world.fate = () => 'deliver'
    return fate
  }
}

describe('transactions on the simulated cluster', () => {
  test('outputs and positions, transaction after transaction', async () => {
    const world = new World(1, { markerDelayMs: () => 30 })
    const consumer = new TxnConsumer(world, 'a', {})
    for (const round of '12345') {
      for (const partition of partitions) world.append('in', partition, `v${partition}${round}`)
      await world.run(1_000)
    }
    assert.deepEqual(new Set(consumer.outcomes), new Set(['committed']))
    assert.equal(outputs(world).length, 20)
    assert.equal(new Set(outputs(world)).size, 20)
    assert.equal(committed(world), 20)
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
  ] as const
  for (const [kind, fate] of silences) {
    test(`${kind}, ${fate}: unknown, and in the end exactly once`, async () => {
      const world = new World()
      const consumer = new TxnConsumer(world, 'a', {})
      await world.until('assigned', () => consumer.owned === '0123')
      strike(world, kind, fate)
      world.append('in', 0, 'x', 'y')
      await world.until('committed', () => committed(world) === 2)
      await world.run(30_000)
      assert.equal(consumer.outcomes[0], 'unknown')
      assert.deepEqual([...outputs(world)].sort(), ['x', 'y'])
      // If the end was applied, the positions say so and nothing runs again.
      assert.equal(consumer.outcomes.length, kind === 'EndTxn' && fate === 'lose-answer' ? 1 : 2)
    })
  }

  test('a new owner waits for the transaction of the one before it', async () => {
    const world = new World()
    const a = new TxnConsumer(world, 'a', { sessionTimeoutMs: 6_000 })
    await world.until('assigned', () => a.owned === '0123')
    world.cluster.holdMarkers('group')
    world.append('in', 0, 'x')
    await world.until('decided', () => a.outcomes.length === 1)
    a.process.kill()
    const b = new TxnConsumer(world, 'b', { sessionTimeoutMs: 6_000 })
    await world.until('b has it', () => b.owned === '0123')
    await world.run(20_000)
    assert.equal(b.held.get(0)?.position, null)
    world.cluster.releaseMarkers(world.clock.now())
    await world.until('b reads on', () => b.held.get(0)?.position === 1)
    await world.run(5_000)
    assert.deepEqual(outputs(world), ['x'])
  })

  test('a zombie that wakes up in the middle of a transaction commits nothing', async () => {
    const world = new World()
    const options = { sessionTimeoutMs: 6_000, transactionTimeoutMs: 8_000 }
    const a = new TxnConsumer(world, 'a', options)
    await world.until('assigned', () => a.owned === '0123')
    world.append('in', 0, 'x')
    let isFrozen = false
    world.watch = ({ kind }, _answer, sender) => {
      if (kind !== 'Produce' || sender !== 'a' || isFrozen) return
      isFrozen = true
      a.process.freeze()
    }
    const b = new TxnConsumer(world, 'b', options)
    await world.until('b did it', () => b.outcomes.includes('committed'))
    a.process.thaw()
    await world.run(30_000)
    assert.equal(a.outcomes.includes('committed'), false)
    assert.deepEqual(outputs(world), ['x'])
  })

  test('the same id in two processes: a generated one fights on, one of the user stops', async () => {
    const world = new World()
    const options = { transactionalId: 'same', transactionalIdIsGenerated: false }
    const a = new TxnConsumer(world, 'a', options)
    await world.until('assigned', () => a.owned === '0123')
    const b = new TxnConsumer(world, 'b', options)
    await world.until('shared', () => b.owned.length === 2 && a.owned.length === 2)
    for (const partition of partitions) world.append('in', partition, `v${partition}`)
    await world.run(2_000)
    assert.equal(a.outcomes[0], 'fenced')
    assert.deepEqual(new Set(b.outcomes), new Set(['committed']))
  })

  test('metadata over the limit is told, and nothing is in', async () => {
    const world = new World(1, { metadataMaxChars: 3 })
    const consumer = new TxnConsumer(world, 'a', {})
    await world.until('assigned', () => consumer.owned === '0123')
    const { lease } = consumer.held.get(0)!
    await world.run(1_000)
    const entry = { ...lease, position: 0 as never, metadata: 'long', leaderEpoch: -1 }
    assert.equal((await world.during(consumer.client.transact([entry], []))).kind, 'too-large')
    const fits = { ...entry, metadata: 'fit' }
    assert.equal((await world.during(consumer.client.transact([fits], []))).kind, 'committed')
  })
})

describe('a transaction', () => {
  const start = async (options: { readonly transactionalIdIsGenerated?: boolean } = {}): Promise<Script> => {
    const script = new Script({ transactionalId: 't', ...options })
    await script.start()
    return script
  }
  const transact = (script: Script): ReturnType<Script['client']['transact']> =>
    script.during(script.client.transact([entry(0, 5)], [publication(3, 'a', 'b'), publication(4, 'c')]))
  const ends = (script: Script): string =>
    script.sent.flatMap((request) => (request.kind === 'EndTxn' ? [request.committed ? 'commit' : 'abort'] : [])).join()

  test('goes its way: add, produce, add the group, offsets, end', async () => {
    const script = await start()
    const before = script.sent.length
    assert.deepEqual(await transact(script), { kind: 'committed' })
    const kinds = script.sent.slice(before).map(({ kind }) => kind)
    const steps = ['AddPartitionsToTxn', 'Produce', 'AddOffsetsToTxn', 'TxnOffsetCommit', 'EndTxn']
    assert.deepEqual(kinds.filter((kind) => steps.includes(kind)), steps) // biome-ignore format: one fact
    assert.equal(script.last('TxnOffsetCommit').generationId, 1)
    assert.equal(script.last('Produce').partitions[0]?.baseSequence, 0)
    await transact(script)
    assert.equal(script.last('Produce').partitions[0]?.baseSequence, 3)
    assert.equal(script.count('InitProducerId'), 1)
  })

  const outcomes = [
    ['AddPartitionsToTxn', 'TRANSACTION_ABORTABLE', 'aborted', ''],
    ['AddPartitionsToTxn', 'PRODUCER_FENCED', 'unknown', ''],
    ['AddPartitionsToTxn', 'silence', 'unknown', ''],
    ['Produce', 'TRANSACTION_ABORTABLE', 'aborted', 'abort'],
    ['Produce', 'INVALID_PRODUCER_EPOCH', 'unknown', ''],
    ['Produce', 'OUT_OF_ORDER_SEQUENCE_NUMBER', 'unknown', ''],
    ['Produce', 'silence', 'unknown', ''],
    ['AddOffsetsToTxn', 'INVALID_TXN_STATE', 'unknown', ''],
    ['TxnOffsetCommit', 'ILLEGAL_GENERATION', 'aborted', 'abort'],
    ['TxnOffsetCommit', 'UNKNOWN_MEMBER_ID', 'aborted', 'abort'],
    ['TxnOffsetCommit', 'REBALANCE_IN_PROGRESS', 'aborted', 'abort'],
    ['TxnOffsetCommit', 'OFFSET_METADATA_TOO_LARGE', 'too-large', 'abort'],
    ['TxnOffsetCommit', 'silence', 'unknown', ''],
    ['EndTxn', 'silence', 'unknown', 'commit'],
    ['EndTxn', 'INVALID_TXN_STATE', 'unknown', 'commit'],
    ['EndTxn', 'PRODUCER_FENCED', 'unknown', 'commit'],
    ['EndTxn', 'CONCURRENT_TRANSACTIONS', 'committed', 'commit,commit'],
    ['EndTxn', 'NOT_COORDINATOR', 'committed', 'commit,commit'],
  ] as const
  for (const [kind, answer, outcome, ended] of outcomes) {
    test(`${kind} answered with ${answer} is ${outcome}`, async () => {
      const script = await start()
      script.reply(kind, answer)
      assert.equal((await transact(script)).kind, outcome)
      assert.equal(ends(script), ended)
    })
  }

  test('an abort without an answer is unknown, and is not sent again', async () => {
    const script = await start()
    script.reply('TxnOffsetCommit', 'ILLEGAL_GENERATION')
    script.reply('EndTxn', 'silence')
    assert.equal((await transact(script)).kind, 'unknown')
    assert.equal(ends(script), 'abort')
  })

  for (const code of ['ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID'] as const) {
    test(`X3 · refused by the group with ${code}: aborted, and we know at once that we are out`, async () => {
      const script = await start()
      script.reply('TxnOffsetCommit', code)
      assert.equal((await transact(script)).kind, 'aborted')
      assert.deepEqual(script.told.slice(0, 2), ['assigned in-0,in-1', 'lost in-0,in-1'])
    })
  }

  test('an id of the user that is fenced stops it', async () => {
    const script = await start({ transactionalIdIsGenerated: false })
    script.reply('AddPartitionsToTxn', 'PRODUCER_FENCED')
    assert.equal((await transact(script)).kind, 'fenced')
  })

  test('after an unknown end nothing is written before the producer is reset', async () => {
    const script = await start()
    script.reply('EndTxn', 'silence')
    await transact(script)
    const sent = script.count('AddPartitionsToTxn')
    assert.equal((await transact(script)).kind, 'unknown')
    assert.equal(script.count('AddPartitionsToTxn'), sent)
    script.reply('InitProducerId', 'silence', 'CONCURRENT_TRANSACTIONS')
    await script.during(script.client.resetProducer())
    assert.equal(script.count('InitProducerId'), 4)
    assert.equal((await transact(script)).kind, 'committed')
    assert.equal(script.last('Produce').partitions[0]?.baseSequence, 0, 'a new producer counts from the start')
  })

  test('a lease that has ended sends nothing', async () => {
    const script = await start()
    script.client.rejoin()
    assert.equal((await transact(script)).kind, 'aborted')
    assert.equal(script.count('AddPartitionsToTxn') + script.count('AddOffsetsToTxn'), 0)
  })

  test('a lease that ends on the way aborts, although we are a member again', async () => {
    const script = await start()
    script.reply('AddOffsetsToTxn', () => {
      script.client.rejoin()
      return { kind: 'AddOffsetsToTxn', errorCode: 'CONCURRENT_TRANSACTIONS' }
    })
    script.reply('AddOffsetsToTxn', 'CONCURRENT_TRANSACTIONS', 'CONCURRENT_TRANSACTIONS', 'CONCURRENT_TRANSACTIONS')
    assert.equal((await transact(script)).kind, 'aborted')
    assert.equal(script.told.at(-1), 'assigned in-0,in-1')
    assert.equal(script.count('TxnOffsetCommit'), 0)
    assert.equal(ends(script), 'abort')
  })

  test('the record that can never be written is named', async () => {
    const script = await start()
    const tooLarge = 'MESSAGE_TOO_LARGE'
    // [a b c] → [a] fits, [b c] → [b] fits, [c] does not.
    script.reply('Produce', tooLarge, 'NONE', tooLarge, 'NONE', tooLarge)
    const outcome = await transact(script)
    assert.equal(outcome.kind, 'rejected')
    assert.equal(outcome.kind === 'rejected' && outcome.works[0]?.offset, 4)
    assert.equal(ends(script), 'abort')
    const sequences = script.sent.flatMap((each) => (each.kind === 'Produce' ? each.partitions[0]!.baseSequence : []))
    assert.deepEqual(sequences, [0, 0, 1, 1, 2])
  })

  test('too large only together is no reason to reject anything', async () => {
    const script = await start()
    script.reply('Produce', 'MESSAGE_TOO_LARGE')
    assert.equal((await transact(script)).kind, 'committed')
  })
})

describe('a bad network', () => {
  for (let seed = 1; seed <= 40; seed++) {
    test(`every input has exactly one committed output in the end (seed ${seed})`, async () => {
      const world = new World(seed, { markerDelayMs: () => (seed % 3) * 40 })
      const chance = world.clock.stream('faults')
      let isBad = true
      world.fate = () => {
        const draw = isBad ? chance() : 1
        if (draw < 0.015) return 'lose-request'
        if (draw < 0.03) return 'lose-answer'
        return draw < 0.04 ? { lateMs: chance() * 6_000 } : 'deliver'
      }
      const options = {
        rebalance: seed % 2 === 0 ? 'eager' : 'cooperative',
        ...{ sessionTimeoutMs: 6_000, rebalanceTimeoutMs: 8_000, requestTimeoutMs: 1_000, transactionTimeoutMs: 5_000 },
      } as const
      const all: TxnConsumer[] = []
      const start = (name: string): void => {
        all.push(new TxnConsumer(world, name, { ...options, transactionalId: `${name}-${all.length}` }))
      }
      start('a')
      start('b')
      for (let round = 0; round < 20; round++) {
        world.append('in', Math.floor(chance() * 4), `r${round}`, `s${round}`)
        await world.run(chance() * 3_000)
        if (chance() < 0.15)
          world.cluster.moveCoordinator(world.clock.now(), chance() < 0.5 ? 'group' : 'transaction', 200)
        if (chance() > 0.3) continue
        const victim = all.at(-1)!
        const { name } = victim.process
        if (chance() < 0.5) {
          victim.process.kill()
          world.clock.at(world.clock.now() + chance() * 5_000, () => start(name))
        } else {
          victim.process.freeze()
          world.clock.at(world.clock.now() + 4_000 + chance() * 10_000, () => victim.process.thaw())
        }
      }
      isBad = false
      await world.until('all committed', () => committed(world) >= 40, 60_000)
      await world.run(10_000)
      assert.equal(outputs(world).length, 40)
      assert.equal(new Set(outputs(world)).size, 40)
      const failures = all.flatMap(({ told }) => told.filter((line) => line.startsWith('failed')))
      assert.deepEqual(failures, [])
    })
  }
})
