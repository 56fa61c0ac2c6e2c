/** What the dashboard tells of a running consumer, and what it does to it. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { AuditFrame, Detail, Frame } from '../../../src/dashboard/frames.ts'
import { consume } from '../../../src/index.ts'
import { openDashboard } from '../../../src/open-dashboard.ts'
import { MemoryLog } from '../../../src/testing/index.ts'
import { until } from '../../support/wait.ts'
import { notebook } from '../support.ts'
import { ask, frame, gated, type Stage, stage, TOKEN } from './support.ts'

type Page<Name> = Extract<Detail, { readonly page: Name }>

function detail<Name extends Detail['page']>(told: Frame, page: Name): Page<Name> {
  assert.equal(told.detail.page, page)
  return told.detail as Page<Name>
}

function act(url: string, action: object) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` }
  return ask(`${url}api/actions`, { method: 'POST', headers, body: JSON.stringify(action) })
}

async function audited(url: string): Promise<readonly AuditFrame[]> {
  return detail(await frame(url, 'page=errors'), 'errors').audit
}

const some = (count: number, prefix = 'k') =>
  Array.from({ length: count }, (_, n) => ({ key: `${prefix}${n}`, value: `${n}` }))

describe('health', () => {
  test('P9 · alive and ready; not alive when a handler hangs, alive when a retry waits; metrics in the text format', async () => {
    const { handle, open } = gated(['stuck'])
    await using on = await stage({ handle, stalledAfterMs: 50 })
    assert.equal((await ask(`${on.url}livez`)).status, 200)
    await until('it is ready', async () => (await ask(`${on.url}readyz`)).status === 200)
    await on.send([{ key: 'stuck', value: 'secret' }, ...some(5)])
    const failing = await until('it is not alive', async () => {
      const reply = await ask(`${on.url}livez`)
      return reply.status === 503 && reply
    })
    assert.match(
      JSON.parse(failing.body).reasons[0],
      /^orders-\d@0 holds its partition back for \d+ s: running, attempt 1$/,
    )
    assert.doesNotMatch(failing.body, /stuck|secret/)
    const { body, headers } = await ask(`${on.url}metrics`)
    assert.match(String(headers['content-type']), /^text\/plain; version=0\.0\.4/)
    assert.match(body, /^fanlane_blocking_offset\{group="billing",topic="orders",partition="\d"\} 0$/m)
    open()
    await until('it is alive again', async () => (await ask(`${on.url}livez`)).status === 200)
  })
})

describe('the frames', () => {
  test('P9 · the blocking record is named, with its key, its age and what it is doing', async () => {
    const { handle, open } = gated(['slow <b>'])
    await using on = await stage({ handle })
    await on.send([{ key: 'slow <b>', value: 'x' }, ...some(50)])
    // For a moment the other partition may have a record that others wait for, too.
    const stuckIn = ({ detail: shown }: Frame) =>
      shown.page !== 'partitions'
        ? undefined
        : shown.partitions.find(({ blocking, gap }) => blocking?.key === 'slow <b>' && gap > 5)
    const told = await frame(on.url, 'page=partitions&sort=stuck', (shown) => stuckIn(shown) !== undefined)
    assert.equal(detail(told, 'partitions').total, 2)
    const { blocking, strip } = stuckIn(told)!
    assert.equal(blocking?.doing, 'running')
    assert.match(blocking?.detail ?? '', /^running for \d+ ms$/)
    assert.equal(strip.cells[(blocking!.offset - strip.from) / strip.perCell], 'r')
    open()
    await on.consumer.idle()
    const isOver = ({ detail: shown }: Frame): boolean =>
      shown.page === 'partitions' && shown.partitions.every(({ blocking: now, lag }) => now === null && lag === 0)
    const after = detail(await frame(on.url, 'page=partitions', isOver), 'partitions')
    assert.match(after.partitions[0]!.strip.cells, /^c+$/)
    const history = JSON.parse((await ask(`${on.url}api/history`)).body)
    assert.ok(Array.isArray(history.frames))
  })

  test('P9 · retries that wait, hot lanes, members, errors, config, each on its page', async () => {
    await using on = await stage({
      retry: { initialMs: 3_600_000, jitter: 0 },
      concurrency: 50,
      handle: ({ key }) => {
        if (String(key) === 'bad') throw Object.assign(new Error('no bank'), { code: 'BANK' })
      },
    })
    await on.send([...Array.from({ length: 7 }, () => ({ key: 'bad', value: 'x' })), ...some(20)])
    const retries = detail(await frame(on.url, 'page=retries', (told) => told.overview.waiting === 1), 'retries')
    assert.equal(retries.waiting[0]?.key, 'bad')
    assert.equal(retries.waiting[0]?.error, 'BANK: no bank')
    assert.ok(retries.waiting[0].dueAt > Date.now())
    const isDeep = ({ detail: shown }: Frame): boolean => shown.page === 'lanes' && shown.hottest[0]?.depth === 7
    const lanes = detail(await frame(on.url, 'page=lanes', isDeep), 'lanes')
    assert.deepEqual([lanes.hottest[0]?.key, lanes.hottest[0]?.depth], ['bad', 7])
    const group = detail(await frame(on.url, 'page=group'), 'group')
    assert.deepEqual(
      group.members.map(({ partitions }) => [...partitions].sort()),
      [['orders-0', 'orders-1']],
    )
    assert.equal(group.rebalances.find(({ count }) => count > 0)?.change, 'assigned')
    const errors = detail(await frame(on.url, 'page=errors'), 'errors')
    assert.deepEqual(
      errors.errors.map(({ kind, code }) => [kind, code]),
      [['retry', 'BANK']],
    )
    const { options } = JSON.parse((await ask(`${on.url}api/config`)).body)
    const concurrency = options.find(({ name }: { name: string }) => name === 'concurrency')
    assert.deepEqual([concurrency.value, concurrency.isDefault], ['50', false])
    assert.equal((await frame(on.url, 'page=overview')).overview.waiting, 1)
  })

  test('partitions are found by name, by key and in pages', async () => {
    const { handle, open } = gated(['acme'])
    await using on = await stage({ handle })
    await on.send([{ key: 'acme', value: 'x', partition: 1 }])
    const byKey = detail(
      await frame(
        on.url,
        'page=partitions&find=ACM',
        ({ detail: told }) => told.page === 'partitions' && told.total === 1,
      ),
      'partitions',
    )
    assert.equal(byKey.partitions[0]?.partition, 1)
    assert.equal(detail(await frame(on.url, 'page=partitions&find=orders-0'), 'partitions').total, 1)
    const second = detail(await frame(on.url, 'page=partitions&sort=name&from=1&count=1'), 'partitions')
    assert.deepEqual(
      second.partitions.map(({ partition }) => partition),
      [1],
    )
    open()
  })
})

describe('actions', () => {
  const paused = ({ consumer }: Stage) =>
    consumer.snapshot().partitions.filter(({ paused: reasons }) => reasons.includes('user')).length

  test('pause, resume, concurrency, skip: done, confirmed and written down', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fanlane-audit-'))
    const auditFile = join(directory, 'audit.jsonl')
    try {
      const { handle, open } = gated(['stuck'])
      await using on = await stage({ handle }, { auditFile })
      await on.send([
        { key: 'stuck', value: 'x', partition: 0 },
        { key: 'other', value: 'y', partition: 0 },
      ])
      await until('it is stuck', () => on.consumer.snapshot().partitions.some(({ gap }) => gap === 1))
      assert.equal((await act(on.url, { kind: 'pause', topic: 'orders', partition: 1 })).status, 200)
      await until('one is paused', () => paused(on) === 1)
      assert.equal((await act(on.url, { kind: 'resume', topic: 'orders' })).status, 200)
      await until('none is paused', () => paused(on) === 0)
      await act(on.url, { kind: 'concurrency', limit: 7 })
      await until('the limit is new', () => on.consumer.snapshot().engine.limit === 7)
      const { status, body } = await act(on.url, { kind: 'skip', topic: 'orders', partition: 0, offset: 0 })
      assert.equal(status, 200, body)
      assert.match(JSON.parse(body).message, /skip orders-0@0: done/)
      open()
      await on.consumer.idle()
      assert.equal(on.consumer.snapshot().totals.skipped, 1)
      const refused = await act(on.url, { kind: 'skip', topic: 'orders', partition: 0, offset: 99 })
      assert.equal(refused.status, 409)
      assert.equal(JSON.parse(refused.body).error.code, 'CONTROL_REFUSED')
      const elsewhere = await act(on.url, { kind: 'skip', topic: 'orders', partition: 55, offset: 0 })
      assert.equal(JSON.parse(elsewhere.body).error.code, 'ACTION_REFUSED')
      const audit = (await audited(on.url)).toReversed()
      assert.deepEqual(
        audit.map(({ what, outcome }) => `${what}: ${outcome}`),
        [
          'pause orders-1: done',
          'resume orders: done',
          'concurrency 7: done',
          'skip orders-0@0: done',
          'skip orders-0@99: refused',
          'skip orders-55@0: refused',
        ],
      )
      assert.ok(on.logger.lines.some(({ message }) => message === 'dashboard action done'))
      const lines = await until('the file has them', async () => {
        const found = (await readFile(auditFile, 'utf8')).trim().split('\n')
        return found.length === 6 && found
      })
      assert.equal(JSON.parse(lines[3] ?? '').what, 'skip orders-0@0')
      assert.equal((await stat(auditFile)).mode & 0o077, 0)
    } finally {
      await rm(directory, { recursive: true })
    }
  })

  test('a parked key is released', async () => {
    let isBroken = true
    await using on = await stage({
      breaker: { poisons: 1 },
      retry: { attempts: 1 },
      onExhausted: 'skip',
      handle: () => {
        if (isBroken) throw new Error('broken')
      },
    })
    await on.send([
      { key: 'acme', value: '1' },
      { key: 'acme', value: '2' },
    ])
    const retries = detail(await frame(on.url, 'page=retries', (told) => told.overview.parked === 1), 'retries')
    const { topic, partition, key } = retries.parked[0]!
    assert.equal(key, 'acme')
    isBroken = false
    assert.equal((await act(on.url, { kind: 'release', topic, partition, key })).status, 200)
    await on.consumer.idle()
    assert.equal(on.consumer.snapshot().totals.done, 1)
  })

  test('off by default: refused even with the token, and that is written down', async () => {
    await using on = await stage({}, { allowActions: false })
    const { status, body } = await act(on.url, { kind: 'pause', topic: 'orders' })
    assert.equal(status, 403)
    assert.equal(JSON.parse(body).error.code, 'ACTIONS_OFF')
    assert.deepEqual(
      (await audited(on.url)).map(({ what, outcome }) => [what, outcome]),
      [['pause orders', 'refused']],
    )
  })
})

describe('a group', () => {
  test('P9 · two dashboards that know each other show one group, and steer it as one', async () => {
    await using on = await stage({ handle: () => undefined })
    const second = await on.join({ peers: [on.url] })
    const url = second.dashboard?.url ?? ''
    await on.send(some(40))
    const told = await frame(
      url,
      'page=partitions&sort=name',
      ({ instances, overview }) =>
        instances.length === 2 && overview.partitions === 2 && instances.every(({ partitions }) => partitions === 1),
    )
    const { partitions } = detail(told, 'partitions')
    assert.deepEqual(
      partitions.map(({ partition }) => partition),
      [0, 1],
    )
    assert.equal(new Set(partitions.map(({ instance }) => instance)).size, 2)
    const behind = detail(await frame(url, 'page=partitions&sort=name&from=1&count=1'), 'partitions')
    assert.deepEqual([behind.total, behind.partitions.map(({ partition }) => partition)], [2, [1]])
    assert.equal((await act(url, { kind: 'concurrency', limit: 9 })).status, 200)
    await until('both have it', () => [on.consumer, second].every((each) => each.snapshot().engine.limit === 9))
    await on.consumer.close()
    const left = await frame(url, 'page=overview', ({ instances }) => instances.some(({ state }) => state === 'silent'))
    assert.match(left.instances.find(({ state }) => state === 'silent')?.problem ?? '', /does not answer: ECONNREFUSED/)
  })

  test('P9 · one that holds no partition tells so on every page, and what it gets after a rebalance', async () => {
    await using on = await stage({ handle: () => undefined })
    const other = await on.join({})
    await until('they share', () => other.snapshot().partitions.length === 1)
    const third = await on.join({})
    const url = third.dashboard?.url ?? ''
    await until('the other two hold one each, and it holds none', () =>
      [on.consumer, other].every((each) => each.snapshot().partitions.length === 1),
    )
    for (const page of ['overview', 'partitions', 'lanes', 'retries', 'group', 'errors', 'config', 'dead-letters']) {
      const told = await frame(url, `page=${page}&group=billing`)
      assert.equal(told.detail.page, page)
      assert.deepEqual([told.overview.partitions, told.overview.lag, told.overview.lagMs], [0, 0, null])
    }
    await on.consumer.close()
    await on.send(some(10))
    const told = await frame(url, 'page=partitions', ({ overview }) => overview.partitions > 0)
    assert.equal(detail(told, 'partitions').total, told.overview.partitions)
  })

  test('two consumers of one process share a port; other options, or another process, do not', async () => {
    const options = { topics: ['t'], logger: notebook(), handle: () => undefined }
    await using first = await consume({ ...options, log: new MemoryLog({ t: 1 }), group: 'a', dashboard: { port: 0 } })
    const port = Number(new URL(first.dashboard?.url ?? '').port)
    await assert.rejects(consume({ ...options, log: new MemoryLog({ t: 1 }), group: 'b', dashboard: { port } }), {
      code: 'DASHBOARD_NOT_LISTENING',
    })
    await first.close()
    const a = await consume({ ...options, log: new MemoryLog({ t: 1 }), group: 'a', dashboard: { port } })
    await using b = await consume({ ...options, log: new MemoryLog({ t: 1 }), group: 'b', dashboard: { port } })
    await assert.rejects(
      consume({ ...options, log: new MemoryLog({ t: 1 }), group: 'c', dashboard: { port, allowActions: true } }),
      { code: 'OPTION_INVALID' },
    )
    const groups = async () => JSON.parse((await ask(`${b.dashboard?.url}api/hello`)).body).groups
    assert.deepEqual(await groups(), ['a', 'b'])
    await a.close()
    await until('only b is left', async () => (await groups()).join() === 'b')
  })

  test('P9 P6 · a group that nobody here runs: its commits, and the maps in them, from outside', async () => {
    const { handle, open } = gated(['stuck'])
    await using on = await stage({ handle, commit: { everyMs: 20 } })
    await on.send([
      { key: 'stuck', value: 'x', partition: 0 },
      ...some(30).map((record) => ({ ...record, partition: 0 })),
    ])
    await until('the map is committed', () => on.consumer.snapshot().partitions.some(({ map }) => map.entries === 30))
    const outside = await openDashboard({
      brokers: on.brokers,
      group: 'billing',
      port: 0,
      logger: notebook(),
      allowActions: true,
      token: TOKEN,
    })
    try {
      const told = await frame(
        outside.url,
        'page=partitions',
        ({ detail: seen }) => seen.page === 'partitions' && seen.partitions.some(({ gap }) => gap === 30),
      )
      const [partition] = detail(told, 'partitions').partitions
      assert.equal(partition?.position, 0)
      assert.equal(partition?.logEnd, 31)
      assert.equal(partition?.strip.cells, `u${'f'.repeat(30)}`)
      assert.equal(partition?.blocking?.doing, 'unfinished')
      assert.equal(JSON.parse((await ask(`${outside.url}api/hello`)).body).source, 'outside')
      assert.equal(detail(await frame(outside.url, 'page=group'), 'group').members.length, 1)
      assert.equal((await act(outside.url, { kind: 'skip', topic: 'orders', partition: 0, offset: 0 })).status, 409)
    } finally {
      await outside.close()
      open()
    }
  })
})
