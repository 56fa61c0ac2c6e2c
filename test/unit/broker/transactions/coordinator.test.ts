/** The transaction coordinator, case by case: the flow that raises epochs, used-up epochs, failures, expiry, lists. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offsetsTopic } from '../../../../src/broker/topics/names.ts'
import { decodeKey, encodeTransaction } from '../../../../src/broker/transactions/state-record.ts'
import { created, type Transaction } from '../../../../src/broker/transactions/transaction.ts'
import { errorName } from '../../../../src/protocol/errors.ts'
import { World } from './world.ts'

const fresh = { version: 5, transactionalId: 't', transactionTimeoutMs: 60_000, producerId: -1, producerEpoch: -1 }
const out = (partition = 0) => ({ topic: 'out', partition })

interface Id {
  readonly producerId: number
  readonly producerEpoch: number
}

/** The coordinator with names instead of numbers. */
class Teller {
  readonly world: World

  constructor(world: World = new World({ out: 2 })) {
    this.world = world
  }

  async init(fields: Partial<typeof fresh> = {}): Promise<Id> {
    const { error, producerId, producerEpoch } = await this.world.coordinator.initProducerId({ ...fresh, ...fields })
    assert.equal(errorName(error), 'NONE')
    return { producerId, producerEpoch }
  }

  async initError(fields: Partial<Parameters<World['coordinator']['initProducerId']>[0]>): Promise<string> {
    const { error, ...id } = await this.world.coordinator.initProducerId({ ...fresh, ...fields })
    if (error !== 0) assert.deepEqual(id, { producerId: -1, producerEpoch: -1 })
    return errorName(error)
  }

  async add(id: Id, version = 3, partitions = [out()]): Promise<string> {
    const request = { version, verifyOnly: false, transactionalId: 't', ...id, partitions }
    return errorName((await this.world.coordinator.addPartitions(request))[0] ?? -2)
  }

  async end(id: Id, committed: boolean, version = 5): Promise<[string, number, number]> {
    const request = { version, transactionalId: 't', ...id, committed }
    const { error, producerId, producerEpoch } = await this.world.coordinator.endTxn(request)
    await this.world.settle()
    return [errorName(error), producerId, producerEpoch]
  }

  write(id: Id, version = 12, partition = 0): string {
    const batch = { producerId: id.producerId, epoch: id.producerEpoch, sequence: 0, transactional: true }
    const { verdict } = this.world.produce(version, 't', 'out', partition, batch)
    return verdict.kind === 'refused' ? errorName(verdict.error) : verdict.kind
  }

  get state(): string {
    const found = this.world.coordinator.describeTransaction('t')
    return 'state' in found ? found.state : errorName(found.error)
  }
}

/** A coordinator that finds this in its log. */
function after(fields: Partial<Transaction>): Teller {
  const transaction = { ...created('t', 7, 1_000_000), producerEpoch: 0, timeoutMs: 60_000, ...fields }
  return new Teller(new World({ out: 2 }, {}, { state: [encodeTransaction(transaction)], partitions: new Map() }))
}

const next = ({ producerId, producerEpoch }: Id, raise = 1): Id => ({
  producerId,
  producerEpoch: producerEpoch + raise,
})

test('X3 · with EndTxn v5 every transaction has its own epoch; the request can be repeated', async () => {
  const teller = new Teller()
  const id = await teller.init()
  assert.equal(teller.write(id), 'append')
  assert.equal(teller.state, 'Ongoing')
  assert.deepEqual(await teller.end(id, true), ['NONE', id.producerId, 1])
  assert.equal(teller.state, 'CompleteCommit')
  assert.deepEqual(await teller.end(id, true), ['NONE', id.producerId, 1], 'the answer was lost')
  assert.equal(teller.write(id), 'INVALID_PRODUCER_EPOCH')
  assert.equal(teller.write(next(id)), 'append')
  assert.deepEqual(await teller.end(id, true), ['PRODUCER_FENCED', -1, -1], 'it cannot end the next one')
  assert.deepEqual(await teller.end(next(id), false), ['NONE', id.producerId, 2])
})

test('EndTxn v5 in every state, asked anew and asked again', async () => {
  const none = ['NONE', 'same'] as const
  const raised = ['NONE', 'raised'] as const
  const invalid = ['INVALID_TXN_STATE', 'none'] as const
  const fenced = ['PRODUCER_FENCED', 'none'] as const
  // state, commit anew, commit again, abort anew, abort again
  const table = [
    ['Empty', invalid, fenced, raised, fenced],
    ['CompleteCommit', invalid, none, raised, invalid],
    ['CompleteAbort', invalid, invalid, raised, none],
    ['Ongoing', raised, fenced, raised, fenced],
  ] as const
  for (const [state, ...expected] of table) {
    for (const [i, [error, epoch]] of expected.entries()) {
      const teller = after({ state, producerEpoch: 5, clientVersion: 2, startMs: 1_000_000 })
      const id = { producerId: 7, producerEpoch: i % 2 === 0 ? 5 : 4 }
      const answer = { same: 5, raised: 6, none: -1 }[epoch]
      const heard = await teller.end(id, i < 2)
      assert.deepEqual(heard, [error, answer < 0 ? -1 : 7, answer], `${state}, case ${i}`)
    }
  }
})

test('a stranger and a zombie cannot end a transaction', async () => {
  const teller = new Teller()
  const id = await teller.init()
  assert.deepEqual(await teller.end({ ...id, producerId: 55 }, true), ['INVALID_PRODUCER_ID_MAPPING', -1, -1])
  assert.deepEqual(await teller.end(next(id, 3), false), ['PRODUCER_FENCED', -1, -1])
  const unknown = { version: 5, transactionalId: 'x', ...id, committed: true }
  assert.equal(errorName((await teller.world.coordinator.endTxn(unknown)).error), 'INVALID_PRODUCER_ID_MAPPING')
})

test('X3 · the last epoch of a producer id leads to a new id, and the request can be repeated', async () => {
  const teller = after({ producerEpoch: 32_766 })
  const last = { producerId: 7, producerEpoch: 32_766 }
  assert.equal(teller.write(last), 'append')
  const [error, producerId, producerEpoch] = await teller.end(last, true)
  assert.deepEqual([error, producerId !== 7, producerEpoch], ['NONE', true, 0])
  assert.deepEqual(await teller.end(last, true), ['NONE', producerId, 0])
  assert.deepEqual(await teller.init({ ...last }), { producerId, producerEpoch: 0 }, 'or asked for this way')
  assert.equal(teller.write({ producerId, producerEpoch: 0 }), 'append')
})

test('a crash between the decision and the end does not forget the next producer id', async () => {
  const teller = after({ producerEpoch: 32_766 })
  const last = { producerId: 7, producerEpoch: 32_766 }
  teller.world.held.add('out')
  assert.equal(teller.write(last), 'append')
  const [, producerId, producerEpoch] = await teller.end(last, true)
  const kept = { state: teller.world.state.entries, partitions: new Map() }
  const restarted = new Teller(new World({ out: 2 }, {}, kept, 900))
  await restarted.world.settle()
  assert.deepEqual(await restarted.end(last, true), ['NONE', producerId, producerEpoch])
})

test('X3 · used-up epochs: a new instance, a raise, a time-out', async () => {
  const instance = await after({ producerEpoch: 32_766 }).init()
  assert.deepEqual([instance.producerId !== 7, instance.producerEpoch], [true, 0])
  const raising = after({ producerEpoch: 32_766 })
  const own = { producerId: 7, producerEpoch: 32_766 }
  const raised = await raising.init(own)
  assert.deepEqual([raised.producerId !== 7, raised.producerEpoch], [true, 0])
  assert.deepEqual(await raising.init(own), raised)
  const late = after({ producerEpoch: 32_766 })
  assert.equal(late.write(own), 'append')
  late.world.clock.advance(60_001)
  await late.world.settle()
  assert.equal(late.state, 'CompleteAbort')
  const heir = await late.init(own)
  assert.deepEqual([heir.producerId !== 7, heir.producerEpoch], [true, 0])
})

test('AddPartitionsToTxn v4 verifies or adds; older versions do not know PRODUCER_FENCED', async () => {
  const teller = new Teller()
  const id = await teller.init()
  const { coordinator } = teller.world
  const verify = { version: 4, verifyOnly: true, transactionalId: 't', ...id, partitions: [out(), out(1)] }
  assert.equal(await teller.add(id), 'NONE')
  assert.deepEqual((await coordinator.addPartitions(verify)).map(errorName), ['NONE', 'TRANSACTION_ABORTABLE'])
  const zombie = { ...verify, producerEpoch: 9 }
  assert.deepEqual((await coordinator.addPartitions(zombie)).map(errorName), ['PRODUCER_FENCED', 'PRODUCER_FENCED'])
  assert.equal(await teller.add(next(id), 1), 'INVALID_PRODUCER_EPOCH')
  assert.equal(await teller.add(next(id), 2), 'PRODUCER_FENCED')
  const offsets = { transactionalId: 't', ...next(id), groupId: 'g' }
  assert.equal(errorName(await coordinator.addOffsets({ version: 1, ...offsets })), 'INVALID_PRODUCER_EPOCH')
  assert.deepEqual(await teller.end(next(id), true, 1), ['INVALID_PRODUCER_EPOCH', -1, -1])
  assert.equal(await teller.initError({ ...next(id, 4), version: 3 }), 'CONCURRENT_TRANSACTIONS')
  await teller.world.settle()
  assert.equal(await teller.initError({ ...next(id, 4), version: 3 }), 'INVALID_PRODUCER_EPOCH')
  assert.equal(await teller.initError({ ...next(id, 4), version: 4 }), 'PRODUCER_FENCED')
})

test('what a write hears depends on the version of its request', async () => {
  const teller = new Teller()
  const id = await teller.init()
  const { coordinator } = teller.world
  const write = (version: number, of: Id = id, transactionalId: string | null = 't') =>
    errorName(coordinator.verifyPartition({ version, transactionalId, ...of, ...out() }))
  const offsets = (version: number) =>
    errorName(coordinator.verifyOffsets({ version, transactionalId: 't', ...id, groupId: 'g' }))
  assert.deepEqual([write(10), write(11)], ['INVALID_TXN_STATE', 'TRANSACTION_ABORTABLE'])
  assert.deepEqual([offsets(3), offsets(4)], ['INVALID_TXN_STATE', 'TRANSACTION_ABORTABLE'])
  assert.equal(write(12, next(id)), 'INVALID_PRODUCER_EPOCH')
  assert.equal(write(12, { ...id, producerId: 3 }), 'INVALID_PRODUCER_ID_MAPPING')
  assert.equal(write(12, id, null), 'INVALID_TXN_STATE')
  assert.equal(write(12, id, ''), 'INVALID_REQUEST')
  assert.deepEqual([write(12), write(11), offsets(5), offsets(4)], ['NONE', 'NONE', 'NONE', 'NONE'])
  const described = coordinator.describeTransaction('t')
  assert.deepEqual('topics' in described && [...described.topics.keys()], ['out', offsetsTopic])
  teller.world.held.add('out')
  await teller.end(id, true)
  assert.equal(teller.state, 'PrepareCommit')
  assert.deepEqual([write(12), write(11, next(id))], ['CONCURRENT_TRANSACTIONS', 'NOT_ENOUGH_REPLICAS'])
})

test('InitProducerId refuses what makes no sense', async () => {
  const teller = new Teller()
  assert.equal(await teller.initError({ transactionalId: '' }), 'INVALID_REQUEST')
  assert.equal(await teller.initError({ producerId: 4 }), 'INVALID_REQUEST')
  assert.equal(await teller.initError({ producerEpoch: 4 }), 'INVALID_REQUEST')
  assert.equal(await teller.initError({ transactionTimeoutMs: 900_001 }), 'INVALID_TRANSACTION_TIMEOUT')
  const [one, two] = [await teller.init({ transactionalId: 'a' }), await teller.init({ transactionalId: 'b' })]
  assert.notEqual(one.producerId, two.producerId)
})

test('two instances that begin at the same time get two epochs', async () => {
  const teller = new Teller()
  const ids = await Promise.all([teller.init(), teller.init(), teller.init()])
  assert.deepEqual(
    ids.map(({ producerEpoch }) => producerEpoch),
    [0, 1, 2],
  )
  assert.equal(new Set(ids.map(({ producerId }) => producerId)).size, 1)
})

test('nothing is answered before the log has been read, nor after the end', async () => {
  const { coordinator } = new World({})
  coordinator.close()
  assert.equal(errorName((await coordinator.initProducerId(fresh)).error), 'COORDINATOR_NOT_AVAILABLE')
  assert.equal(errorName(coordinator.listTransactions(everything).error), 'COORDINATOR_NOT_AVAILABLE')
})

test('L1 · "added" is said when it is durable, also to whoever asks a second time', async () => {
  const teller = new Teller()
  const id = await teller.init()
  teller.world.autoSync = false
  const answers: string[] = []
  void teller.add(id).then((answer) => answers.push(answer))
  void teller.add(id).then((answer) => answers.push(answer))
  await teller.world.settle()
  assert.deepEqual(answers, [])
  teller.world.syncAll()
  await teller.world.settle()
  assert.deepEqual(answers, ['NONE', 'NONE'])
})

test('EndTxn waits for the markers, but not for ever', async () => {
  const teller = new Teller(new World({ out: 2 }, { endWaitMaxMs: 100 }))
  const id = await teller.init()
  teller.write(id)
  await teller.end(id, true)
  assert.equal(teller.state, 'CompleteCommit')
  teller.world.held.add('out')
  teller.write(next(id))
  let heard: unknown
  void teller.end(next(id), true).then((answer) => {
    heard = answer
  })
  await teller.world.settle()
  assert.equal(heard, undefined)
  teller.world.clock.advance(100)
  await teller.world.settle()
  await teller.world.settle()
  assert.deepEqual(heard, ['NONE', id.producerId, 2])
  assert.equal(teller.state, 'PrepareCommit')
})

test('L1 · a decision that cannot be written has no marker; it is written as soon as the log can', async () => {
  const teller = new Teller()
  const id = await teller.init()
  teller.write(id)
  await teller.world.settle()
  teller.world.failAppends = 2
  assert.deepEqual(await teller.end(id, true), ['COORDINATOR_NOT_AVAILABLE', -1, -1])
  assert.equal(teller.world.partition('out', 0).file.entries.length, 1)
  teller.world.clock.advance(500)
  await teller.world.settle()
  assert.equal(teller.state, 'PrepareCommit')
  teller.world.clock.advance(500)
  await teller.world.settle()
  assert.equal(teller.state, 'CompleteCommit')
  assert.deepEqual(await teller.end(id, true), ['NONE', id.producerId, 1])
  assert.deepEqual(
    teller.world.partition('out', 0).file.entries.map(({ note }) => note),
    ['', 'commit'],
  )
})

test('a marker that fails is tried again; a partition that was deleted needs none', async () => {
  const teller = new Teller()
  const id = await teller.init()
  teller.write(id)
  teller.write(id, 12, 1)
  await teller.world.settle()
  teller.world.failMarkers = 2
  await teller.end(id, false)
  assert.equal(teller.state, 'PrepareAbort')
  teller.world.partitions.delete('out/1')
  teller.world.clock.advance(500)
  await teller.world.settle()
  assert.equal(teller.state, 'CompleteAbort')
})

test('a transaction that was open at the restart still times out', async () => {
  const teller = new Teller()
  const id = await teller.init()
  await teller.add(id)
  teller.write(id, 11)
  await teller.world.settle()
  const partitions = new Map([...teller.world.partitions].map(([name, { file }]) => [name, file.entries]))
  const restarted = new Teller(new World({ out: 2 }, {}, { state: teller.world.state.entries, partitions }))
  restarted.world.clock.advance(60_000)
  await restarted.world.settle()
  assert.equal(restarted.state, 'Ongoing')
  restarted.world.clock.advance(1)
  await restarted.world.settle()
  assert.equal(restarted.state, 'CompleteAbort')
  assert.deepEqual(await restarted.init({ ...id }), next(id), 'who held the epoch may follow')
})

test('a transaction that nobody knows is aborted at the start', async () => {
  const lost = new Teller()
  lost.write(await lost.init())
  await lost.world.settle()
  const partitions = new Map([...lost.world.partitions].map(([name, { file }]) => [name, file.entries]))
  const world = new World({ out: 2 }, {}, { state: [], partitions })
  await world.settle()
  assert.deepEqual(
    world.partition('out', 0).file.entries.map(({ note }) => note),
    ['', 'abort'],
  )
  assert.deepEqual(world.open(), [])
})

test('an id that nobody used for a week is forgotten, an open transaction is not', async () => {
  const world = new World({ out: 1 }, { idExpirationMs: 5_000, expiryIntervalMs: 1_000 })
  const teller = new Teller(world)
  await teller.init({ transactionalId: 'idle' })
  const id = await teller.init({ transactionTimeoutMs: 900_000 })
  assert.equal(await teller.add(id), 'NONE')
  world.clock.advance(5_000)
  await world.settle()
  assert.deepEqual(
    world.coordinator.listTransactions(everything).transactions.map((t) => t.transactionalId),
    ['t'],
  )
  const { key, value } = world.state.entries.at(-1)!
  assert.deepEqual([decodeKey(key), value], ['idle', null])
  const restarted = new World({ out: 1 }, {}, { state: world.state.entries, partitions: new Map() })
  assert.deepEqual(restarted.coordinator.describeTransaction('idle'), { error: 105 })
  const again = await teller.init({ transactionalId: 'idle' })
  assert.deepEqual([again.producerId !== id.producerId, again.producerEpoch], [true, 0])
})

const everything = { states: [], producerIds: [], durationMs: -1, pattern: null }

test('transactions are listed by state, producer, age and pattern', async () => {
  const teller = new Teller()
  const { coordinator, clock } = teller.world
  const id = await teller.init()
  await teller.add(id)
  const other = await teller.init({ transactionalId: 'other-1' })
  const list = (filters: Partial<typeof everything> | object) => {
    const { error, unknownStates, transactions } = coordinator.listTransactions({ ...everything, ...filters })
    return [errorName(error), [...unknownStates], transactions.map((t) => t.transactionalId)]
  }
  clock.advance(1_000)
  assert.deepEqual(list({}), ['NONE', [], ['t', 'other-1']])
  assert.deepEqual(list({ states: ['Ongoing'] }), ['NONE', [], ['t']])
  assert.deepEqual(list({ states: ['Dead', 'Nonsense'] }), ['NONE', ['Nonsense'], []])
  assert.deepEqual(list({ producerIds: [other.producerId] }), ['NONE', [], ['other-1']])
  assert.deepEqual(list({ durationMs: 1_000 }), ['NONE', [], ['other-1']], 'what has not begun is old, as in Kafka')
  assert.deepEqual(list({ durationMs: 999 }), ['NONE', [], ['t', 'other-1']])
  assert.deepEqual(list({ pattern: 'other-.' }), ['NONE', [], ['other-1']])
  assert.deepEqual(list({ pattern: 'other' }), ['NONE', [], []], 'the whole id must match')
  assert.deepEqual(list({ pattern: '' }), ['NONE', [], ['t', 'other-1']])
  assert.deepEqual(list({ pattern: '(' }), ['INVALID_REGULAR_EXPRESSION', [], []])
  assert.deepEqual(coordinator.describeTransaction('t'), {
    error: 0,
    state: 'Ongoing',
    timeoutMs: 60_000,
    startMs: clock.now() - 1_000,
    ...id,
    topics: new Map([['out', [0]]]),
  })
  assert.equal(errorName(coordinator.describeTransaction('x').error), 'TRANSACTIONAL_ID_NOT_FOUND')
  assert.equal(errorName(coordinator.describeTransaction('').error), 'INVALID_REQUEST')
})

test('a transaction begins with its first partition, and ends when it began', async () => {
  const teller = new Teller()
  const id = await teller.init()
  const { clock, coordinator } = teller.world
  const startOf = () => {
    const found = coordinator.describeTransaction('t')
    return 'startMs' in found ? found.startMs : undefined
  }
  assert.equal(startOf(), -1)
  await teller.add(id)
  const begun = clock.now()
  clock.advance(500)
  await teller.add(id, 3, [out(1)])
  assert.equal(startOf(), begun)
  await teller.end(id, true)
  assert.equal(startOf(), begun)
})

test('X3 · who was fenced by a time-out before a restart may still follow the raised epoch', async () => {
  const teller = new Teller()
  const id = await teller.init()
  teller.write(id)
  teller.world.clock.advance(60_001)
  await teller.world.settle()
  const restarted = new Teller(new World({ out: 2 }, {}, { state: teller.world.state.entries, partitions: new Map() }))
  assert.deepEqual(await restarted.init({ ...id }), next(id))
  assert.equal(await restarted.initError({ ...next(id, -1) }), 'INVALID_REQUEST')
})
