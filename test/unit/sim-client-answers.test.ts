import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { entry, joinedIn, lease, publication, Script } from './sim-client-script.ts'

describe('a commit', () => {
  const outcomes = [
    ['NONE', 'ok'],
    ['OFFSET_METADATA_TOO_LARGE', 'too-large'],
    ['REBALANCE_IN_PROGRESS', 'refused'],
    ['COORDINATOR_LOAD_IN_PROGRESS', 'refused'],
    ['NOT_COORDINATOR', 'refused'],
    ['ILLEGAL_GENERATION', 'fenced'],
    ['UNKNOWN_MEMBER_ID', 'fenced'],
    ['FENCED_INSTANCE_ID', 'fenced'],
    ['silence', 'unknown'],
  ] as const
  for (const [answer, outcome] of outcomes) {
    test(`answered with ${answer} is ${outcome}`, async () => {
      const script = new Script()
      await script.start()
      script.reply('OffsetCommit', answer)
      assert.deepEqual(await script.during(script.client.commit([entry(0, 5), entry(1, 6)])), [outcome, outcome])
    })
  }

  test('carries position, map and leader epoch under the present member and generation', async () => {
    const script = new Script()
    await script.start()
    await script.during(script.client.commit([entry(1, 42)]))
    const { memberId, generationId, partitions } = script.last('OffsetCommit')
    assert.match(memberId, /^m\d+$/)
    assert.equal(generationId, 1)
    const stored = { committedOffset: 42, committedLeaderEpoch: 0, committedMetadata: 'map' }
    assert.deepEqual(partitions, [{ topic: 'in', partition: 1, ...stored }])
  })

  test('of a partition that is not ours is not sent; the others are', async () => {
    const script = new Script()
    await script.start()
    const outcomes = await script.during(script.client.commit([entry(7, 1), entry(0, 5)]))
    assert.deepEqual(outcomes, ['fenced', 'ok'])
    assert.equal(script.last('OffsetCommit').partitions.length, 1)
    assert.deepEqual(await script.during(script.client.commit([entry(7, 1)])), ['fenced'])
    assert.equal(script.count('OffsetCommit'), 1)
  })

  test('of an earlier stay is not sent, although the partition is ours again', async () => {
    const script = new Script()
    await script.start()
    script.client.rejoin()
    await script.until(() => script.told.length === 3)
    assert.deepEqual(script.told, ['assigned in-0,in-1', 'lost in-0,in-1', 'assigned in-0,in-1'])
    assert.deepEqual(await script.during(script.client.commit([entry(0, 5)])), ['fenced'])
    assert.equal(script.count('OffsetCommit'), 0)
  })

  test('an unknown member has lost everything at once, and joins under a new name', async () => {
    const script = new Script()
    await script.start()
    script.reply('OffsetCommit', 'UNKNOWN_MEMBER_ID')
    const before = script.last('JoinGroup').memberId
    await script.during(script.client.commit([entry(0, 5)]))
    assert.deepEqual(script.told, ['assigned in-0,in-1', 'lost in-0,in-1'])
    await script.until(() => script.told.length === 3)
    assert.notEqual(script.last('JoinGroup').memberId, before)
  })

  test('a stale generation has lost everything, but keeps its name', async () => {
    const script = new Script()
    await script.start()
    const before = script.last('JoinGroup').memberId
    script.reply('OffsetCommit', 'ILLEGAL_GENERATION')
    await script.during(script.client.commit([entry(0, 5)]))
    await script.until(() => script.told.length === 3)
    assert.equal(script.last('JoinGroup').memberId, before)
  })

  test('a stale generation while the next one is on its way is only refused', async () => {
    const script = new Script()
    await script.start()
    script.reply('Heartbeat', 'REBALANCE_IN_PROGRESS')
    script.reply('JoinGroup', 'silence')
    await script.until(() => script.count('JoinGroup') === 3)
    script.reply('OffsetCommit', 'ILLEGAL_GENERATION')
    assert.deepEqual(await script.during(script.client.commit([entry(0, 5)])), ['refused'])
    assert.deepEqual(script.told, ['assigned in-0,in-1'])
  })

  test('a fenced instance fails', async () => {
    const script = new Script({ instanceId: 'i' })
    await script.start()
    script.reply('OffsetCommit', 'FENCED_INSTANCE_ID')
    await script.during(script.client.commit([entry(0, 5)]))
    assert.deepEqual(script.told, ['assigned in-0,in-1', 'lost in-0,in-1', 'failed FENCED_INSTANCE_ID'])
    const sent = script.sent.length
    await script.clock.runUntil(60_000)
    assert.equal(script.sent.length, sent, 'nothing more is sent but what was under way')
  })

  test('a moved coordinator is looked for again', async () => {
    const script = new Script()
    await script.start()
    script.reply('OffsetCommit', 'NOT_COORDINATOR')
    await script.during(script.client.commit([entry(0, 5)]))
    const before = script.count('FindCoordinator')
    assert.deepEqual(await script.during(script.client.commit([entry(0, 5)])), ['ok'])
    assert.equal(script.count('FindCoordinator'), before + 1)
  })
})

describe('joining', () => {
  test('a generation that passed by without us: what we own may have been given away, so it is lost', async () => {
    const script = new Script()
    await script.start()
    script.reply('Heartbeat', 'REBALANCE_IN_PROGRESS')
    script.reply('JoinGroup', (request) => joinedIn(3, request))
    await script.until(() => script.told.length === 3)
    assert.deepEqual(script.told, ['assigned in-0,in-1', 'lost in-0,in-1', 'assigned in-0,in-1'])
  })

  test('the next generation keeps what it gives again', async () => {
    const script = new Script()
    await script.start()
    script.reply('Heartbeat', 'REBALANCE_IN_PROGRESS')
    script.reply('JoinGroup', (request) => joinedIn(2, request))
    await script.until(() => script.count('SyncGroup') === 2)
    await script.clock.runUntil(script.clock.now() + 100)
    assert.deepEqual(script.told, ['assigned in-0,in-1'])
    assert.deepEqual(await script.during(script.client.commit([entry(0, 5)])), ['ok'])
    assert.equal(script.last('OffsetCommit').generationId, 2)
  })

  test('eager: given up before it joins, and heartbeats go on meanwhile', async () => {
    const script = new Script({ rebalance: 'eager' })
    await script.start()
    const released = Promise.withResolvers<void>()
    script.release = released.promise
    script.reply('Heartbeat', 'REBALANCE_IN_PROGRESS')
    await script.until(() => script.told.length === 2)
    const [joins, beats] = [script.count('JoinGroup'), script.count('Heartbeat')]
    await script.clock.runUntil(script.clock.now() + 10_000)
    assert.equal(script.count('JoinGroup'), joins)
    assert.ok(script.count('Heartbeat') >= beats + 9)
    assert.deepEqual(await script.during(script.client.commit([entry(0, 5)])), ['ok'], 'still ours')
    released.resolve()
    await script.until(() => script.told.length === 3)
    assert.deepEqual(script.told, ['assigned in-0,in-1', 'revoked in-0,in-1', 'assigned in-0,in-1'])
  })

  test('lost while it drains: what the control plane says afterwards is about the past', async () => {
    const script = new Script({ rebalance: 'eager' })
    await script.start()
    const released = Promise.withResolvers<void>()
    script.release = released.promise
    script.reply('Heartbeat', 'REBALANCE_IN_PROGRESS', 'UNKNOWN_MEMBER_ID')
    await script.until(() => script.told.length === 4)
    assert.deepEqual(script.told.slice(1), ['revoked in-0,in-1', 'lost in-0,in-1', 'assigned in-0,in-1'])
    released.resolve()
    await script.during(script.client.readPositions([lease(0, 8)]))
    assert.deepEqual(await script.during(script.client.commit([entry(0, 5, 8)])), ['ok'], 'ours anew')
  })

  test('a group that speaks another protocol is a failure', async () => {
    const script = new Script()
    script.reply('JoinGroup', 'INCONSISTENT_GROUP_PROTOCOL')
    await script.client.start(script.listener)
    await script.until(() => script.told.length > 0)
    assert.deepEqual(script.told, ['failed INCONSISTENT_GROUP_PROTOCOL'])
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

  test('a stale generation does not end the membership', async () => {
    const script = await start()
    script.reply('TxnOffsetCommit', 'ILLEGAL_GENERATION')
    await transact(script)
    assert.deepEqual(script.told, ['assigned in-0,in-1'])
  })

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
    assert.equal(outcome.kind === 'rejected' && outcome.work.offset, 4)
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

describe('publishing', () => {
  const values = (script: Script): readonly string[] =>
    script.sent.flatMap((each) =>
      each.kind === 'Produce'
        ? [`${each.partitions[0]!.baseSequence}:${each.partitions[0]!.records.map(({ value }) => value).join('')}`]
        : [],
    )

  test('silence: the same batch with the same numbers again', async () => {
    const script = new Script()
    await script.start()
    script.reply('Produce', 'silence')
    const results = await script.during(script.client.publish([publication(1, 'a', 'b')]))
    assert.deepEqual(results, [{ work: publication(1).work, ok: true }])
    assert.deepEqual(values(script), ['0:ab', '0:ab'])
  })

  test('calls that come while a batch is under way go together, in order', async () => {
    const script = new Script()
    await script.start()
    const all = ['a', 'b', 'c'].map((value, offset) => script.client.publish([publication(offset, value)]))
    await script.during(Promise.all(all))
    await script.during(script.client.publish([publication(9, 'd')]))
    assert.equal(values(script).map((each) => each.split(':')[1]).join(''), 'abcd') // biome-ignore format: one fact
  })

  test('one record too large fails for good, its neighbours do not', async () => {
    const script = new Script()
    await script.start()
    const tooLarge = 'MESSAGE_TOO_LARGE'
    script.reply('Produce', tooLarge, tooLarge)
    const results = await script.during(script.client.publish([publication(1, 'huge'), publication(2, 'b')]))
    assert.deepEqual(results.map(({ ok, permanent }) => [ok, permanent]), [[false, true], [true, undefined]]) // biome-ignore format: one fact
  })

  test('forgotten by the broker: a new identity, counted from the start', async () => {
    const script = new Script()
    await script.start()
    await script.during(script.client.publish([publication(1, 'a')]))
    script.reply('Produce', 'OUT_OF_ORDER_SEQUENCE_NUMBER')
    const results = await script.during(script.client.publish([publication(2, 'b')]))
    assert.equal(results[0]?.ok, true)
    assert.deepEqual(values(script), ['0:a', '1:b', '0:b'])
    assert.equal(script.count('InitProducerId'), 2)
  })

  test('an unknown topic is told, not waited for', async () => {
    const script = new Script()
    await script.start()
    script.reply('Metadata', 'UNKNOWN_TOPIC_OR_PARTITION')
    const [result] = await script.during(script.client.publish([publication(1, 'a')]))
    assert.equal(result?.ok, false)
    assert.equal(result?.permanent, false)
  })

  test('nothing to send is acknowledged at once', async () => {
    const script = new Script()
    await script.start()
    assert.deepEqual(await script.during(script.client.publish([publication(1)])), [
      { work: publication(1).work, ok: true },
    ])
  })
})

describe('reading positions', () => {
  test('a pending transaction is waited out, a moved coordinator found, silence repeated', async () => {
    const script = new Script()
    await script.start()
    script.reply('OffsetFetch', 'UNSTABLE_OFFSET_COMMIT', 'silence', 'UNSTABLE_OFFSET_COMMIT')
    const before = script.count('OffsetFetch')
    const starts = await script.during(script.client.readPositions([lease(0, 10)]))
    assert.equal(starts.length, 1)
    assert.equal(script.count('OffsetFetch') - before, 4)
    assert.equal(script.last('OffsetFetch').requireStable, true)
  })

  test('one that is given up meanwhile is not waited for', async () => {
    const script = new Script()
    await script.start()
    script.reply('OffsetFetch', 'UNSTABLE_OFFSET_COMMIT')
    const reading = script.client.readPositions([lease(0, 10)])
    await script.until(() => script.count('OffsetFetch') === 2)
    script.client.rejoin()
    assert.deepEqual(await script.during(reading), [])
  })
})

test('closing leaves, and ends everything that is under way', async () => {
  const script = new Script({ transactionalId: 't' })
  await script.start()
  const poll = script.client.poll()
  script.client.fetch([{ ...lease(0), position: 0 as never }])
  script.reply('Produce', 'silence', 'silence', 'silence')
  const publishing = script.client.publish([publication(1, 'a')])
  await script.clock.runUntil(script.clock.now() + 100)
  await script.during(script.client.close({ leave: true }))
  assert.equal(script.count('LeaveGroup'), 1)
  assert.deepEqual(await script.during(poll), [])
  assert.equal((await script.during(publishing))[0]?.ok, false)
  assert.deepEqual(await script.during(script.client.commit([entry(0, 5)])), ['fenced'])
  await script.clock.runUntil(script.clock.now() + 60_000)
  const sent = script.sent.length
  await script.clock.runUntil(script.clock.now() + 600_000)
  assert.equal(script.sent.length, sent, 'no heartbeat, no fetch')
})

test('a static member that closes without leaving does not leave', async () => {
  const script = new Script({ instanceId: 'i' })
  await script.start()
  await script.during(script.client.close({ leave: false }))
  assert.equal(script.count('LeaveGroup'), 0)
})
