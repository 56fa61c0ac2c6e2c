/** The cluster's sockets with a whole broker at the other end: restart, TLS, logins, large requests. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { type BrokerOptions, type RunningBroker, startBroker } from '../../../src/broker/index.ts'
import { Coordinator } from '../../../src/cluster/coordinator.ts'
import { Metadata } from '../../../src/cluster/metadata.ts'
import type { SaslOptions } from '../../../src/cluster/net/options.ts'
import { anyNode } from '../../../src/cluster/wire.ts'
import { produceApi } from '../../../src/protocol/generated/00-produce.ts'
import { fetchApi } from '../../../src/protocol/generated/01-fetch.ts'
import { metadataApi } from '../../../src/protocol/generated/03-metadata.ts'
import { until, within } from '../../support/wait.ts'
import { clusterFor } from '../../unit/cluster/support.ts'

const folder = new URL('../../support/tls/', import.meta.url)
const cert = readFileSync(new URL('cert.pem', folder))
const key = readFileSync(new URL('key.pem', folder))

const users = { alice: 'wonder=land,ß' }
const password = users.alice

async function embedded(t: TestContext, options: BrokerOptions = {}): Promise<RunningBroker> {
  const broker = await startBroker(options)
  t.after(() => broker.close())
  return broker
}

const topics = { topics: [] }

describe('a cluster and the embedded broker', () => {
  test('metadata, coordinator and features', async (t) => {
    const broker = await embedded(t, { topics: { orders: 3 } })
    const { cluster, states } = clusterFor(t, broker.brokers)
    const metadata = new Metadata(cluster)
    const answers = await metadata.refresh(['orders'])
    assert.equal(answers?.size, 1)
    const { leader } = metadata.partition('orders', 2)
    assert.equal(await new Coordinator(cluster, 'group', 'g').find(), leader)
    assert.equal((await cluster.ask(leader, metadataApi, topics))?.node, leader)
    assert.equal(cluster.featureLevel('transaction.version'), 2)
    assert.deepEqual(states, [{ kind: 'connected', address: broker.brokers[0] }])
  })

  test('a broker that is stopped and started again on its port is found again, by itself', async (t) => {
    const first = await startBroker({})
    const { cluster, states } = clusterFor(t, first.brokers)
    assert.ok(await cluster.ask(anyNode, metadataApi, topics))
    await first.close()
    const waiting = cluster.ask(anyNode, metadataApi, topics)
    await until('it is missed', () => states.at(-1)?.kind === 'unreachable')
    const second = await embedded(t, { port: first.port })
    assert.deepEqual(second.brokers, first.brokers)
    // A question that any broker can answer outlives the whole outage.
    assert.ok(await within('it is found', waiting))
    assert.deepEqual(
      states.map(({ kind }) => kind),
      ['connected', 'unreachable', 'connected'],
    )
  })

  test('close() with a long poll under way', async (t) => {
    const broker = await embedded(t, { topics: { orders: 1 } })
    const { cluster } = clusterFor(t, broker.brokers)
    const metadata = new Metadata(cluster)
    await metadata.refresh(['orders'])
    const topicId = metadata.topic('orders')?.id ?? ''
    const poll = cluster.ask(
      metadata.partition('orders', 0).leader,
      fetchApi,
      {
        maxWaitMs: 20_000,
        minBytes: 1,
        maxBytes: 1_000,
        topics: [{ topicId, partitions: [{ partitionMaxBytes: 1_000 }] }],
      },
      { lane: 'fetch' },
    )
    await cluster.ask(anyNode, metadataApi, topics)
    await cluster.close()
    assert.equal(await within('the poll', poll, 2_000), null)
  })

  test('large requests and answers, in pieces', async (t) => {
    const broker = await embedded(t, {
      topics: { blobs: { partitions: 1, config: { 'max.message.bytes': '60000000' } } },
    })
    const { cluster } = clusterFor(t, broker.brokers)
    const metadata = new Metadata(cluster)
    await metadata.refresh(['blobs'])
    const { leader } = metadata.partition('blobs', 0)
    const topicId = metadata.topic('blobs')?.id ?? ''
    // Not a record batch: the broker reads all of it, and says so.
    const records = [Buffer.alloc(20_000_000), Buffer.alloc(20_000_000)]
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() =>
        cluster.ask(leader, produceApi, {
          acks: -1,
          timeoutMs: 1_000,
          topicData: [{ topicId, partitionData: [{ records }] }],
        }),
      ),
    )
    for (const answer of answers) assert.notEqual(answer?.body.responses[0]?.partitionResponses[0]?.errorCode, 0)
    assert.ok(await cluster.ask(leader, metadataApi, topics))
  })
})

describe('TLS', () => {
  test('a certificate that is trusted; large frames come through it too', async (t) => {
    const broker = await embedded(t, { tls: { cert, key }, host: 'localhost', topics: { many: 2_000 } })
    const { cluster, states } = clusterFor(t, [`localhost:${broker.port}`], { tls: { ca: [cert] } })
    const answer = await cluster.ask(anyNode, metadataApi, { topics: [{ name: 'many' }] })
    assert.equal(answer?.body.topics[0]?.partitions.length, 2_000)
    assert.equal(states[0]?.kind, 'connected')
  })

  test('a certificate that nobody trusts, and one for another name', async (t) => {
    const broker = await embedded(t, { tls: { cert, key }, host: 'localhost' })
    const trusting = clusterFor(t, [`localhost:${broker.port}`], { tls: true }).cluster
    await assert.rejects(trusting.ask(anyNode, metadataApi, topics), {
      code: 'TLS_FAILED',
      message: /self-signed: trust it with tls: \{ ca: \[certificate\] \}/,
    })
    const elsewhere = clusterFor(t, [`localhost:${broker.port}`], {
      tls: { ca: [cert], servername: 'kafka.example' },
    }).cluster
    await assert.rejects(elsewhere.ask(anyNode, metadataApi, topics), {
      code: 'TLS_FAILED',
      message: /another host name/,
    })
  })

  test('plain words to a port with TLS', async (t) => {
    const broker = await embedded(t, { tls: { cert, key } })
    const { cluster, states } = clusterFor(t, broker.brokers)
    const answer = cluster.ask(anyNode, metadataApi, topics).then(
      () => 'silence',
      (error: Error) => error.message,
    )
    const told = await until('it is told', () => states[0])
    assert.ok(told.kind === 'unreachable')
    assert.match(told.error.message, /speak(s)? TLS/)
    await cluster.close()
    assert.match(await answer, /silence|set tls: true/)
  })

  test('TLS to a port without it', async (t) => {
    const broker = await embedded(t)
    const { cluster, states } = clusterFor(t, broker.brokers, { tls: true })
    const answer = cluster.ask(anyNode, metadataApi, topics)
    const told = await until('it is told', () => states[0])
    assert.ok(told.kind === 'unreachable')
    assert.match(told.error.message, /does this port speak TLS\?/)
    await cluster.close()
    assert.equal(await answer, null)
  })

  test('TLS to a port that answers in the clear', async (t) => {
    const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.after(() => server.close())
    const { port } = server.address() as { port: number }
    const { cluster } = clusterFor(t, [`127.0.0.1:${port}`], { tls: true })
    await assert.rejects(cluster.ask(anyNode, metadataApi, topics), {
      code: 'TLS_FAILED',
      message: /does not speak TLS: leave tls out/,
    })
  })
})

describe('logins', () => {
  for (const mechanism of ['plain', 'scram-sha-256', 'scram-sha-512'] as const) {
    test(`${mechanism}: the right password, the wrong one, nobody's`, async (t) => {
      const broker = await embedded(t, { sasl: { users } })
      const sasl = (over: Partial<Extract<SaslOptions, { password: string }>> = {}): { sasl: SaslOptions } => ({
        sasl: { mechanism, username: 'alice', password, ...over },
      })
      const { cluster } = clusterFor(t, broker.brokers, sasl())
      assert.ok(await cluster.ask(anyNode, metadataApi, topics))
      for (const wrong of [{ password: 'looking-glass' }, { username: 'mallory' }]) {
        const refused = clusterFor(t, broker.brokers, sasl(wrong)).cluster
        await assert.rejects(refused.ask(anyNode, metadataApi, topics), (error: Error & { code: string }) => {
          assert.equal(error.code, 'AUTHENTICATION_FAILED')
          assert.match(error.message, new RegExp(`'${wrong.username ?? 'alice'}' with ${mechanism.toUpperCase()}`))
          assert.doesNotMatch(error.message, /looking-glass|wonder/)
          return true
        })
      }
    })
  }

  test('a mechanism that the broker does not offer; no login where one is needed; a login where none is', async (t) => {
    const guarded = await embedded(t, { sasl: { users, mechanisms: ['SCRAM-SHA-512'] } })
    const open = await embedded(t)
    const sasl: SaslOptions = { mechanism: 'plain', username: 'alice', password }
    const other = clusterFor(t, guarded.brokers, { sasl }).cluster
    await assert.rejects(other.ask(anyNode, metadataApi, topics), { message: /it offers SCRAM-SHA-512/ })
    const stranger = clusterFor(t, guarded.brokers)
    assert.equal(await stranger.cluster.ask(anyNode, metadataApi, topics), null)
    const [told] = stranger.states
    assert.match(told?.kind === 'unreachable' ? told.error.message : '', /login \(sasl\)/)
    const eager = clusterFor(t, open.brokers, { sasl }).cluster
    await assert.rejects(eager.ask(anyNode, metadataApi, topics), { message: /leave sasl out/ })
  })

  test('TLS and SCRAM together', async (t) => {
    const broker = await embedded(t, { tls: { cert, key }, sasl: { users }, host: 'localhost' })
    const { cluster } = clusterFor(t, [`localhost:${broker.port}`], {
      tls: { ca: [cert] },
      sasl: { mechanism: 'scram-sha-512', username: 'alice', password },
    })
    assert.ok(await cluster.ask(anyNode, metadataApi, topics))
  })
})

describe('a proxy that cuts', () => {
  test('whatever was under way is silence, and the next question goes through', async (t) => {
    const broker = await embedded(t)
    const pairs: { destroy(): void }[] = []
    const proxy = createServer((client) => {
      const server = connect(broker.port, broker.host)
      pairs.push(client)
      client.on('error', () => server.destroy()).on('close', () => server.destroy())
      server.on('error', () => client.destroy()).on('close', () => client.destroy())
      client.pipe(server).pipe(client)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    t.after(() => proxy.close())
    const { cluster } = clusterFor(t, [`127.0.0.1:${(proxy.address() as { port: number }).port}`])
    let answers = 0
    for (let round = 0; round < 20; round++) {
      const asks = Array.from({ length: 5 }, () => cluster.ask(anyNode, metadataApi, topics, { timeoutMs: 5_000 }))
      if (round % 2 === 1) pairs.at(-1)?.destroy()
      for (const answer of await Promise.all(asks)) if (answer !== null) answers++
    }
    assert.ok(answers >= 50, `${answers} answers`)
  })
})
