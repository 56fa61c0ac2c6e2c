/** One process per data directory. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { lockDirectory } from '../../../../src/broker/log/lock.ts'
import type { FanlaneError } from '../../../../src/errors.ts'
import { temporaryDirectory } from './support.ts'

const holder = (directory: string): Record<string, unknown> =>
  JSON.parse(readFileSync(`${directory}/lock`, 'utf8')) as Record<string, unknown>

function pretend(directory: string, changes: Record<string, unknown>, original: Record<string, unknown>): void {
  writeFileSync(`${directory}/lock`, JSON.stringify({ ...original, token: 'somebody else', ...changes }))
}

test('a locked directory is refused, with the owner in the message; a released one is free', async (t) => {
  const directory = temporaryDirectory(t)
  const lock = await lockDirectory(directory)
  assert.equal(statSync(`${directory}/lock`).mode & 0o777, 0o600)
  await assert.rejects(lockDirectory(directory), (error: FanlaneError) => {
    assert.equal(error.code, 'DATA_DIRECTORY_IN_USE')
    assert.match(error.message, new RegExp(`process ${process.pid} on `))
    return true
  })
  await lock.release()
  assert.ok(!existsSync(`${directory}/lock`))
  const again = await lockDirectory(directory)
  await again.release()
})

test('another process that lives keeps us out; when it was killed its lock is taken over', async (t) => {
  const directory = temporaryDirectory(t)
  const source = `import { lockDirectory } from ${JSON.stringify(new URL('../../../../src/broker/log/lock.ts', import.meta.url).href)}
    await lockDirectory(${JSON.stringify(directory)})
    process.stdout.write('locked')
    setInterval(() => {}, 1_000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  await assert.rejects(lockDirectory(directory), { code: 'DATA_DIRECTORY_IN_USE' })
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
  const lock = await lockDirectory(directory)
  assert.equal(holder(directory).pid, process.pid)
  await lock.release()
  assert.deepEqual(readdirSync(directory), [])
})

test('of many that take over the same dead lock one gets it', async (t) => {
  const directory = temporaryDirectory(t)
  const first = await lockDirectory(directory)
  const original = holder(directory)
  await first.release()
  // No process has this number: it is above the largest one.
  pretend(directory, { pid: 2 ** 30 }, original)
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => lockDirectory(directory)))
  const got = outcomes.filter((outcome) => outcome.status === 'fulfilled')
  assert.equal(got.length, 1)
  for (const { value } of got) await value.release()
  assert.deepEqual(readdirSync(directory), [])
})

const linuxOnly = process.platform === 'linux' ? {} : { skip: 'the system does not tell when a process started' }

test('a process number that is used again does not keep us out', linuxOnly, async (t) => {
  const directory = temporaryDirectory(t)
  const first = await lockDirectory(directory)
  const original = holder(directory)
  await first.release()
  // Our own number, as in a container where every first process has the same one, but another start.
  pretend(directory, { startedAt: '1' }, original)
  const lock = await lockDirectory(directory)
  await lock.release()
})

test('an owner that cannot be seen from here is watched: it is gone when it does not touch its lock', async (t) => {
  const directory = temporaryDirectory(t)
  const first = await lockDirectory(directory)
  const original = holder(directory)
  await first.release()
  pretend(directory, { pidNamespace: 'another container', boot: 'another machine' }, original)
  let touches = 0
  const touching = setInterval(() => {
    pretend(directory, { pidNamespace: 'another container', boot: 'another machine', touches: touches++ }, original)
  }, 5)
  t.after(() => clearInterval(touching))
  await assert.rejects(lockDirectory(directory, { watchMs: 200 }), { code: 'DATA_DIRECTORY_IN_USE' })
  clearInterval(touching)
  const lock = await lockDirectory(directory, { watchMs: 20 })
  await lock.release()
})

test('a lock without sense in it is watched too, then taken over', async (t) => {
  const directory = temporaryDirectory(t)
  writeFileSync(`${directory}/lock`, '{"pid":')
  const lock = await lockDirectory(directory, { watchMs: 20 })
  await lock.release()
})

test('a directory that does not exist is a clear error', async (t) => {
  const directory = temporaryDirectory(t)
  await assert.rejects(lockDirectory(`${directory}/missing`), { code: 'DISK_FAILED', message: /missing\/lock/ })
})
