import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { NativeClient } from '../../../../../src/clients/native/native-client.ts'
import type { LeaseName } from '../../../../../src/kernel/events.ts'
import { asEpoch, asPosition, type TopicPartition } from '../../../../../src/kernel/ids.ts'
import type { RecordBatch } from '../../../../../src/ports/log-client.ts'
import type { Request } from '../../../../../src/testing/sim/cluster/requests.ts'
import { type ClientChoices, simClient } from './client.ts'
import { World } from './world.ts'

/** A client whose reading is in the hands of the test. */
class Reader {
  readonly world: World = new World()
  readonly client: NativeClient
  readonly told: string[] = []
  readonly fetches: Request[] = []
  batches: RecordBatch[] = []
  #isPolling = true

  constructor(choices: ClientChoices = {}) {
    const process = this.world.clock.process('reader')
    this.client = simClient('reader', process, this.world.transport(process), choices)
    this.world.watch = (request) => {
      if (request.kind === 'Fetch') this.fetches.push(request)
    }
  }

  async start(): Promise<void> {
    const tell =
      (what: string) =>
      (partitions: readonly TopicPartition[]): void => {
        this.told.push(`${what} ${partitions.map(({ partition }) => partition).join('')}`)
      }
    const failed = (error: unknown): void => assert.fail(String(error))
    await this.client.start({ assigned: tell('assigned'), revoked: async () => {}, lost: tell('lost'), failed })
    await this.world.until('assigned', () => this.told.length > 0)
    void this.#poll()
  }

  /** No poll is outstanding from the next answer on. */
  stopPolling(): void {
    this.#isPolling = false
  }

  async #poll(): Promise<void> {
    while (this.#isPolling) {
      const batches = await this.client.poll()
      this.batches.push(...batches)
    }
  }

  fetch(partition: number, position: number, epoch = 1): LeaseName {
    const lease = { topic: 'in', partition, epoch: asEpoch(epoch) }
    this.client.fetch([{ ...lease, position: asPosition(position) }])
    return lease
  }

  /** `epoch/offsets→next` of what was read since. */
  async read(ms = 2_000): Promise<readonly string[]> {
    await this.world.run(ms)
    const read = this.batches.map(({ epoch, offsets, nextPosition }) => {
      return `${epoch}/${Array.from(offsets).join()}→${nextPosition}`
    })
    this.batches = []
    return read
  }
}

async function reader(choices: ClientChoices = {}): Promise<Reader> {
  const made = new Reader(choices)
  await made.start()
  return made
}

describe('fetching', () => {
  test('reads on from the position, and waits where there is nothing', async () => {
    const it = await reader()
    it.world.append('in', 0, 'a', 'b', 'c')
    it.fetch(0, 1)
    assert.deepEqual(await it.read(), ['1/1,2→3'])
    it.world.append('in', 0, 'd')
    assert.deepEqual(await it.read(10), ['1/3→4'])
    it.fetches.length = 0
    await it.world.run(10_000)
    assert.ok(it.fetches.length <= 21, `${it.fetches.length} fetches of an idle partition in 10 s`)
  })

  test('several partitions in one answer, a batch for each', async () => {
    const it = await reader()
    for (const partition of [0, 1, 2]) it.world.append('in', partition, 'a')
    for (const partition of [0, 1, 2]) it.fetch(partition, 0, partition + 1)
    assert.deepEqual([...(await it.read())].sort(), ['1/0→1', '2/0→1', '3/0→1'])
  })

  test('the next fetch is sent only when the answer was taken', async () => {
    const it = await reader({ partitionMaxBytes: 1 })
    it.stopPolling()
    for (const value of 'abc') it.world.append('in', 0, value)
    it.fetch(0, 0)
    assert.deepEqual(await it.read(), ['1/0→1'])
    assert.equal(it.fetches.length, 2, 'one in advance')
    await it.world.run(20_000)
    assert.equal(it.fetches.length, 2)
  })

  // One answer is fetched in advance and kept until then: who resumes does not wait for the network.
  test('paused: nothing comes; resumed, one answer is there at once, and nothing more was asked for', async () => {
    const it = await reader()
    const lease = it.fetch(0, 0)
    await it.world.run(100)
    it.client.pause([lease])
    it.world.append('in', 0, 'a')
    assert.deepEqual(await it.read(), [])
    it.world.append('in', 0, 'b')
    it.fetches.length = 0
    assert.deepEqual(await it.read(20_000), [])
    assert.equal(it.fetches.length, 0)
    it.client.resume([lease])
    assert.deepEqual(await it.read(0), ['1/0→1'])
    assert.deepEqual(await it.read(), ['1/1→2'])
  })

  test('moved, stopped or under a new lease: the answer to the old question is dropped', async () => {
    const it = await reader()
    it.fetch(0, 0)
    const other = it.fetch(1, 0, 2)
    it.fetch(2, 0, 3)
    await it.world.run(100)
    it.fetch(0, 1)
    it.client.stopFetch([other])
    it.fetch(2, 0, 4)
    for (const partition of [0, 1, 2]) it.world.append('in', partition, 'a', 'b')
    assert.deepEqual([...(await it.read())].sort(), ['1/1→2', '4/0,1→2'])
  })

  test('holes show only in the next position', async () => {
    const it = await reader({ partitionMaxBytes: 1 })
    it.world.append('in', 0, 'a', 'b', 'c')
    it.world.append('in', 0, 'd')
    it.world.append('in', 0, 'e')
    it.world.cluster.removeRecords('in', 0, [1, 2, 3])
    it.fetch(0, 0)
    assert.deepEqual(await it.read(), ['1/0→3', '1/4→5'])
  })

  test('a log that begins later: on from its start, with an empty batch that says so', async () => {
    const it = await reader()
    it.world.append('in', 0, 'a', 'b', 'c', 'd')
    it.world.cluster.deleteRecordsBefore('in', 0, 3)
    it.fetch(0, 1)
    assert.deepEqual(await it.read(), ['1/→3', '1/3→4'])
    assert.deepEqual(it.told, ['assigned 0123'])
  })

  test('silence is asked again, after a pause', async () => {
    const it = await reader()
    it.world.append('in', 0, 'a')
    let lost = 0
    it.world.fate = ({ kind }) => (kind === 'Fetch' && lost++ < 3 ? 'lose-answer' : 'deliver')
    it.fetch(0, 0)
    assert.deepEqual(await it.read(20_000), ['1/0→1'])
  })

  test('an unclean election that took what was read: the partition starts anew, where the logs part', async () => {
    const it = await reader()
    it.world.append('in', 0, 'a')
    it.world.append('in', 0, 'b')
    const lease = { topic: 'in', partition: 0, epoch: asEpoch(1) }
    await it.world.during(it.client.readPositions([lease]))
    it.fetch(0, 0, 1)
    assert.deepEqual(await it.read(), ['1/0,1→2'])
    const entry = { ...lease, position: asPosition(2), metadata: 'map', leaderEpoch: 0 }
    assert.deepEqual(await it.world.during(it.client.commit([entry])), ['ok'])
    it.world.cluster.truncate('in', 0, 1)
    // It grows beyond the old position: only the leader epoch tells.
    it.world.append('in', 0, 'B', 'C', 'D')
    assert.deepEqual(await it.read(), [])
    assert.deepEqual(it.told, ['assigned 0123', 'lost 0', 'assigned 0'])
    assert.deepEqual(await it.world.during(it.client.commit([entry])), ['fenced'], 'the old lease is over')
    const [start] = await it.world.during(it.client.readPositions([{ ...lease, epoch: asEpoch(2) }]))
    const { position, committed, metadata, logEnd } = start!
    assert.deepEqual(
      { position, committed, metadata, logEnd },
      { position: 1, committed: false, metadata: null, logEnd: 4 },
    )
    it.fetch(0, 1, 2)
    assert.deepEqual(await it.read(), ['2/1,2,3→4'])
  })

  test('an election that took nothing changes nothing', async () => {
    const it = await reader()
    it.world.append('in', 0, 'a')
    const lease = { topic: 'in', partition: 0, epoch: asEpoch(1) }
    await it.world.during(it.client.readPositions([lease]))
    it.fetch(0, 0, 1)
    await it.read()
    it.world.cluster.truncate('in', 0, 1)
    it.world.append('in', 0, 'b')
    assert.deepEqual(await it.read(), ['1/1→2'])
    assert.deepEqual(it.told, ['assigned 0123'])
  })

  test('log ends, as far as we may see', async () => {
    const it = await reader()
    it.world.append('in', 2, 'a', 'b')
    const partitions = [{ topic: 'in', partition: 2 }, { topic: 'in', partition: 3 }] // biome-ignore format: two
    const ends = await it.world.during(it.client.logEnds(partitions))
    assert.deepEqual([...ends], [['in-2', 2], ['in-3', 0]]) // biome-ignore format: two
  })
})

describe('read_committed', () => {
  for (const partitionMaxBytes of [1, 150, 100_000]) {
    test(`only committed records are seen, whatever the size of an answer (${partitionMaxBytes})`, async () => {
      const it = await reader({ partitionMaxBytes })
      const writers = [0, 1].map((at) => new Writer(it.world, `t${at}`))
      const [one, two] = writers as [Writer, Writer]
      one.write('a')
      two.write('B')
      one.write('a')
      it.world.append('in', 0, 'plain')
      two.end(true)
      two.write('C')
      one.end(false)
      one.write('d')
      one.end(true)
      two.end(false)
      it.fetch(0, 0)
      await it.world.run(5_000)
      const seen = it.batches.flatMap((batch) =>
        Array.from({ length: batch.count }, (_, index) => String(batch.record(index).value)),
      )
      assert.deepEqual(seen, ['B', 'plain', 'd'])
      assert.equal(it.batches.at(-1)?.nextPosition, it.world.cluster.bounds('in', 0).end)
    })
  }

  test('an answer with nothing to see still moves the position', async () => {
    const it = await reader()
    const writer = new Writer(it.world, 't')
    writer.write('x')
    writer.end(false)
    it.fetch(0, 0)
    assert.deepEqual(await it.read(), ['1/→2'])
  })

  test('an open transaction holds back what comes after it', async () => {
    const it = await reader()
    const writer = new Writer(it.world, 't')
    writer.write('x')
    it.world.append('in', 0, 'plain')
    it.fetch(0, 0)
    assert.deepEqual(await it.read(), [])
    writer.end(true)
    assert.deepEqual(await it.read(), ['1/0,1→3'])
  })
})

/** A transactional producer with nothing lost on the way. */
class Writer {
  readonly #world: World
  readonly #name: { node: number; transactionalId: string; producerId: number; producerEpoch: number }
  #sequence = 0

  constructor(world: World, transactionalId: string) {
    this.#world = world
    const node = world.ask('FindCoordinator', { keyType: 'transaction', key: transactionalId }).nodeId
    const fresh = { transactionTimeoutMs: 60_000, producerId: -1, producerEpoch: -1 }
    const { producerId, producerEpoch } = world.ask('InitProducerId', { node, transactionalId, ...fresh })
    this.#name = { node, transactionalId, producerId, producerEpoch }
  }

  write(value: string): void {
    const { transactionalId, producerId, producerEpoch } = this.#name
    const partition = { topic: 'in', partition: 0 }
    this.#world.ask('AddPartitionsToTxn', { ...this.#name, partitions: [partition] })
    const batch = { ...partition, producerId, producerEpoch, baseSequence: this.#sequence++, isTransactional: true }
    const records = [{ key: null, value, size: 50 }]
    const answer = this.#world.ask('Produce', { transactionalId, partitions: [{ ...batch, records }] })
    assert.equal(answer.partitions[0]?.errorCode, 'NONE')
  }

  end(committed: boolean): void {
    assert.equal(this.#world.ask('EndTxn', { ...this.#name, committed }).errorCode, 'NONE')
  }
}
