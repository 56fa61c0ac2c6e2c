/** Errors of the stores, and of packages that are not installed. */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createRelay, sqliteOutbox } from '../../../src/stores/outbox/index.ts'
import { command } from '../../support/command.ts'

test('PACKAGE_MISSING and PEER_MISSING: an optional package is used and not installed', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'fanlane-bare-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  // Outside of this repository there is no node_modules to find anything in.
  cpSync(fileURLToPath(new URL('../../../src', import.meta.url)), join(directory, 'src'), { recursive: true })
  cpSync(fileURLToPath(new URL('../../../package.json', import.meta.url)), join(directory, 'package.json'))
  const program = `
    import { consume } from './src/index.ts'
    import { postgresDedup } from './src/stores/postgres.ts'
    import { redisDedup } from './src/stores/redis.ts'
    import { MemoryLog } from './src/testing/index.ts'
    const log = new MemoryLog({ orders: 1 })
    const tracing = { getTracer: () => undefined }
    const told = []
    await consume({ log, group: 'g', topics: ['orders'], tracing, handle: () => {} }).catch(({ code }) => told.push(code))
    for (const store of [postgresDedup({ url: 'postgres://x' }), redisDedup({ url: 'redis://x' })]) {
      await store.begin(['1'], 'me', 1_000).catch(({ code }) => told.push(code))
    }
    console.log(told.join(' '))
    process.exit()`
  writeFileSync(join(directory, 'program.ts'), program)
  const { stdout, stderr } = await command(process.execPath, [join(directory, 'program.ts')])
  assert.deepEqual(stdout.trim().split(' '), ['PACKAGE_MISSING', 'PEER_MISSING', 'PEER_MISSING'], stderr)
})

test('FANLANE_RELAY: the code of a warning, where nobody listens for the trouble of a relay', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'fanlane-relay-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  const path = join(directory, 'shop.db')
  const db = new DatabaseSync(path)
  const outbox = sqliteOutbox({ path })
  outbox.createTable(db)
  db.exec('BEGIN IMMEDIATE')
  outbox.write(db, { topic: 'orders', key: 'A1', value: 'placed' })
  db.exec('COMMIT')
  const warned = Promise.withResolvers<{ code?: string }>()
  const listener = (warning: Error & { code?: string }): void => {
    if (warning.message.includes('broker is on fire')) warned.resolve(warning)
  }
  process.on('warning', listener)
  t.after(() => process.off('warning', listener))
  const relay = await createRelay({
    outbox,
    producer: { send: () => Promise.reject(new Error('the broker is on fire')) },
  })
  assert.equal((await warned.promise).code, 'FANLANE_RELAY')
  await relay.close()
  await outbox.close()
  db.close()
})
