/** The life of workers: loading, affinity, recycling, being relieved, ending with their parent. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, test } from 'node:test'
import { consume } from '../../../src/consume.ts'
import { MemoryLog } from '../../../src/testing/index.ts'
import { until, within } from '../../support/wait.ts'
import { notebook } from '../support.ts'
import { type Deed, folder, ledger, stage } from './stage.ts'
import { handlerFile, KINDS } from './support.ts'

const crowd = (count: number, keys = 40): Deed[] =>
  Array.from({ length: count }, (_, at) => ({ key: `k${at % keys}`, value: 'ok' }))

const base = { group: 'g', topics: ['t'], logger: notebook() }

for (const kind of KINDS) {
  describe(`the crew: ${kind}`, { timeout: 240_000 }, () => {
    const refused: Readonly<Record<string, readonly [handler: string | URL, code: string, says: RegExp]>> = {
      'is not there': ['nowhere/handler.ts', 'HANDLER_LOAD_FAILED', /nowhere/],
      throws: ['data:text/javascript,throw new Error("no luck")', 'HANDLER_LOAD_FAILED', /no luck/],
      'has no default export': [new URL('data:text/javascript,export const a = 1'), 'HANDLER_INVALID', /exports a\./],
      'ends the process': ['data:text/javascript,process.exit(9)', 'WORKER_START_FAILED', /exit code 9/],
    }
    for (const [what, [handler, code, says]] of Object.entries(refused)) {
      test(`P1 · ${kind}: consume() rejects if the handler module ${what}`, async () => {
        const options = { ...base, log: new MemoryLog({ t: 1 }), engine: { kind, workers: 1 }, handler }
        await assert.rejects(consume(options), (error: Error & { readonly code: string }) => {
          assert.equal(error.code, code)
          return says.test(error.message)
        })
      })
    }

    test(`P1 · ${kind}: when workers die and none can be started again, the consumer stops and says why`, async (t) => {
      const marker = join(folder, `once-${kind}`)
      process.env.FANLANE_TEST_MARKER = marker
      const { consumer } = await stage(t, kind, [{ key: 'a', value: 'exit' }], {
        engine: { kind, workers: 1 },
        handler: handlerFile('loads-once'),
        drainMs: 500,
      })
      await within('the consumer gives up', assert.rejects(consumer.closed, { code: 'WORKERS_FAILED' }))
      assert.ok(existsSync(marker))
    })

    test(`P1 · ${kind}: with affinity a key stays with its worker; when that dies, others take over`, async (t) => {
      const records = [...crowd(200), { key: 'bad', value: 'exitOnce' }, ...crowd(200)]
      const { idle, topic, ended, dead, assertOrder } = await stage(t, kind, records, {
        engine: { kind, workers: 3, affinity: true },
      })
      await idle()
      assert.equal(ended().size, records.length)
      assertOrder()
      const owners = new Map<string | null, string[]>()
      for (const { key, member } of ledger.of('start', { topic })) {
        const known = owners.get(key) ?? []
        if (known.at(-1) !== member) owners.set(key, [...known, member])
      }
      owners.delete('bad')
      const [gone] = dead()
      // Moved because its worker died, and perhaps back to the one that took its place; otherwise never.
      for (const [key, members] of owners) {
        if (members.length > 1) assert.ok(members.includes(String(gone)), `${key} moved for no reason: ${members}`)
      }
      assert.ok(new Set([...owners.values()].map(([first]) => first)).size > 1, 'keys are shared between workers')
    })

    test(`P1 · ${kind}: workers are replaced after maxRecordsPerWorker, and nothing is run twice`, async (t) => {
      const records = crowd(100)
      const { idle, topic, log, retries, notes, assertOrder } = await stage(t, kind, records, {
        engine: { kind, workers: 2, maxRecordsPerWorker: 20 },
      })
      const members = (): Set<string> => new Set(ledger.of('start', { topic }).map(({ member }) => member))
      await until('four others have taken their places', async () => {
        for (const record of crowd(5)) log.append(topic, records[records.push(record) - 1] as Deed)
        await idle()
        return members().size >= 6
      })
      assert.equal(ledger.of('start', { topic }).length, records.length)
      assert.deepEqual(retries, [])
      assert.deepEqual(notes.lines, [], 'a replacement is nothing to speak of')
      assertOrder()
    })
  })
}

test('P1 · threads: what waits behind a handler that does not come back is run by others', async (t) => {
  const release = join(folder, 'release')
  const records = [...crowd(1_500), { key: 'long', value: `hold ${release}` }, ...crowd(1_500)]
  const { idle, ended } = await stage(t, 'threads', records, { concurrency: 500 })
  await until('all but one are done', () => ended().size === records.length - 1)
  writeFileSync(release, '')
  await idle()
  assert.equal(ended().size, records.length)
})

test('P1 · processes: a parent that is killed with -9 leaves no workers behind, not even busy ones', async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'parent-main.ts'), handlerFile('pids')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pids: number[] = []
  createInterface(child.stdout).on('line', (line) => pids.push(Number(line)))
  await until('two workers say who they are', () => pids.length === 2)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const isThere = (pid: number): boolean => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  await until('they are gone', () => !pids.some(isThere))
})
