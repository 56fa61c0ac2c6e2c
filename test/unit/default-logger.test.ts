import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

test('the default logger writes to stderr, and shows no secrets of errors', () => {
  const logger = fileURLToPath(new URL('../../src/consumer/logger.ts', import.meta.url))
  const program = `
    const { stderrLogger } = await import(${JSON.stringify(logger)})
    const error = Object.assign(new Error('postgres://me:hunter2@db refused'), { code: 'REFUSED' })
    stderrLogger().error({ error }, 'it failed')`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  })
  const line =
    'fanlane error it failed {"error":{"name":"Error","code":"REFUSED","message":"postgres://[redacted]@db refused"}}\n'
  assert.deepEqual([stdout, stderr], ['', line])
})
