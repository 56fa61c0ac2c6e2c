/** Errors of the embedded broker: its disk, its state, its thread, its logins. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mock, test } from 'node:test'
import { ManualClock } from '../../../src/broker/clock.ts'
import { lockDirectory } from '../../../src/broker/log/lock.ts'
import { MemoryDisk } from '../../../src/broker/log/memory-disk.ts'
import { createUsers } from '../../../src/broker/server/sasl.ts'
import { MetadataStore } from '../../../src/broker/state/metadata-store.ts'
import { StateLog } from '../../../src/broker/state/state-log.ts'
import { decodeTransaction, encodeTransaction } from '../../../src/broker/transactions/state-record.ts'
import { completed, created } from '../../../src/broker/transactions/transaction.ts'
import type { FanlaneError } from '../../../src/errors.ts'
import { command } from '../../support/command.ts'
import { batchOf, openLog, startMs, storageOn, temporaryDirectory } from '../broker/log/support.ts'

test('DATA_DIRECTORY_LOST: another process took the directory while this one stood still', async (t) => {
  const directory = temporaryDirectory(t)
  mock.timers.enable({ apis: ['setInterval'] })
  const { promise, resolve } = Promise.withResolvers<FanlaneError>()
  const lock = await lockDirectory(directory, { onLost: resolve })
  const path = join(directory, 'lock')
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), token: 'somebody else' }))
  mock.timers.tick(60_000)
  mock.timers.reset()
  assert.equal((await promise).code, 'DATA_DIRECTORY_LOST')
  await lock.release()
})

test('LOG_CLOSED: a write to a partition that is being deleted', async () => {
  const { storage } = storageOn(new MemoryDisk())
  const log = await openLog(storage, 'data/orders-0')
  const result = log.append(batchOf(['a']), 'client')
  assert.equal(result.kind, 'appended')
  log.whenDurable(1)?.catch(() => undefined)
  await log.abandon()
  await assert.rejects(
    async () => {
      await log.whenDurable(2)
    },
    { code: 'LOG_CLOSED' },
  )
})

test('BROKER_METADATA_INVALID: the metadata log holds something that is no JSON', async () => {
  const { storage } = storageOn(new MemoryDisk())
  const log = await openLog(storage, 'data/__metadata-0')
  const state = new StateLog(log, new ManualClock(startMs))
  await state.append([{ key: Buffer.from('topic/orders'), value: Buffer.from('{ half a docu') }])
  await assert.rejects(MetadataStore.open(state), { code: 'BROKER_METADATA_INVALID' })
})

test('TRANSACTION_STATE_UNREADABLE: a newer version wrote it', () => {
  const { value } = encodeTransaction(created('payments', 1, startMs))
  assert.ok(value !== null)
  const newer = Buffer.from(value)
  newer.writeInt16BE(99, 0)
  assert.throws(() => decodeTransaction('payments', newer), { code: 'TRANSACTION_STATE_UNREADABLE' })
})

test('TRANSACTION_STEP_INVALID: markers of a transaction that was never ended', () => {
  assert.throws(() => completed(created('payments', 1, startMs), startMs), { code: 'TRANSACTION_STEP_INVALID' })
})

test('SASL_REFUSED: a password that is wrong, PLAIN and SCRAM', () => {
  const users = createUsers(['PLAIN', 'SCRAM-SHA-256'], { anna: 'right' })
  assert.throws(() => users.exchange('PLAIN')?.step(Buffer.from('\0anna\0wrong')), { code: 'SASL_REFUSED' })
  const scram = users.exchange('SCRAM-SHA-256')
  assert.throws(() => scram?.step(Buffer.from('n,,n=nobody,r=abc')), { code: 'SASL_REFUSED' })
})

test('BROKER_FAILED: the thread of an isolated broker cannot run', async () => {
  const preload = `import { isMainThread } from 'node:worker_threads'; if (!isMainThread) throw new Error('not in threads')`
  const broker = new URL('../../../src/broker/index.ts', import.meta.url).href
  const program = `import { startBroker } from '${broker}'
    await startBroker({ isolate: true }).catch((error) => console.log(error.code))`
  const { stdout } = await command(process.execPath, [
    '--import',
    `data:text/javascript,${encodeURIComponent(preload)}`,
    '--input-type=module',
    '-e',
    program,
  ])
  assert.equal(stdout.trim(), 'BROKER_FAILED')
})
