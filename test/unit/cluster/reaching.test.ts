/** Brokers that cannot be reached, that come back, that move; and which one is asked when any will do. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { describeState } from '../../../src/cluster/net/told.ts'
import { anyNode } from '../../../src/cluster/wire.ts'
import { heartbeatApi } from '../../../src/protocol/generated/12-heartbeat.ts'
import { apiVersionsApi } from '../../../src/protocol/generated/18-api-versions.ts'
import { until, within } from '../../support/wait.ts'
import { ManualClock } from './manual-clock.ts'
import { type Script, ScriptedBroker } from './scripted-broker.ts'
import { clusterFor, scripted } from './support.ts'

const answering: Script = (asked) => {
  if (asked.api.key === apiVersionsApi.key) return false
  asked.reply(heartbeatApi, {})
  return true
}

/** A port where nobody listens. */
async function deadPort(): Promise<number> {
  const broker = await ScriptedBroker.start()
  const { port } = broker
  await broker.close()
  return port
}

const host = '127.0.0.1'

describe('reaching brokers', () => {
  test('minutes without a broker: few tries, told once, found within about a second when it is back', async (t) => {
    const clock = new ManualClock()
    const port = await deadPort()
    const { cluster, states } = clusterFor(t, [`${host}:${port}`], { clock })
    cluster.learnNodes([{ nodeId: 1, host, port }], true)
    let silences = 0
    for (let minute = 0; minute < 3; minute++) {
      const answer = cluster.ask(anyNode, heartbeatApi, {}, { timeoutMs: 60_000 }).then((given) => {
        assert.equal(given, null)
        silences++
      })
      for (let step = 0; step < 600; step++) {
        await clock.advance(100)
        // A refused dial takes a turn or two of the real loop.
        const state = cluster.states[0]
        if (state?.kind === 'unreachable' && state.nextTryMs <= clock.now())
          await until('the dial fails', () => {
            const now = cluster.states[0]
            return now?.kind === 'unreachable' && now.nextTryMs > clock.now()
          })
      }
      await answer
    }
    assert.equal(silences, 3)
    const [told, ...more] = states
    assert.deepEqual(more, [])
    assert.ok(told?.kind === 'unreachable')
    assert.match(
      describeState(told, clock.now()),
      /^Cannot reach 127\.0\.0\.1:\d+ \(ECONNREFUSED\): .* Tried once since \d{4}-.*, trying again in 0\.0 s$/,
    )
    const now = cluster.states[0]
    assert.ok(now?.kind === 'unreachable')
    assert.equal(now.sinceMs, told.sinceMs)
    assert.ok(now.tries > 100 && now.tries < 300, `${now.tries} tries in three minutes`)

    const broker = await ScriptedBroker.start(answering, port)
    t.after(() => broker.close())
    const answer = cluster.ask(anyNode, heartbeatApi, {})
    await clock.advance(1_000)
    assert.ok(await within('it is found', answer))
    assert.equal(states.at(-1)?.kind, 'connected')
  })

  test('a node that refuses the connection: silence at once, so that its questions can go elsewhere', async (t) => {
    const clock = new ManualClock()
    const port = await deadPort()
    const { cluster } = clusterFor(t, [`${host}:${port}`], { clock })
    cluster.learnNodes([{ nodeId: 1, host, port }], true)
    const asks = [
      cluster.ask(1, heartbeatApi, {}),
      cluster.ask(1, heartbeatApi, {}),
      cluster.ask(1, heartbeatApi, {}, { lane: 'group' }),
    ]
    assert.deepEqual(await Promise.all(asks), [null, null, null])
    assert.equal(cluster.states[0]?.kind === 'unreachable' && cluster.states[0].tries, 1, 'lanes together are one try')
    // The next question waits for the next try, which is soon.
    let isAnswered = false
    const next = cluster.ask(1, heartbeatApi, {}).then((answer) => {
      isAnswered = true
      return answer
    })
    await clock.settle()
    assert.equal(isAnswered, false)
    await clock.advance(50)
    assert.equal(await next, null)
  })

  test('a node that nobody has told of, or that is not there any more: silence', async (t) => {
    const broker = await scripted(t, answering)
    const { cluster } = clusterFor(t, [broker.address])
    assert.equal(await cluster.ask(9, heartbeatApi, {}), null)
    cluster.learnNodes([{ nodeId: 9, host, port: broker.port }], true)
    assert.equal((await cluster.ask(9, heartbeatApi, {}))?.node, 9)
    cluster.learnNodes([{ nodeId: 10, host, port: broker.port }], true)
    assert.equal(await cluster.ask(9, heartbeatApi, {}), null)
    cluster.learnNodes([{ nodeId: 11, host: '', port: -1 }], false)
    assert.equal(await cluster.ask(11, heartbeatApi, {}), null)
  })

  test('the connection to the address that the user gave becomes the one of its node', async (t) => {
    const broker = await scripted(t, answering)
    const { cluster } = clusterFor(t, [broker.address])
    assert.equal((await cluster.ask(anyNode, heartbeatApi, {}))?.node, anyNode)
    cluster.learnNodes([{ nodeId: 4, host, port: broker.port }], true)
    assert.equal((await cluster.ask(4, heartbeatApi, {}))?.node, 4)
    assert.equal((await cluster.ask(anyNode, heartbeatApi, {}))?.node, 4)
    assert.equal(broker.sockets.length, 1)
  })

  test('any: an open connection, of several the one with the least to do', async (t) => {
    const busy = await scripted(t, ({ api }) => api.key !== apiVersionsApi.key)
    const idle = await scripted(t, answering)
    const { cluster } = clusterFor(t, [busy.address])
    const nodes = [
      { nodeId: 1, host, port: busy.port },
      { nodeId: 2, host, port: idle.port },
    ]
    cluster.learnNodes(nodes, true)
    const waiting = [cluster.ask(1, heartbeatApi, {}), cluster.ask(1, heartbeatApi, {})]
    assert.ok(await cluster.ask(2, heartbeatApi, {}))
    await until('both are sent', () => busy.of(heartbeatApi).length === 2)
    for (let i = 0; i < 10; i++) assert.equal((await cluster.ask(anyNode, heartbeatApi, {}))?.node, 2)
    await cluster.close()
    assert.deepEqual(await Promise.all(waiting), [null, null])
  })

  test('any: from address to address until one answers, without waiting for one that swallows everything', async (t) => {
    const silent = await scripted(t, () => true)
    const alive = await scripted(t, answering)
    const { cluster } = clusterFor(t, [`${host}:${await deadPort()}`, silent.address, alive.address])
    assert.ok(await cluster.ask(anyNode, heartbeatApi, {}, { timeoutMs: 20_000 }))
    assert.equal(silent.sockets.length, 1)
  })

  test('any: when no node of the cluster can be reached, back to the addresses of the user', async (t) => {
    const clock = new ManualClock()
    const first = await scripted(t, answering)
    const { cluster } = clusterFor(t, [first.address], { clock })
    assert.ok(await cluster.ask(anyNode, heartbeatApi, {}))
    const moved = await deadPort()
    cluster.learnNodes([{ nodeId: 1, host, port: moved }], true)
    // The connection is still there and will do.
    assert.ok(await cluster.ask(anyNode, heartbeatApi, {}))
    first.sockets[0]?.destroy()
    // The first question may still go down with the connection.
    await until(
      'the bootstrap address answers',
      async () => (await cluster.ask(anyNode, heartbeatApi, {})) ?? undefined,
    )
    assert.equal(first.sockets.length, 2)
  })

  test('a node that moved is asked at its new address, and nothing stays at the old one', async (t) => {
    const [seed, before, after] = [await scripted(t), await scripted(t, answering), await scripted(t, answering)]
    const { cluster } = clusterFor(t, [seed.address])
    cluster.learnNodes([{ nodeId: 1, host, port: before.port }], true)
    assert.ok(await cluster.ask(1, heartbeatApi, {}))
    cluster.learnNodes([{ nodeId: 1, host, port: after.port }], true)
    assert.ok(await cluster.ask(1, heartbeatApi, {}))
    assert.equal(after.of(heartbeatApi).length, 1)
    await until('the old connection is closed', () => before.sockets[0]?.closed)
    assert.equal(cluster.states.length, 1)
  })

  test('a host name that nobody knows, and an address that never answers, are silence and told', async (t) => {
    const clock = new ManualClock()
    const { cluster, states } = clusterFor(t, ['no-such-host.invalid:9092'], { clock, connectTimeoutMs: 1_000 })
    const answer = cluster.ask(anyNode, heartbeatApi, {}, { timeoutMs: 5_000 })
    const told = await until('it is told', () => states[0])
    assert.ok(told.kind === 'unreachable')
    assert.match(told.error.message, /Cannot reach no-such-host\.invalid:9092 \((ENOTFOUND|EAI_AGAIN)\)/)
    await clock.advance(5_000)
    assert.equal(await answer, null)
  })
})
