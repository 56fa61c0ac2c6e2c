/**
 * Errors of the embedded broker that do not leave it, or that only a defect can bring about; and its thread. What real files do to a
 * broker is in test/e2e/errors/broker-files.test.ts.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NodeDisk } from '../../../src/broker/log/node-disk.ts'
import { createUsers } from '../../../src/broker/server/sasl.ts'
import { completed, created } from '../../../src/broker/transactions/transaction.ts'
import { command } from '../../support/command.ts'
import { batchOf, openLog, startMs, storageOn, temporaryDirectory } from '../broker/log/support.ts'

test('LOG_CLOSED: a write to a partition that is being deleted', async (t) => {
  // On real files, but by hand: in a broker the deletion comes between a write and its answer, which is UNKNOWN_TOPIC_OR_PARTITION.
  const { storage } = storageOn(new NodeDisk())
  const log = await openLog(storage, `${temporaryDirectory(t)}/orders-0`)
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

test('TRANSACTION_STEP_INVALID: markers of a transaction that was never ended', () => {
  // The coordinator never does that: the step is refused in case it had a defect.
  assert.throws(() => completed(created('payments', 1, startMs), startMs), { code: 'TRANSACTION_STEP_INVALID' })
})

test('SASL_REFUSED: a password that is wrong, PLAIN and SCRAM', () => {
  // Clients get it as SASL_AUTHENTICATION_FAILED with the same words; over sockets in test/e2e/broker/server.test.ts.
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
