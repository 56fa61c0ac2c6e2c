/**
 * Errors of the embedded broker that its files bring about, on real brokers with real directories: what somebody else, a crash or
 * a bad disk did to them.
 */
import assert from 'node:assert/strict'
import { openSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ManualClock } from '../../../src/broker/clock.ts'
import { type BrokerOptions, type RunningBroker, startBroker } from '../../../src/broker/index.ts'
import { NodeDisk } from '../../../src/broker/log/node-disk.ts'
import { StateLog, type StateRecord } from '../../../src/broker/state/state-log.ts'
import { encodeTransaction } from '../../../src/broker/transactions/state-record.ts'
import { created } from '../../../src/broker/transactions/transaction.ts'
import type { FanlaneError } from '../../../src/errors.ts'
import { consume, createAdmin, createProducer } from '../../../src/index.ts'
import { until, within } from '../../support/wait.ts'
import { openLog, startMs, storageOn, temporaryDirectory } from '../../unit/broker/log/support.ts'
import { notebook } from '../support.ts'

interface Kept {
  readonly dataDir: string
  /** What the broker has warned of. */
  readonly codes: string[]
  start(options?: BrokerOptions): Promise<RunningBroker>
}

function kept(t: TestContext): Kept {
  const started: RunningBroker[] = []
  // Before the directory goes.
  t.after(() => Promise.all(started.map((broker) => broker.close())))
  const dataDir = temporaryDirectory(t)
  const codes: string[] = []
  const told = (_text: string, error?: unknown): void => {
    codes.push((error as FanlaneError | undefined)?.code ?? 'no code')
  }
  const logger = { debug: () => undefined, info: () => undefined, warn: told, error: told }
  const start = async (options: BrokerOptions = {}): Promise<RunningBroker> => {
    const broker = await startBroker({ dataDir, logger, topics: { orders: 1 }, ...options })
    started.push(broker)
    return broker
  }
  return { dataDir, codes, start }
}

/** A broker that has run, written a record in a transaction, and was stopped in good order. */
async function afterWork(t: TestContext): Promise<Kept> {
  const files = kept(t)
  const broker = await files.start()
  const producer = await createProducer({ brokers: broker.brokers, transactionalId: 'payments' })
  for (const value of ['one', 'two']) {
    await producer.transaction((tx) => tx.send({ topic: 'orders', value: value.repeat(50) }))
  }
  await producer.close()
  await broker.close()
  return files
}

function partitionOf(dataDir: string, topic: string): string {
  const folder = readdirSync(join(dataDir, 'topics')).find((name) => name.startsWith(`${topic}=`))
  assert.ok(folder !== undefined, `${topic} has a folder`)
  return join(dataDir, 'topics', folder, '0')
}

const segmentOf = (directory: string): string => {
  const name = readdirSync(directory).find((each) => each.endsWith('.log'))
  return join(directory, name ?? '')
}

/** Adds a record to a state log, as another version of the broker may have left it. */
async function plant(directory: string, record: StateRecord): Promise<void> {
  const { storage } = storageOn(new NodeDisk())
  const log = await openLog(storage, directory)
  await new StateLog(log, new ManualClock(startMs)).append([record])
  await log.close()
  storage.close()
}

/** One byte of a file becomes another one, and its length stays. */
function flip(path: string, at: number): void {
  const [byte = 0] = readFileSync(path).subarray(at, at + 1)
  writeSync(openSync(path, 'r+'), Buffer.from([byte ^ 0xff]), 0, 1, at)
}

test('DATA_DIRECTORY_LOST: another process took the directory while this broker stood still', async (t) => {
  const { dataDir, start } = kept(t)
  const broker = await start()
  const lock = join(dataDir, 'lock')
  writeFileSync(lock, JSON.stringify({ ...JSON.parse(readFileSync(lock, 'utf8')), token: 'somebody else' }))
  const error = await within('the broker stops', broker.failed)
  assert.equal(error.code, 'DATA_DIRECTORY_LOST')
})

test('BROKER_METADATA_INVALID: the metadata log holds something that is no JSON', async (t) => {
  const { dataDir, start } = await afterWork(t)
  await plant(join(dataDir, 'metadata'), { key: Buffer.from('topic/orders'), value: Buffer.from('{ half a docu') })
  await assert.rejects(start(), { code: 'BROKER_METADATA_INVALID' })
})

test('TRANSACTION_STATE_UNREADABLE: a newer version wrote it', async (t) => {
  const { dataDir, start } = await afterWork(t)
  const { key, value } = encodeTransaction(created('payments', 1, startMs))
  assert.ok(value !== null)
  const newer = Buffer.from(value)
  newer.writeInt16BE(99, 0)
  await plant(partitionOf(dataDir, '__transaction_state'), { key, value: newer })
  await assert.rejects(start(), { code: 'TRANSACTION_STATE_UNREADABLE' })
})

test('STATE_RECORD_UNKNOWN: a newer version wrote the offsets of groups', async (t) => {
  const { dataDir, start } = await afterWork(t)
  const broker = await start()
  const admin = await createAdmin({ brokers: broker.brokers })
  await admin.alterOffsets('readers', [{ topic: 'orders', partition: 0, offset: 0, metadata: '' }])
  await admin.close()
  await broker.close()
  // Type 1, the group 'g', the topic 't', partition 0; and a value of version 99.
  const key = Buffer.from('\0\x01\0\x01g\0\x01t\0\0\0\0')
  await plant(partitionOf(dataDir, '__consumer_offsets'), { key, value: Buffer.from([0, 99]) })
  await assert.rejects(start(), { code: 'STATE_RECORD_UNKNOWN' })
})

test('LOG_TAIL_CUT: the machine went down in the middle of a write', async (t) => {
  const { dataDir, codes, start } = await afterWork(t)
  const directory = partitionOf(dataDir, 'orders')
  truncateSync(segmentOf(directory), statSync(segmentOf(directory)).size - 3)
  writeFileSync(join(directory, 'checkpoint'), '')
  const broker = await start()
  assert.ok(codes.includes('LOG_TAIL_CUT'), codes.join())
  await broker.close()
})

test('LOG_CHECKPOINT_DAMAGED: the note of how far the log is whole is none', async (t) => {
  const { dataDir, codes, start } = await afterWork(t)
  writeFileSync(join(partitionOf(dataDir, 'orders'), 'checkpoint'), 'the dog ate it')
  const broker = await start()
  assert.ok(codes.includes('LOG_CHECKPOINT_DAMAGED'), codes.join())
  await broker.close()
})

test('LOG_DAMAGED: the disk gives back other bytes than were written; nobody gets them', async (t) => {
  const { dataDir, codes, start } = await afterWork(t)
  flip(segmentOf(partitionOf(dataDir, 'orders')), 70)
  const broker = await start()
  const consumer = await consume({
    brokers: broker.brokers,
    group: 'readers',
    topics: ['orders'],
    logger: notebook(),
    handle: () => assert.fail('what is damaged is handed to nobody'),
  })
  await until('the broker says what it found', () => codes.includes('LOG_DAMAGED'))
  await consumer.close()
})

test('DISK_FAILED: there is a file where the directory should be', async (t) => {
  const { dataDir, start } = kept(t)
  writeFileSync(join(dataDir, 'file'), '')
  await assert.rejects(start({ dataDir: join(dataDir, 'file') }), { code: 'DISK_FAILED' })
})
